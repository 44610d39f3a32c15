// The operations of training that are not products of matrices. Compiled when a device is opened, by NVRTC, without any header: once
// for numbers of 32 bits, once for numbers of 16 bits (the upper half of those of 32).
//
// Every sum has a fixed order and nothing is added atomically, so that a step gives the same bits each time.

typedef unsigned int u32;
typedef unsigned long long u64;

#if NARROW
typedef unsigned short real;
struct __align__(8) four { real of[4]; };
__device__ __forceinline__ float wide(real number) { return __uint_as_float((u32)number << 16); }
__device__ __forceinline__ real narrow(float number) {
    u32 bits = __float_as_uint(number);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (real)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
#else
typedef float real;
struct __align__(16) four { real of[4]; };
__device__ __forceinline__ float wide(real number) { return number; }
__device__ __forceinline__ real narrow(float number) { return number; }
#endif

#define INFINITE __int_as_float(0x7f800000)

// Four numbers of a row of so many, zeros beyond its end. Rows begin where four numbers can be read at once, or their width is no multiple
// of four.
__device__ __forceinline__ void load(const real* row, u32 at, u32 width, float* numbers) {
    if ((width & 3) == 0) {
        four all = *(const four*)(row + at);
        for (int i = 0; i < 4; i++) numbers[i] = wide(all.of[i]);
    } else {
        for (int i = 0; i < 4; i++) numbers[i] = at + i < width ? wide(row[at + i]) : 0.f;
    }
}

__device__ __forceinline__ void store(real* row, u32 at, u32 width, const float* numbers) {
    if ((width & 3) == 0) {
        four all;
        for (int i = 0; i < 4; i++) all.of[i] = narrow(numbers[i]);
        *(four*)(row + at) = all;
    } else {
        for (int i = 0; i < 4; i++) if (at + i < width) row[at + i] = narrow(numbers[i]);
    }
}

// The same for numbers that are not in rows.
__device__ __forceinline__ void load_flat(const real* all, u64 at, u64 count, float* numbers) {
    if (at + 4 <= count) load(all + at, 0, 4, numbers);
    else for (int i = 0; i < 4; i++) numbers[i] = at + i < count ? wide(all[at + i]) : 0.f;
}

__device__ __forceinline__ void store_flat(real* all, u64 at, u64 count, const float* numbers) {
    if (at + 4 <= count) store(all + at, 0, 4, numbers);
    else for (int i = 0; i < 4; i++) if (at + i < count) all[at + i] = narrow(numbers[i]);
}

__device__ __forceinline__ u32 mixed(u32 number) {
    number = (number ^ (number >> 16)) * 0x7feb352du;
    number = (number ^ (number >> 15)) * 0x846ca68bu;
    return number ^ (number >> 16);
}

// What a number is multiplied with; nothing is dropped where the threshold is zero.
__device__ __forceinline__ float kept(u32 key, u64 index, u32 threshold, float scale) {
    if (threshold == 0) return 1.f;
    u32 drawn = mixed((mixed((u32)index ^ key) + (u32)(index >> 32)) ^ ((key << 16) | (key >> 16)));
    return drawn < threshold ? 0.f : scale;
}

__device__ __forceinline__ float sum_of_warp(float number) {
    for (int offset = 16; offset; offset >>= 1) number += __shfl_xor_sync(0xffffffffu, number, offset);
    return number;
}

__device__ __forceinline__ float largest_of_warp(float number) {
    for (int offset = 16; offset; offset >>= 1) number = fmaxf(number, __shfl_xor_sync(0xffffffffu, number, offset));
    return number;
}

// A warp for each row, four rows a block.
#define ROW (blockIdx.x * 4 + threadIdx.y)
#define LANE threadIdx.x

extern "C" __global__ void embed(const u32* ids, const u32* positions, const u32* are_nodes, const u32* starts, const u32* tokens,
                                 const float* weights,
                                 u64 words, u64 position_table, u32 has_positions, u64 token_type, u32 width, u32 rows, real* out) {
    u32 row = ROW;
    if (row >= rows) return;
    bool is_node = are_nodes && are_nodes[row];
    u32 first = is_node ? starts[row] : 0, last = is_node ? starts[row + 1] : 0;
    for (u32 at = LANE; at < width; at += 32) {
        float number = 0.f;
        if (!is_node) number = weights[words + (u64)ids[row] * width + at];
        else {
            for (u32 token = first; token < last; token++) number += weights[words + (u64)ids[tokens[token]] * width + at];
            number *= 1.f / ((float)(last - first) + 1e-10f);
        }
        number += weights[token_type + at];
        if (has_positions) number += weights[position_table + (u64)positions[row] * width + at];
        out[(u64)row * width + at] = narrow(number);
    }
}

// The slopes of the words of the tokens: a node has none of its own, and gives its own to its tokens.
extern "C" __global__ void spread(const real* slopes, const u32* are_nodes, const u32* starts, const u32* starts_of_tokens, const u32* nodes, u32 width, u32 rows,
                                  real* out) {
    u32 row = ROW;
    if (row >= rows) return;
    for (u32 at = LANE; at < width; at += 32) {
        float number = are_nodes[row] == 0 ? wide(slopes[(u64)row * width + at]) : 0.f;
        for (u32 entry = starts_of_tokens[row]; entry < starts_of_tokens[row + 1]; entry++) {
            u32 node = nodes[entry];
            float share = 1.f / ((float)(starts[node + 1] - starts[node]) + 1e-10f);
            number += share * wide(slopes[(u64)node * width + at]);
        }
        out[(u64)row * width + at] = narrow(number);
    }
}

// The sums of the rows of every part of the groups.
extern "C" __global__ void sum_parts(const real* rows_of, const u32* rows, const u32* parts, u32 width, float* sums) {
    u32 part = blockIdx.x, at = (blockIdx.y * 32 + threadIdx.x) * 4;
    if (at >= width) return;
    float sum[4] = {0.f, 0.f, 0.f, 0.f}, own[4];
    for (u32 entry = parts[part]; entry < parts[part + 1]; entry++) {
        load(rows_of + (u64)rows[entry] * width, at, width, own);
        for (int i = 0; i < 4; i++) sum[i] += own[i];
    }
    for (int i = 0; i < 4; i++) if (at + i < width) sums[(u64)part * width + at + i] = sum[i];
}

// Adds the sums of the parts of every group to a row of a table.
extern "C" __global__ void add_groups(const float* sums, const u32* groups, const u32* targets, u32 width, float* table) {
    u32 group = blockIdx.x;
    for (u32 at = threadIdx.x; at < width; at += blockDim.x) {
        float sum = 0.f;
        for (u32 part = groups[group]; part < groups[group + 1]; part++) sum += sums[(u64)part * width + at];
        table[(u64)targets[group] * width + at] += sum;
    }
}

// Writes them to the rows of an array.
extern "C" __global__ void store_groups(const float* sums, const u32* groups, const u32* targets, u32 width, real* out) {
    u32 group = blockIdx.x;
    for (u32 at = threadIdx.x; at < width; at += blockDim.x) {
        float sum = 0.f;
        for (u32 part = groups[group]; part < groups[group + 1]; part++) sum += sums[(u64)part * width + at];
        out[(u64)targets[group] * width + at] = narrow(sum);
    }
}

// The sums of the columns of some rows, 128 columns a block; of products where there is another factor.
extern "C" __global__ void sum_columns(const real* numbers, const real* factors, u32 rows, u32 columns, u32 rows_of_block, float* sums) {
    __shared__ float shared[8][128];
    u32 at = (blockIdx.x * 32 + threadIdx.x) * 4;
    float sum[4] = {0.f, 0.f, 0.f, 0.f};
    if (at < columns) {
        u32 end = min(rows, (blockIdx.y + 1) * rows_of_block);
        for (u32 row = blockIdx.y * rows_of_block + threadIdx.y; row < end; row += 8) {
            float own[4], other[4];
            load(numbers + (u64)row * columns, at, columns, own);
            if (factors) {
                load(factors + (u64)row * columns, at, columns, other);
                for (int i = 0; i < 4; i++) own[i] *= other[i];
            }
            for (int i = 0; i < 4; i++) sum[i] += own[i];
        }
    }
    for (int i = 0; i < 4; i++) shared[threadIdx.y][threadIdx.x * 4 + i] = sum[i];
    __syncthreads();
    u32 own = threadIdx.y * 32 + threadIdx.x;
    if (own < 128 && blockIdx.x * 128 + own < columns) {
        float all = 0.f;
        for (int row = 0; row < 8; row++) all += shared[row][own];
        sums[(u64)blockIdx.y * columns + blockIdx.x * 128 + own] = all;
    }
}

extern "C" __global__ void add_sums(const float* sums, u32 parts, u32 columns, float* out) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= columns) return;
    float sum = 0.f;
    for (u32 part = 0; part < parts; part++) sum += sums[(u64)part * columns + at];
    out[at] += sum;
}

