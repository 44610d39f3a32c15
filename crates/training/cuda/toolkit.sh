#!/bin/sh
# Everything that a build with `--features cuda` needs on a machine without CUDA, as wheels of PyPI in a folder.
# Prints what to set: eval "$(crates/training/cuda/toolkit.sh FOLDER)"
#
# CUDA_COMPUTE_CAP is the GPU's compute capability without the point: 90 is a Hopper, 80 an A100, 89 an RTX 4090.
set -eu

folder=${1:?usage: toolkit.sh FOLDER}
python3 -m venv "$folder" >&2
"$folder/bin/pip" install --quiet nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 \
    nvidia-cuda-cccl==13.0.85 nvidia-cuda-runtime==13.0.96 nvidia-cuda-nvrtc==13.0.88 nvidia-cublas==13.1.0.3 \
    nvidia-curand==10.4.0.35 >&2
home=$(cd "$folder"/lib/python3*/site-packages/nvidia/cu13 && pwd)

# The wheels have no names without a version, which a linker looks for.
for library in "$home"/lib/lib*.so.*; do
    ln -sf "$(basename "$library")" "${library%%.so.*}.so"
done

# The driver comes with the GPU. Here a library with its functions' names takes its place, for the linker only.
cargo fetch >&2
mkdir -p "$home/lib/stubs"
cat "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/cudarc-*/src/driver/sys/mod.rs | grep -oE 'fn cu[A-Z][A-Za-z0-9_]*' |
    sort -u | sed 's/^fn \(.*\)$/void \1(void) {}/' |
    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -x c -o "$home/lib/stubs/libcuda.so" -

echo "export CUDA_HOME='$home' NVCC='$home/bin/nvcc' CUDARC_CUDA_VERSION=13000 CUDA_COMPUTE_CAP=${CUDA_COMPUTE_CAP:-90}"
echo "export RUSTFLAGS='-L native=$home/lib -L native=$home/lib/stubs'"
