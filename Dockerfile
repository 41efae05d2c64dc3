# One image for both servers and the command line.
#   docker build -t tintype .
#   docker run --rm tintype tintype-coordinator --help
# Debian 13 rather than 12 for what it ships: libvips 8.16 shrinks a JPEG 1.3–1.5 times as fast as 8.14.

# Both names move on with each update of Debian. Pin what you have tested: --build-arg DEBIAN=docker.io/library/debian@sha256:DIGEST
ARG DEBIAN=docker.io/library/debian:trixie-slim
ARG SWIFT=docker.io/library/swift:6.3-bookworm

# The toolchain is published for Debian 12; its files run on 13 as they are.
FROM $SWIFT AS toolchain

FROM $DEBIAN AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        libvips-dev libfontconfig-dev libexpat1-dev libzimg-dev libjpeg62-turbo-dev libdav1d-dev libaom-dev libwebp-dev libdeflate-dev libhiredis-dev libcurl4-openssl-dev libevent-dev libseccomp-dev libssl-dev \
        libstdc++-14-dev libgcc-14-dev libxml2 libncurses6 libedit2 libsqlite3-0 zlib1g-dev binutils ca-certificates git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=toolchain /usr/bin /opt/swift/usr/bin
COPY --from=toolchain /usr/lib/swift /opt/swift/usr/lib/swift
COPY --from=toolchain /usr/lib/swift_static /opt/swift/usr/lib/swift_static
COPY --from=toolchain /usr/lib/clang /opt/swift/usr/lib/clang
COPY --from=toolchain /usr/share/swift /opt/swift/usr/share/swift
COPY --from=toolchain /usr/libexec /opt/swift/usr/libexec
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
COPY Benchmarks/loadgen Benchmarks/loadgen
COPY Benchmarks/origin Benchmarks/origin
COPY clients/swift/Sources clients/swift/Sources
COPY Tests Tests
RUN /opt/swift/usr/bin/swift build -c release --static-swift-stdlib --target programs \
    && mkdir /out && cp .build/release/tintype .build/release/tintype-coordinator .build/release/tintype-worker /out/ \
    && strip /out/* \
    && /opt/swift/usr/bin/swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' > /swift-version

# The packages that the programs use, and all that those depend on.
FROM $DEBIAN AS system
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        libvips42t64 libexpat1 libaom3 libzimg2 libdeflate0 libhiredis1.1.0 libcurl4t64 libevent-2.1-7t64 libevent-openssl-2.1-7t64 libevent-pthreads-2.1-7t64 libseccomp2 libssl3t64 \
        libjemalloc2 libheif-plugin-aomdec libheif-plugin-aomenc libheif-plugin-dav1d libheif-plugin-libde265 libheif-plugin-x265 curl ca-certificates \
        fontconfig fonts-dejavu-core fonts-dejavu-mono \
    && groupadd --gid 10001 tintype && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/tintype --shell /usr/sbin/nologin tintype
COPY --from=build /out/ /swift-version /out/
COPY deploy/image deploy/sbom /usr/local/lib/tintype/
# Only files of these packages that are really used go into the image: no ImageMagick, no package manager, no Python (docs/decisions/image.md).
# PDF=yes adds the reader of PDF, poppler with NSS: docker build --build-arg PDF=yes
ARG VERSION=0.2.0
ARG PDF=no
RUN PDF="$PDF" /usr/local/lib/tintype/image /image /out/tintype /out/tintype-coordinator /out/tintype-worker \
    && install -d /image/usr/share/doc/tintype \
    && /usr/local/lib/tintype/sbom /image "$VERSION" "$(cat /out/swift-version)" > /image/usr/share/doc/tintype/sbom.cdx.json \
    && ln -s "$(cd /image && find /usr/lib -name libjemalloc.so.2)" /image/usr/local/lib/libjemalloc.so.2 \
    && install -d -o tintype -g tintype /image/var/lib/tintype /image/var/lib/tintype/results \
    && install -d -m 755 -o tintype -g tintype /image/var/lib/tintype/secrets /image/var/lib/tintype/worker-secrets /image/var/lib/tintype/redis-secrets \
           /image/var/lib/tintype/sentinel-secrets

FROM scratch
COPY --from=system /image/ /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin
# A layer keeps no fractions of seconds, by which the cache of fonts would be out of date, and no user of the image could write it anew.
RUN find /usr/share/fonts -type d -exec touch -d @1700000000 {} + && fc-cache -sf
COPY LICENSE /usr/share/doc/tintype/copyright
COPY deploy/start deploy/secrets deploy/users.acl deploy/replica.conf deploy/sentinel.conf /usr/local/lib/tintype/
# glibc's malloc keeps the peak of every picture; jemalloc gives it back.
ENV LD_PRELOAD=/usr/local/lib/libjemalloc.so.2
# A number, so that Kubernetes can tell that it is not root. Another user can run all programs, but make no secrets in the folder below.
USER 10001
WORKDIR /var/lib/tintype
EXPOSE 7411 7412
# A coordinator makes a token at its first start, unless TINTYPE_TOKEN_FILE names one or TINTYPE_OPEN=true says that clients need none.
VOLUME /var/lib/tintype/secrets
ENTRYPOINT ["/usr/local/lib/tintype/start"]
CMD ["tintype-coordinator", "--listen", "0.0.0.0:7411", "--http", "0.0.0.0:7412"]
# Last, so that a new commit or a new time makes no layer anew. The builder knows the commit, the time and the address of the repository:
#   docker build --build-arg REVISION="$(git rev-parse HEAD)" --build-arg CREATED="$(date -u +%Y-%m-%dT%H:%M:%SZ)" --build-arg SOURCE="$(git remote get-url origin)" .
ARG VERSION=0.2.0
ARG DEBIAN
ARG REVISION=
ARG CREATED=
ARG SOURCE=
LABEL org.opencontainers.image.title="Tintype" \
      org.opencontainers.image.description="Loads, transforms and caches images: coordinator, worker and command line" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.base.name="$DEBIAN"
