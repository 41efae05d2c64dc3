package import TintypeCore
import TintypeImages
package import TintypeQueue
import TintypeStores
package import TintypeTransport

/// The settings that coordinators and workers share.
package struct SharedSettings: Sendable {
    /// The Redis of the queue. May hold a password: show it through `RedactedURL` only.
    package var redis = "redis://127.0.0.1:6379"
    /// A file with the password of that Redis; nil: the password in the URL, if there is one.
    package var redisPasswordFile: String?
    /// A file with the password of the sentinels of that Redis; nil: the one in the URL, if there is one.
    package var sentinelPasswordFile: String?
    /// The authorities that vouch for a Redis of `rediss:`, `sentinels:` or `clusters:`; nil: those of the system. The same for the queue and the stores.
    package var redisAuthorities: String?
    /// The certificate that is shown to a Redis of `rediss:`, and its key; nil: none.
    package var redisCertificate: String?
    package var redisKey: String?
    /// The certificate of the ports for clients and of the workers' health, and its key; nil: the ports speak no TLS.
    package var tlsCertificate: String?
    package var tlsKey: String?
    /// The authorities that vouch for clients; nil: clients are asked for no certificate.
    package var tlsClientAuthorities: String?
    /// Whether clients have to show a certificate, if there are such authorities.
    package var tlsClients = TLSClients.required
    /// A file with the secret for keys of sources and results; nil: keys are plain digests. Coordinators and workers need the same.
    package var keySecretFile: String?
    /// How long a run belongs to its worker, and groups and receipts to their coordinator, without a heartbeat. Coordinators and workers need the same.
    package var lease = QueueTimes.standard.lease
    /// The store of results; nil: the Redis of the queue. Coordinators and workers must name the same.
    package var results: String?
    /// The store of sources; nil: that of the results.
    package var sources: String?
    /// Address ranges (CIDR) that downloads may reach beside public addresses.
    package var allowAddresses: [String] = []
    /// The prefixes (CIDR) of the operator's NAT64.
    package var translatedAddresses: [String] = []
    /// Whether a request may accept any certificate.
    package var allowInvalidTLS = false
    /// The folder of `file:` URLs; nil: such URLs are denied.
    package var fileRoot: String?
    /// The font families for text. If `sans` is not among them, the first one replaces it.
    package var fonts = Text.usualFonts
    /// Host names for HTTP without tokens, beside addresses.
    package var hostNames: [String] = []
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.logfmt

    package init() {}

    /// Puts the passwords of `redisPasswordFile` and `sentinelPasswordFile` into `redis`, and forgets the files. Call it once, before anything connects.
    /// - Throws: `SettingError` for a file that cannot be read or is empty, for two passwords, and for sentinels that the URL does not have.
    package mutating func takeRedisPassword() throws(SettingError) {
        if let path = redisPasswordFile {
            redis = try Self.adding(path, otherwise: "--redis-password-file: the URL of --redis has a password already; remove one of the two") {
                password throws(RedisError) in try RedisURL.text(redis, password: password)
            }
            redisPasswordFile = nil
        }
        if let path = sentinelPasswordFile {
            let objection = "--sentinel-password-file: the URL of --redis names no sentinels, or has their password already; remove one of the two"
            redis = try Self.adding(path, otherwise: objection) { password throws(RedisError) in
                try RedisURL.text(redis, sentinelPassword: password)
            }
            sentinelPasswordFile = nil
        }
    }

    /// Returns the URL that `add` makes with the password of a file.
    /// - Throws: `objection` if there is none.
    private static func adding(
        _ path: String, otherwise objection: String, _ add: (String) throws(RedisError) -> String?
    ) throws(SettingError) -> String {
        let password = String(try ConfigurationFile.read(path).trimmed)
        guard !password.isEmpty else { throw SettingError("\(path): expected a password") }
        let url: String?
        do throws(RedisError) { url = try add(password) } catch { throw SettingError("--redis: \(error)") }
        guard let url else { throw SettingError(objection) }
        return url
    }

    /// The files for a Redis of `rediss:`, `sentinels:` or `clusters:`.
    package var redisTLS: TLSClientFiles { TLSClientFiles(authorities: redisAuthorities, certificate: redisCertificate, key: redisKey) }

    /// Returns the files for the ports; nil if they speak no TLS.
    /// - Throws: `SettingError` for a setting that needs another one.
    package func tlsFiles() throws(SettingError) -> TLSServerFiles? {
        guard (redisCertificate == nil) == (redisKey == nil) else { throw SettingError("--redis-cert and --redis-key need each other: name both files") }
        switch (tlsCertificate, tlsKey) {
        case (let certificate?, let key?):
            return TLSServerFiles(certificate: certificate, key: key, clientAuthorities: tlsClientAuthorities, clients: tlsClients)
        case (nil, nil):
            guard tlsClientAuthorities == nil else { throw SettingError("--tls-client-ca needs --tls-cert and --tls-key: without them there is no TLS") }
            return nil
        case (_?, nil), (nil, _?): throw SettingError("--tls-cert and --tls-key need each other: name both files")
        }
    }

    /// The URL of `results`, or its default.
    package var resultsURL: String { results ?? redis }
    /// The URL of `sources`, or its default.
    package var sourcesURL: String { sources ?? resultsURL }

    /// The addresses that downloads and callbacks may reach.
    package var addressPolicy: AddressPolicy {
        AddressPolicy(allowing: allowAddresses.compactMap { AddressRange($0) }, translating: translatedAddresses.compactMap { AddressRange($0) })
    }

    /// The times that follow from the lease.
    package var times: QueueTimes { QueueTimes(lease: lease) }

    /// The logger of a program that runs with these settings.
    package func logger(_ label: String) -> Logger {
        Logger(label: label, level: logLevel, format: logFormat)
    }

    package static var settings: [Setting<SharedSettings>] {
        [
            Setting(
                "redis", \.redis, .redisURL,
                help: "The Redis of the queue: redis://[user[:password]@]host[:port][/db][?timeout=5s] or unix:///path/to.sock[?db=N&timeout=5s]. "
                    + "rediss:// speaks TLS, and checks the host's certificate. timeout is the longest wait for an answer. "
                    + "Sentinels are asked for the primary of a name by sentinel://[user[:password]@]host[:port],host[:port]…/name[/db], over TLS by sentinels://. "
                    + "A Redis Cluster is cluster://[user[:password]@]host[:port],host[:port]…, over TLS clusters://; some of its servers are enough. "
                    + "Every user of the machine can read a command line: put a password into TINTYPE_REDIS, --config or --redis-password-file."),
            Setting(
                "redis-password-file", optional: \.redisPasswordFile, .file(), defaultNote: "the one in the URL",
                help: "A file with the password for --redis, for a URL without one. Also used for results and sources in that Redis by default."),
            Setting(
                "sentinel-password-file", optional: \.sentinelPasswordFile, .file(), defaultNote: "the one in the URL",
                help: "A file with the password of the sentinels, for a URL of sentinel:// in --redis. Their user, if they have one, is the option "
                    + "sentinelUser of the URL. User and password before the hosts are those of the Redis."),
            Setting(
                "redis-ca", optional: \.redisAuthorities, .file { path throws(SettingError) in try CertificateFile.check(path) },
                defaultNote: "the system's",
                help:
                    "A PEM file of the only certificate authorities that vouch for a Redis of rediss://, sentinels:// or clusters://, also for results and sources. Read "
                    + "at each connection."),
            Setting(
                "redis-cert", optional: \.redisCertificate, .file { path throws(SettingError) in try CertificateFile.check(path) }, defaultNote: "none",
                help: "A PEM file with the certificate to show to a Redis of rediss://, intermediate ones after it. Read at each connection."),
            Setting(
                "redis-key", optional: \.redisKey, .file { path throws(SettingError) in try CertificateFile.checkKey(path) }, defaultNote: "none",
                help: "A PEM file with the private key of --redis-cert, without a passphrase. Read at each connection."),
            Setting(
                "tls-cert", optional: \.tlsCertificate, .file { path throws(SettingError) in try CertificateFile.check(path) },
                defaultNote: "the ports speak no TLS",
                help: "A PEM file with the certificate of the ports for clients and of a worker's health, intermediate ones after it. The ports then speak "
                    + "TLS only; a Unix socket stays as it is. Read again at SIGHUP, and within 30 s of a change."),
            Setting(
                "tls-key", optional: \.tlsKey, .file { path throws(SettingError) in try CertificateFile.checkKey(path) },
                defaultNote: "the ports speak no TLS",
                help: "A PEM file with the private key of --tls-cert, without a passphrase. Read again as that."),
            Setting(
                "tls-client-ca", optional: \.tlsClientAuthorities, .file { path throws(SettingError) in try CertificateFile.check(path) },
                defaultNote: "clients are asked for no certificate",
                help: "A PEM file of the certificate authorities that vouch for clients. Read again as --tls-cert."),
            Setting(
                "tls-client", \.tlsClients, .choice,
                help: "Whether clients have to show a certificate of --tls-client-ca: required, or optional. An invalid certificate is refused in any case. "
                    + "Probes and scrapers of metrics are clients too."),
            Setting(
                "key-secret-file", optional: \.keySecretFile, .file { path throws(SettingError) in _ = try KeySecret.read(path) },
                defaultNote: "keys are plain digests",
                help: "A file with a secret of 32 bytes or more, the same for coordinators and workers. Keys of sources and results are then HMACs that "
                    + "nobody can compute from a URL. A change of the secret empties the caches."),
            Setting(
                "lease", \.lease, .duration(.seconds(1) ... .seconds(600)),
                help:
                    "How long a silent worker keeps its runs, and a silent coordinator its groups and receipts, before another one gets them. The same for "
                    + "coordinators "
                    + "and workers. A shorter lease recovers sooner from a crash; a longer one survives longer stalls of Redis."),
            Setting(
                "results", optional: \.results, .resultsURL,
                defaultNote: "the Redis of --redis",
                help:
                    "The store of finished images, the same for coordinators and workers: a Redis, file:///folder[?maxBytes=10GiB&…] or "
                    + "s3://bucket/prefix[?endpoint=…&region=…]; see stores.md."
            ),
            Setting(
                "sources", optional: \.sources, .resultsURL,
                defaultNote: "the place of --results",
                help: "The store of downloaded sources. At the place of the results, sources are kept apart; limits apply to each separately."),
            Setting(
                "allow-addresses", \.allowAddresses, .addressRanges, defaultNote: "none",
                help: "Address ranges that downloads and callbacks may reach beside public addresses, for servers in your own network."),
            Setting(
                "nat64-prefix", \.translatedAddresses, .translatedRanges, defaultNote: "none",
                help: "The prefixes of a NAT64 in your own network (RFC 6052). An address with such a prefix is refused if the IPv4 address inside is refused. "
                    + "64:ff9b::/96 always counts."),
            Setting(
                "allow-invalid-tls", \.allowInvalidTLS, .isOn,
                help: "Allows requests to set fetch.tls.allowInvalid, which accepts any certificate. Coordinators and workers both need the setting."),
            Setting(
                "file-root", optional: \.fileRoot, .path, defaultNote: "file: URLs are denied",
                help: "The folder of file: URLs, which cannot leave it. Coordinators need the setting to accept such URLs, workers to read them."),
            Setting(
                "fonts", \.fonts, .fontNames,
                help: "The font families for text, by their names in fontconfig. Coordinators let requests name these; workers must have "
                    + "them installed. At most ten faces are used; see fonts.md."),
            Setting(
                "host-names", \.hostNames, .hostNames, defaultNote: "none",
                help:
                    "Host names that HTTP accepts without tokens, and for clients with a certificate: a host, .domain for all hosts below it, or *. "
                    + "Addresses, localhost and names without a dot are always accepted. Another name could be one that a web page leads to this server."),
            Setting("log-level", \.logLevel, .choice, help: "The lowest level of log lines to write."),
            Setting("log-format", \.logFormat, .choice, help: "The format of log lines on standard error."),
        ]
    }
}
