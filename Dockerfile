# One image for both servers and the command line.
#   docker build -t tintype .
#   docker run --rm tintype tintype-coordinator --help
# Debian 13 rather than 12 for what it ships: libvips 8.16 shrinks a JPEG 1.3–1.5 times as fast as 8.14.

# The toolchain is published for Debian 12; its files run on 13 as they are.
FROM docker.io/library/swift:6.3-bookworm AS toolchain

FROM docker.io/library/debian:trixie-slim AS build
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
COPY Tests Tests
RUN for product in tintype tintype-coordinator tintype-worker; do \
        /opt/swift/usr/bin/swift build -c release --static-swift-stdlib --product "$product" || exit 1; \
    done \
    && mkdir /out && cp .build/release/tintype .build/release/tintype-coordinator .build/release/tintype-worker /out/ \
    && strip /out/*

FROM docker.io/library/debian:trixie-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        libvips42t64 libexpat1 libaom3 libzimg2 libdeflate0 libhiredis1.1.0 libcurl4t64 libevent-2.1-7t64 libevent-openssl-2.1-7t64 libevent-pthreads-2.1-7t64 libseccomp2 libssl3t64 \
        libjemalloc2 libheif-plugin-aomdec libheif-plugin-aomenc libheif-plugin-dav1d libheif-plugin-libde265 libheif-plugin-x265 curl ca-certificates \
        fontconfig fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* \
    # Loaders that we never call are better not there at all.
    && rm -f /usr/lib/*/vips-modules-*/vips-magick.so /usr/lib/*/vips-modules-*/vips-poppler.so /usr/lib/*/vips-modules-*/vips-openslide.so \
    # A layer keeps no fractions of seconds, by which the cache of fonts would be out of date, and nobody here could write it anew.
    && find /usr/share/fonts /usr/local/share/fonts -type d -exec touch -d @1700000000 {} + && fc-cache -sf \
    && ln -s "$(find /usr/lib -name libjemalloc.so.2)" /usr/local/lib/libjemalloc.so.2 \
    && useradd --system --uid 10001 --create-home --home-dir /var/lib/tintype tintype \
    && install -d -o tintype -g tintype /var/lib/tintype/results \
    && install -d -m 755 -o tintype -g tintype /var/lib/tintype/secrets /var/lib/tintype/worker-secrets /var/lib/tintype/redis-secrets /var/lib/tintype/sentinel-secrets
COPY --from=build /out/ /usr/local/bin/
COPY deploy/start deploy/secrets deploy/users.acl deploy/replica.conf deploy/sentinel.conf /usr/local/lib/tintype/
# glibc's malloc keeps the peak of every picture; jemalloc gives it back.
ENV LD_PRELOAD=/usr/local/lib/libjemalloc.so.2
USER tintype
WORKDIR /var/lib/tintype
EXPOSE 7411 7412
# A coordinator makes a token at its first start, unless TINTYPE_TOKEN_FILE names one or TINTYPE_OPEN=true says that none is asked for.
VOLUME /var/lib/tintype/secrets
ENTRYPOINT ["/usr/local/lib/tintype/start"]
CMD ["tintype-coordinator", "--listen", "0.0.0.0:7411", "--http", "0.0.0.0:7412"]