// Adds the bias to every row.
extern "C" __global__ void add_bias(real* rows_of, const float* bias, u64 count, u32 columns) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at >= count) return;
    float numbers[4];
    load_flat(rows_of, at, count, numbers);
    u32 column = (u32)(at % columns);
    for (int i = 0; i < 4; i++) {
        numbers[i] += bias[column];
        if (++column == columns) column = 0;
    }
    store_flat(rows_of, at, count, numbers);
}

__device__ __forceinline__ float activated(float x, u32 kind) {
    switch (kind) {
        case 1: return 0.5f * x * (1.f + erff(x * 0.70710678f));
        case 2: return 0.5f * x * (1.f + tanhf(0.7978846f * (x + 0.044715f * x * x * x)));
        case 3: return fmaxf(x, 0.f);
        case 4: return tanhf(x);
        default: return x;
    }
}

__device__ __forceinline__ float slope_of(float x, u32 kind) {
    switch (kind) {
        case 1: return 0.5f * (1.f + erff(x * 0.70710678f)) + x * expf(-0.5f * x * x) * 0.3989423f;
        case 2: {
            float tanh = tanhf(0.7978846f * (x + 0.044715f * x * x * x));
            return 0.5f * (1.f + tanh) + 0.5f * x * (1.f - tanh * tanh) * 0.7978846f * (1.f + 0.134145f * x * x);
        }
        case 3: return x > 0.f ? 1.f : 0.f;
        case 4: { float tanh = tanhf(x); return 1.f - tanh * tanh; }
        default: return 1.f;
    }
}

