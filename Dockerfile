# Allotrope with the compilers and interpreters that `verify` and `--validity run` need, and with Parquet.
#
#   docker build -t allotrope .
#   docker run --rm -v "$PWD:/data" -w /data allotrope attack --help
#
# Programs are confined by landlock or user namespaces, as the kernel of the host and the security options of the container allow; where
# neither is allowed, allotrope says so and runs nothing.
FROM rust:1-bookworm AS build
WORKDIR /allotrope
COPY . .
RUN cargo build --release --package allotrope --features parquet

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates g++ gcc nodejs openjdk-17-jdk-headless python3 tcc \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /allotrope/target/release/allotrope /usr/local/bin/allotrope
ENTRYPOINT ["allotrope"]
