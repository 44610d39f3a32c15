// Attention in one pass: no score ever leaves the registers. Every thread has one query of one head of one sequence; the keys and
// values go by in tiles that a block shares. The largest score so far is carried along, and what was summed up is scaled down
// whenever a larger one comes. All sums run over the keys in order, so they depend on nothing but the sequence.
//
// OWN, the numbers of a head, is defined before this text: a multiple of four.

#define PARTS (OWN / 4)
#define TILE 64
#define TOGETHER 8

// Takes COUNT keys into account: their scores first, which do not depend on each other.
template <int COUNT>
__device__ __forceinline__ void consume(const float4 (*keys)[PARTS], const float4 (*values)[PARTS], const float4 *query,
                                        float4 *sum, float &largest, float &total) {
    float scores[COUNT];
    float most = largest;
#pragma unroll
    for (int key = 0; key < COUNT; key++) {
        float score = 0.0f;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const float4 numbers = keys[key][part];
            score = fmaf(query[part].x, numbers.x, score);
            score = fmaf(query[part].y, numbers.y, score);
            score = fmaf(query[part].z, numbers.z, score);
            score = fmaf(query[part].w, numbers.w, score);
        }
        scores[key] = score;
        most = fmaxf(most, score);
    }
    const float scale = exp2f(largest - most);
    largest = most;
    total *= scale;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        sum[part].x *= scale;
        sum[part].y *= scale;
        sum[part].z *= scale;
        sum[part].w *= scale;
    }
#pragma unroll
    for (int key = 0; key < COUNT; key++) {
        const float weight = exp2f(scores[key] - most);
        total += weight;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const float4 numbers = values[key][part];
            sum[part].x = fmaf(weight, numbers.x, sum[part].x);
            sum[part].y = fmaf(weight, numbers.y, sum[part].y);
            sum[part].z = fmaf(weight, numbers.z, sum[part].z);
            sum[part].w = fmaf(weight, numbers.w, sum[part].w);
        }
    }
}

// `all` has a row for each token of each sequence, `length` of them, with the queries, the keys and the values of all heads, each
// of `width` numbers. Scores are multiplied with `scale`. `seen` gets a row for the first `queries` tokens of each sequence. A token behind the end of its
// sequence sees nothing and gets zeros.
extern "C" __global__ void attend(const float *all, const unsigned *tokens, float *seen, const unsigned length,
                                  const unsigned queries, const unsigned heads, const unsigned width, const float scale) {
    __shared__ float4 keys[TILE][PARTS];
    __shared__ float4 values[TILE][PARTS];
    const unsigned query_number = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y, sequence = blockIdx.z;
    const unsigned count = tokens[sequence];
    const size_t row = 3 * heads * width;
    const float *own = all + sequence * length * row + head * width;
    const bool is_token = query_number < queries && query_number < count;

    float4 query[PARTS], sum[PARTS];
    float largest = __int_as_float(0xff800000), total = 0.0f;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        sum[part] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        query[part] = sum[part];
        if (is_token) {
            // Powers of two are taken instead of powers of e.
            const float factor = scale * 1.4426950408889634f;
            const float4 numbers = reinterpret_cast<const float4 *>(own + query_number * row)[part];
            query[part] = make_float4(numbers.x * factor, numbers.y * factor, numbers.z * factor, numbers.w * factor);
        }
    }

    // A block without a token has nothing to sum up.
    const unsigned end = blockIdx.x * blockDim.x < count ? count : 0;
    for (unsigned start = 0; start < end; start += TILE) {
        const unsigned here = min(TILE, end - start);
        __syncthreads();
        for (unsigned place = threadIdx.x; place < here * PARTS; place += blockDim.x) {
            const unsigned key = place / PARTS, part = place % PARTS;
            const float *numbers = own + (start + key) * row + heads * width;
            keys[key][part] = reinterpret_cast<const float4 *>(numbers)[part];
            values[key][part] = reinterpret_cast<const float4 *>(numbers + heads * width)[part];
        }
        __syncthreads();
        unsigned key = 0;
        for (; key + TOGETHER <= here; key += TOGETHER) {
            consume<TOGETHER>(keys + key, values + key, query, sum, largest, total);
        }
        for (; key < here; key++) {
            consume<1>(keys + key, values + key, query, sum, largest, total);
        }
    }

    if (query_number >= queries) {
        return;
    }
    float *out = seen + (sequence * queries + query_number) * (size_t)(heads * width) + head * width;
    const float share = is_token ? 1.0f / total : 0.0f;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const float4 numbers = sum[part];
        reinterpret_cast<float4 *>(out)[part] =
            make_float4(numbers.x * share, numbers.y * share, numbers.z * share, numbers.w * share);
    }
}