extern "C" __global__ void activate(const real* input, u64 count, u32 kind, real* out) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at >= count) return;
    float numbers[4];
    load_flat(input, at, count, numbers);
    for (int i = 0; i < 4; i++) numbers[i] = activated(numbers[i], kind);
    store_flat(out, at, count, numbers);
}

extern "C" __global__ void activate_back(const real* input, real* slopes, u64 count, u32 kind) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at >= count) return;
    float numbers[4], own[4];
    load_flat(input, at, count, numbers);
    load_flat(slopes, at, count, own);
    for (int i = 0; i < 4; i++) own[i] *= slope_of(numbers[i], kind);
    store_flat(slopes, at, count, own);
}

extern "C" __global__ void drop_out(real* all, u64 count, u32 key, u32 threshold, float scale) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at >= count) return;
    float numbers[4];
    load_flat(all, at, count, numbers);
    for (int i = 0; i < 4; i++) numbers[i] *= kept(key, at + i, threshold, scale);
    store_flat(all, at, count, numbers);
}

extern "C" __global__ void add(real* one, const real* other, u64 count) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at >= count) return;
    float numbers[4], more[4];
    load_flat(one, at, count, numbers);
    load_flat(other, at, count, more);
    for (int i = 0; i < 4; i++) numbers[i] += more[i];
    store_flat(one, at, count, numbers);
}

// Drops, adds the residual and norms; the input becomes the normed rows without scale and shift.
extern "C" __global__ void norm_rows(real* input, const real* residual, const float* scale, const float* shift, u32 width, u32 rows,
                                float epsilon, u32 key, u32 threshold, float drop_scale, float* deviations, real* out) {
    u32 row = ROW;
    if (row >= rows) return;
    real* own = input + (u64)row * width;
    float numbers[4], more[4], sum = 0.f;
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(own, at, width, numbers);
        for (int i = 0; i < 4; i++) numbers[i] *= kept(key, (u64)row * width + at + i, threshold, drop_scale);
        if (residual) {
            load(residual + (u64)row * width, at, width, more);
            for (int i = 0; i < 4; i++) numbers[i] += more[i];
        }
        for (int i = 0; i < 4; i++) if (at + i < width) sum += numbers[i];
        store(own, at, width, numbers);
    }
    float mean = sum_of_warp(sum) / width, squares = 0.f;
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(own, at, width, numbers);
        for (int i = 0; i < 4; i++) if (at + i < width) squares += (numbers[i] - mean) * (numbers[i] - mean);
    }
    float deviation = sqrtf(sum_of_warp(squares) / width + epsilon);
    if (LANE == 0) deviations[row] = deviation;
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(own, at, width, numbers);
        for (int i = 0; i < 4; i++) {
            numbers[i] = (numbers[i] - mean) / deviation;
            if (at + i < width) more[i] = numbers[i] * scale[at + i] + shift[at + i];
        }
        store(own, at, width, numbers);
        store(out + (u64)row * width, at, width, more);
    }
}

extern "C" __global__ void norm_back(const real* normed, const float* deviations, const real* slopes, const float* scale, u32 width,
                                     u32 rows, u32 key, u32 threshold, float drop_scale, real* of_input, real* of_residual) {
    u32 row = ROW;
    if (row >= rows) return;
    u64 first = (u64)row * width;
    float own[4], base[4], mean = 0.f, along = 0.f;
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(slopes + first, at, width, own);
        load(normed + first, at, width, base);
        for (int i = 0; i < 4; i++) if (at + i < width) {
            float slope = own[i] * scale[at + i];
            mean += slope;
            along += slope * base[i];
        }
    }
    mean = sum_of_warp(mean) / width;
    along = sum_of_warp(along) / width;
    float deviation = deviations[row];
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(slopes + first, at, width, own);
        load(normed + first, at, width, base);
        for (int i = 0; i < 4; i++) if (at + i < width) own[i] = (own[i] * scale[at + i] - mean - base[i] * along) / deviation;
        store(of_residual + first, at, width, own);
        for (int i = 0; i < 4; i++) own[i] *= kept(key, first + at + i, threshold, drop_scale);
        store(of_input + first, at, width, own);
    }
}

// Drops and adds the residual, and divides every row by the root of the mean of its squares: the input becomes the sum, `normed` the rows
// without scale.
extern "C" __global__ void add_and_scale(real* input, const real* residual, const float* scale, u32 width, u32 rows, float epsilon, u32 key,
                                         u32 threshold, float drop_scale, float* deviations, real* normed, real* out) {
    u32 row = ROW;
    if (row >= rows) return;
    u64 first = (u64)row * width;
    float numbers[4], more[4], squares = 0.f;
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(input + first, at, width, numbers);
        for (int i = 0; i < 4; i++) numbers[i] *= kept(key, first + at + i, threshold, drop_scale);
        if (residual) {
            load(residual + first, at, width, more);
            for (int i = 0; i < 4; i++) numbers[i] += more[i];
        }
        for (int i = 0; i < 4; i++) if (at + i < width) squares += numbers[i] * numbers[i];
        store(input + first, at, width, numbers);
    }
    float deviation = sqrtf(sum_of_warp(squares) / width + epsilon);
    if (LANE == 0) deviations[row] = deviation;
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(input + first, at, width, numbers);
        for (int i = 0; i < 4; i++) {
            numbers[i] /= deviation;
            more[i] = at + i < width ? numbers[i] * scale[at + i] : 0.f;
        }
        store(normed + first, at, width, numbers);
        store(out + first, at, width, more);
    }
}

extern "C" __global__ void add_and_scale_back(const real* normed, const float* deviations, const real* slopes, const real* of_sum,
                                              const float* scale, u32 width, u32 rows, u32 key, u32 threshold, float drop_scale,
                                              real* of_input, real* of_residual) {
    u32 row = ROW;
    if (row >= rows) return;
    u64 first = (u64)row * width;
    float own[4], base[4], more[4] = {0.f, 0.f, 0.f, 0.f}, along = 0.f;
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(slopes + first, at, width, own);
        load(normed + first, at, width, base);
        for (int i = 0; i < 4; i++) if (at + i < width) along += own[i] * scale[at + i] * base[i];
    }
    along = sum_of_warp(along) / width;
    float deviation = deviations[row];
    for (u32 at = LANE * 4; at < width; at += 128) {
        load(slopes + first, at, width, own);
        load(normed + first, at, width, base);
        if (of_sum) load(of_sum + first, at, width, more);
        for (int i = 0; i < 4; i++) if (at + i < width) own[i] = (own[i] * scale[at + i] - base[i] * along) / deviation + more[i];
        store(of_residual + first, at, width, own);
        for (int i = 0; i < 4; i++) own[i] *= kept(key, first + at + i, threshold, drop_scale);
        store(of_input + first, at, width, own);
    }
}

extern "C" __global__ void multiply(const real* one, const real* other, u64 count, real* out) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at >= count) return;
    float numbers[4], more[4];
    load_flat(one, at, count, numbers);
    load_flat(other, at, count, more);
    for (int i = 0; i < 4; i++) numbers[i] *= more[i];
    store_flat(out, at, count, numbers);
}

extern "C" __global__ void times(real* all, u64 count, float factor) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at >= count) return;
    float numbers[4];
    load_flat(all, at, count, numbers);
    for (int i = 0; i < 4; i++) numbers[i] *= factor;
    store_flat(all, at, count, numbers);
}

// Queries, keys and values of every place, side by side, become three arrays: for each sequence, for each head, a row for each place. A
// thread moves `step` numbers, four or one.
extern "C" __global__ void split_heads(const real* all, u32 parts, u32 sequences, u32 length, u32 heads, u32 width, u32 step, real* out) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * step;
    if (at >= (u64)parts * sequences * length * heads * width) return;
    u32 rest = (u32)(at / width), number = (u32)(at - (u64)rest * width);
    u32 place = rest % length; rest /= length;
    u32 head = rest % heads; rest /= heads;
    u32 sequence = rest % sequences, part = rest / sequences;
    const real* from = all + ((u64)sequence * length + place) * parts * heads * width + (part * heads + head) * width + number;
    if (step == 4) *(four*)(out + at) = *(const four*)from;
    else out[at] = *from;
}

// The same the other way.
extern "C" __global__ void merge_heads(const real* split, u32 parts, u32 sequences, u32 length, u32 heads, u32 width, u32 step, real* out) {
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * step;
    if (at >= (u64)parts * sequences * length * heads * width) return;
    u32 rest = (u32)(at / width), number = (u32)(at - (u64)rest * width);
    u32 column = rest % (parts * heads); rest /= parts * heads;
    u32 place = rest % length, sequence = rest / length;
    u32 part = column / heads, head = column % heads;
    const real* from = split + ((((u64)part * sequences + sequence) * heads + head) * length + place) * width + number;
    if (step == 4) *(four*)(out + at) = *(const four*)from;
    else out[at] = *from;
}

// The score of a place as it counts: with those of distances, scaled, with the bias of its distance, and nothing where a place is not seen.
struct Scores {
    const real* of_queries;
    const real* of_keys;
    const unsigned char* seen;
    u32 row, group, query, tokens, length;
    float scale;
    const float* bias;
    const u32* buckets;
    u32 heads;

    __device__ __forceinline__ float at(u32 other, float score) const {
        if (other >= tokens || (seen && !seen[other])) return -INFINITE;
        u32 distance = query + length - 1 - other;
        if (of_queries) score += wide(of_queries[(u64)row * 2 * length + distance]);
        if (of_keys) score += wide(of_keys[((u64)group * length + other) * 2 * length + distance]);
        score *= scale;
        if (bias) score += bias[buckets[distance] * heads];
        return score;
    }
};

// Scores become weights. `weights` gets all of them and may be the scores' own place; `dropped` what is left after some are dropped. Either
// may be absent.
extern "C" __global__ void weigh(const real* scores, const real* of_queries, const real* of_keys, const u32* lengths,
                                 const unsigned char* sees, u32 sequences, u32 heads, u32 queries, u32 length, float scale,
                                 const float* bias, const u32* buckets, u32 key, u32 threshold, float drop_scale, real* weights,
                                 real* dropped) {
    u32 row = ROW;
    if (row >= sequences * heads * queries) return;
    u32 query = row % queries, group = row / queries, sequence = group / heads;
    u32 tokens = max(lengths[sequence], 1u);
    u64 first = (u64)row * length;
    const unsigned char* seen = sees && query < tokens ? sees + ((u64)sequence * queries + query) * length : 0;
    const float* own_bias = bias ? bias + group % heads : 0;
    Scores own = {of_queries, of_keys, seen, row, group, query, tokens, length, scale, own_bias, buckets, heads};
    // A lane has up to sixteen numbers of a row at once; longer rows are read three times.
    const u32 together = 4;
    float numbers[together][4], largest = -INFINITE, sum = 0.f;
    bool is_short = length <= together * 128;
    for (u32 start = 0; start < length; start += together * 128) {
#pragma unroll
        for (u32 part = 0; part < together; part++) {
            u32 at = start + part * 128 + LANE * 4;
            if (at < length) {
                load(scores + first, at, length, numbers[part]);
                for (int i = 0; i < 4; i++) numbers[part][i] = own.at(at + i, numbers[part][i]);
            } else {
                for (int i = 0; i < 4; i++) numbers[part][i] = -INFINITE;
            }
            for (int i = 0; i < 4; i++) largest = fmaxf(largest, numbers[part][i]);
        }
    }
    largest = largest_of_warp(largest);
    for (u32 start = 0; start < length; start += together * 128) {
#pragma unroll
        for (u32 part = 0; part < together; part++) {
            u32 at = start + part * 128 + LANE * 4;
            if (!is_short && at < length) {
                load(scores + first, at, length, numbers[part]);
                for (int i = 0; i < 4; i++) numbers[part][i] = own.at(at + i, numbers[part][i]);
            }
            if (at < length) {
                for (int i = 0; i < 4; i++) {
                    numbers[part][i] = __expf(numbers[part][i] - largest);
                    sum += numbers[part][i];
                }
            }
        }
    }
    float share = 1.f / sum_of_warp(sum);
    for (u32 start = 0; start < length; start += together * 128) {
#pragma unroll
        for (u32 part = 0; part < together; part++) {
            u32 at = start + part * 128 + LANE * 4;
            if (at >= length) continue;
            if (!is_short) {
                load(scores + first, at, length, numbers[part]);
                for (int i = 0; i < 4; i++) numbers[part][i] = __expf(own.at(at + i, numbers[part][i]) - largest);
            }
            for (int i = 0; i < 4; i++) numbers[part][i] *= share;
            if (weights) store(weights + first, at, length, numbers[part]);
            if (dropped) {
                for (int i = 0; i < 4; i++) numbers[part][i] *= kept(key, first + at + i, threshold, drop_scale);
                store(dropped + first, at, length, numbers[part]);
            }
        }
    }
}

// The slopes of the scores, in the place of those of the weights.
extern "C" __global__ void weigh_back(const real* weights, real* slopes, u32 rows, u32 length, float scale, u32 key, u32 threshold,
                                      float drop_scale) {
    u32 row = ROW;
    if (row >= rows) return;
    u64 first = (u64)row * length;
    float sum = 0.f, own[4], weight[4];
    for (u32 at = LANE * 4; at < length; at += 128) {
        load(slopes + first, at, length, own);
        load(weights + first, at, length, weight);
        for (int i = 0; i < 4; i++) sum += own[i] * kept(key, first + at + i, threshold, drop_scale) * weight[i];
    }
    sum = sum_of_warp(sum);
    for (u32 at = LANE * 4; at < length; at += 128) {
        load(slopes + first, at, length, own);
        load(weights + first, at, length, weight);
        for (int i = 0; i < 4; i++) own[i] = scale * weight[i] * (own[i] * kept(key, first + at + i, threshold, drop_scale) - sum);
        store(slopes + first, at, length, own);
    }
}

// The slopes of scores by distance, for queries or for keys: a row of twice the length for each place.
extern "C" __global__ void by_distance(const real* slopes, u32 groups, u32 length, u32 is_of_keys, real* out) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= (u64)groups * length * 2 * length) return;
    u32 distance = at % (2 * length);
    u32 place = at / (2 * length) % length;
    u32 group = at / (2 * length) / length;
    int shift = (int)distance - (int)(length - 1);
    int query = is_of_keys ? (int)place + shift : (int)place, other = is_of_keys ? (int)place : (int)place - shift;
    bool is_inside = query >= 0 && query < (int)length && other >= 0 && other < (int)length;
    out[at] = is_inside ? slopes[((u64)group * length + query) * length + other] : narrow(0.f);
}

// The sums of the slopes of scores by distance, for each head of each sequence. A warp for each distance, in the order of the buckets.
extern "C" __global__ void sum_distances(const real* slopes, u32 groups, u32 length, float factor, float* sums) {
    u32 row = ROW, distances = 2 * length - 1;
    if (row >= groups * distances) return;
    u32 group = row / distances;
    int shift = (int)(row % distances) - (int)(length - 1);
    u32 first = shift > 0 ? shift : 0, end = shift > 0 ? length : length + shift;
    const real* own = slopes + (u64)group * length * length;
    float sum = 0.f;
    for (u32 query = first + LANE; query < end; query += 32) sum += wide(own[(u64)query * length + (u32)((int)query - shift)]);
    sum = sum_of_warp(sum);
    if (LANE == 0) sums[row] = factor * sum;
}

// Adds the sums of all distances of a bucket to the gradient of a head's number for it. A block of 256 for each bucket and head.
extern "C" __global__ void add_buckets(const float* sums, const u32* buckets, u32 sequences, u32 heads, u32 distances, float* table) {
    __shared__ float shared[8];
    u32 bucket = blockIdx.x, head = blockIdx.y;
    float sum = 0.f;
    for (u32 at = threadIdx.x; at < sequences * distances; at += 256) {
        u32 sequence = at / distances, distance = at % distances;
        if (buckets[distance] == bucket) sum += sums[((u64)sequence * heads + head) * distances + distance];
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++) sum += shared[i];
        table[(u64)bucket * heads + head] += sum;
    }
}

extern "C" __global__ void gather(const real* input, const u32* rows, u32 count, u32 width, real* out) {
    u32 row = ROW;
    if (row >= count) return;
    for (u32 at = LANE; at < width; at += 32) out[(u64)row * width + at] = input[(u64)rows[row] * width + at];
}

// Some rows of a table of parameters.
extern "C" __global__ void look_up(const float* table, const u32* rows, u32 count, u32 width, real* out) {
    u32 row = ROW;
    if (row >= count) return;
    for (u32 at = LANE; at < width; at += 32) out[(u64)row * width + at] = narrow(table[(u64)rows[row] * width + at]);
}

// The largest score of a group, and the sum of the exponentials of what the others are below it. Every thread computes both.
__device__ __forceinline__ void sum_scores(const real* scores, u32 first, u32 end, float* largest, float* sum) {
    *largest = -INFINITE;
    for (u32 at = first; at < end; at++) *largest = fmaxf(*largest, wide(scores[at]));
    *sum = 0.f;
    for (u32 at = first; at < end; at++) *sum += expf(wide(scores[at]) - *largest);
}

// The mean of the rows of a group, weighed by the softmax of their scores. A block of 128 for each group.
extern "C" __global__ void pool(const real* rows, const real* scores, const u32* starts, u32 columns, real* out) {
    u32 first = starts[blockIdx.x], end = starts[blockIdx.x + 1];
    float largest, sum;
    sum_scores(scores, first, end, &largest, &sum);
    for (u32 column = threadIdx.x; column < columns; column += 128) {
        float mean = 0.f;
        for (u32 at = first; at < end; at++) {
            mean += expf(wide(scores[at]) - largest) / sum * wide(rows[(u64)at * columns + column]);
        }
        out[(u64)blockIdx.x * columns + column] = narrow(mean);
    }
}

// The slopes of the rows and of the scores. `along` has room for a number for each row.
extern "C" __global__ void pool_back(
    const real* rows, const real* scores, const u32* starts, const real* slopes, u32 columns, float* along, real* of_rows,
    real* of_scores
) {
    u32 first = starts[blockIdx.x], end = starts[blockIdx.x + 1];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const real* own = slopes + (u64)blockIdx.x * columns;
    for (u32 at = first + warp; at < end; at += 4) {
        float product = 0.f;
        for (u32 column = lane; column < columns; column += 32) product += wide(rows[(u64)at * columns + column]) * wide(own[column]);
        product = sum_of_warp(product);
        if (lane == 0) along[at] = product;
    }
    __syncthreads();
    float largest, sum, mean = 0.f;
    sum_scores(scores, first, end, &largest, &sum);
    for (u32 at = first; at < end; at++) mean += expf(wide(scores[at]) - largest) / sum * along[at];
    for (u32 at = first + threadIdx.x; at < end; at += 128) {
        of_scores[at] = narrow(expf(wide(scores[at]) - largest) / sum * (along[at] - mean));
    }
    for (u32 at = first; at < end; at++) {
        float weight = expf(wide(scores[at]) - largest) / sum;
        for (u32 column = threadIdx.x; column < columns; column += 128) {
            of_rows[(u64)at * columns + column] = narrow(weight * wide(own[column]));
        }
    }
}

// The products of the rows of a group with another row, a warp for each of the rows.
__device__ __forceinline__ void products(const real* rows, u32 first, u32 end, const real* other, u32 columns, float* out) {
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (u32 at = first + warp; at < end; at += 4) {
        float product = 0.f;
        for (u32 column = lane; column < columns; column += 32) product += wide(rows[(u64)at * columns + column]) * wide(other[column]);
        product = sum_of_warp(product);
        if (lane == 0) out[at] = product;
    }
}

// The largest number of a group, and the sum of the exponentials of what the others are below it. Every thread computes both.
__device__ __forceinline__ void sum_products(const float* scores, u32 first, u32 end, float* largest, float* sum) {
    *largest = -INFINITE;
    for (u32 at = first; at < end; at++) *largest = fmaxf(*largest, scores[at]);
    *sum = 0.f;
    for (u32 at = first; at < end; at++) *sum += expf(scores[at] - *largest);
}

// For every query the mean of the rows of its group, weighed by the softmax of their products with it. A block of 128 for each query;
// `scores` has room for a number for each row.
extern "C" __global__ void pool_by_query(const real* queries, const real* rows, const u32* starts, u32 columns, float* scores, real* out) {
    u32 first = starts[blockIdx.x], end = starts[blockIdx.x + 1];
    products(rows, first, end, queries + (u64)blockIdx.x * columns, columns, scores);
    __syncthreads();
    float largest, sum;
    sum_products(scores, first, end, &largest, &sum);
    for (u32 column = threadIdx.x; column < columns; column += 128) {
        float mean = 0.f;
        for (u32 at = first; at < end; at++) mean += expf(scores[at] - largest) / sum * wide(rows[(u64)at * columns + column]);
        out[(u64)blockIdx.x * columns + column] = narrow(mean);
    }
}

// The slopes of the queries; those of the rows are added to what is there.
extern "C" __global__ void pool_by_query_back(
    const real* queries, const real* rows, const u32* starts, const real* slopes, u32 columns, float* scores, float* along,
    real* of_queries, real* of_rows
) {
    u32 first = starts[blockIdx.x], end = starts[blockIdx.x + 1];
    const real* query = queries + (u64)blockIdx.x * columns;
    const real* slope = slopes + (u64)blockIdx.x * columns;
    products(rows, first, end, query, columns, scores);
    products(rows, first, end, slope, columns, along);
    __syncthreads();
    float largest, sum, mean = 0.f;
    sum_products(scores, first, end, &largest, &sum);
    for (u32 at = first; at < end; at++) mean += expf(scores[at] - largest) / sum * along[at];
    for (u32 column = threadIdx.x; column < columns; column += 128) {
        float own = wide(query[column]), of_mean = wide(slope[column]), of_query = 0.f;
        for (u32 at = first; at < end; at++) {
            u64 place = (u64)at * columns + column;
            float weight = expf(scores[at] - largest) / sum, of_score = weight * (along[at] - mean);
            of_query += of_score * wide(rows[place]);
            of_rows[place] = narrow(wide(of_rows[place]) + weight * of_mean + of_score * own);
        }
        of_queries[(u64)blockIdx.x * columns + column] = narrow(of_query);
    }
}

__device__ __forceinline__ float logistic(float number) { return 1.f / (1.f + expf(-number)); }

// One step of a long short-term memory. A row of gates has those of input, forgetting, cell and output; cells beyond `known` are zero.
// A thread for each cell.
extern "C" __global__ void remember(const real* gates, const real* before, u64 known, u64 count, u32 width, real* states, real* cells) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    const real* own = gates + at / width * 4 * width + at % width;
    float old = at < known ? wide(before[at]) : 0.f;
    float cell = logistic(wide(own[width])) * old + logistic(wide(own[0])) * tanhf(wide(own[2 * (u64)width]));
    cells[at] = narrow(cell);
    states[at] = narrow(logistic(wide(own[3 * (u64)width])) * tanhf(cell));
}

// The slopes of the gates and of the cells before them. Slopes of cells beyond `sloping` are zero.
extern "C" __global__ void remember_back(
    const real* gates, const real* before, u64 known, const real* of_states, const real* of_cells, u64 sloping, u64 count, u32 width,
    real* of_gates, real* of_before
) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    u64 place = at / width * 4 * width + at % width;
    float input = logistic(wide(gates[place])), forget = logistic(wide(gates[place + width]));
    float cell_gate = tanhf(wide(gates[place + 2 * (u64)width])), output = logistic(wide(gates[place + 3 * (u64)width]));
    float old = at < known ? wide(before[at]) : 0.f;
    float bent = tanhf(forget * old + input * cell_gate), of_state = wide(of_states[at]);
    float of_cell = (at < sloping ? wide(of_cells[at]) : 0.f) + of_state * output * (1.f - bent * bent);
    of_gates[place] = narrow(of_cell * cell_gate * input * (1.f - input));
    of_gates[place + width] = narrow(of_cell * old * forget * (1.f - forget));
    of_gates[place + 2 * (u64)width] = narrow(of_cell * input * (1.f - cell_gate * cell_gate));
    of_gates[place + 3 * (u64)width] = narrow(of_state * bent * output * (1.f - output));
    of_before[at] = narrow(of_cell * forget);
}

// The loss of every row, and the slopes in the place of the scores. A block for each row.
extern "C" __global__ void cross_entropy(real* scores, const u32* classes, u32 columns, float share, float* losses) {
    __shared__ float shared[8];
    real* own = scores + (u64)blockIdx.x * columns;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float largest = -INFINITE;
    for (u32 at = threadIdx.x; at < columns; at += 256) largest = fmaxf(largest, wide(own[at]));
    largest = largest_of_warp(largest);
    if (lane == 0) shared[warp] = largest;
    __syncthreads();
    for (int i = 0; i < 8; i++) largest = fmaxf(largest, shared[i]);
    __syncthreads();
    float sum = 0.f;
    for (u32 at = threadIdx.x; at < columns; at += 256) sum += expf(wide(own[at]) - largest);
    sum = sum_of_warp(sum);
    if (lane == 0) shared[warp] = sum;
    __syncthreads();
    sum = 0.f;
    for (int i = 0; i < 8; i++) sum += shared[i];
    u32 correct = classes[blockIdx.x];
    if (threadIdx.x == 0) losses[blockIdx.x] = share * (logf(sum) + largest - wide(own[correct]));
    __syncthreads();
    for (u32 at = threadIdx.x; at < columns; at += 256) {
        float slope = expf(wide(own[at]) - largest) / sum - (at == correct ? 1.f : 0.f);
        own[at] = narrow(share * slope);
    }
}

// The sums of the squares of some numbers each, and then of all.
extern "C" __global__ void sum_squares(const float* numbers, u64 count, double* sums) {
    __shared__ double shared[8];
    double sum = 0.;
    for (u64 at = (u64)blockIdx.x * 256 + threadIdx.x; at < count; at += (u64)gridDim.x * 256) sum += (double)numbers[at] * numbers[at];
    for (int offset = 16; offset; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++) sum += shared[i];
        sums[blockIdx.x] = sum;
    }
}

// What all gradients are multiplied with, so that together they are not too long. One warp.
extern "C" __global__ void clip(const double* sums, u32 count, float longest, float* factor) {
    double sum = 0.;
    for (u32 at = threadIdx.x; at < count; at += 32) sum += sums[at];
    for (int offset = 16; offset; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    float length = (float)sqrt(sum);
    if (threadIdx.x == 0) *factor = length > longest ? longest / (length + 1e-6f) : 1.f;
}

// One step of AdamW; the gradients become zero.
extern "C" __global__ void adam(float* weights, float* gradients, float* first, float* second, real* shadow, u64 count, u64 decaying,
                                const float* factor, float rate, float first_decay, float second_decay, float epsilon, float weight_decay,
                                float first_correction, float second_correction) {
    u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    float slope = gradients[at] * *factor, weight = weights[at];
    gradients[at] = 0.f;
    float mean = first_decay * first[at] + (1.f - first_decay) * slope;
    float square = second_decay * second[at] + (1.f - second_decay) * slope * slope;
    first[at] = mean;
    second[at] = square;
    if (at < decaying) weight -= rate * weight_decay * weight;
    weight -= rate * (mean / first_correction) / (sqrtf(square / second_correction) + epsilon);
    weights[at] = weight;
    shadow[at] = narrow(weight);
}
