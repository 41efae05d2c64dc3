package import TintypeCore
import TintypeTransport
import TintypeImages
package import TintypeQueue
import TintypeStores

/// What the coordinator and the worker both take.
package struct SharedSettings: Sendable {
    /// The Redis of the queue. May hold a password: show it through `RedactedURL` only.
    package var redis = "redis://127.0.0.1:6379"
    /// A file with the password of that Redis; nil: the one in the URL, if any.
    package var redisPasswordFile: String?
    /// A file with the secret that makes keys of sources and results; nil: they are plain digests. Coordinators and workers need the same.
    package var keySecretFile: String?
    /// How long a run is its worker's, and groups and receipts are their coordinator's, without a heartbeat. Coordinators and workers need the same.
    package var lease = QueueTimes.standard.lease
    /// Where results are kept; nil: in the Redis of the queue. Coordinator and workers must name the same place.
    package var results: String?
    /// Where sources are kept; nil: at the same place.
    package var sources: String?
    /// Address ranges (CIDR) that downloads may reach besides public addresses.
    package var allowAddresses: [String] = []
    /// Whether a request may ask for any certificate to do.
    package var allowInvalidTLS = false
    /// The folder that `file:` URLs lead into; nil: they are denied.
    package var fileRoot: String?
    /// The families that text may be drawn with; the first is taken for `sans` if that is none of them.
    package var fonts = ["sans", "serif", "monospace"]
    /// Names that HTTP answers to, besides addresses, where it asks for no token.
    package var hostNames: [String] = []
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.logfmt

    package init() {}

    /// Puts the password of `redisPasswordFile` into `redis`, and forgets the file. To be called once, before anything connects.
    /// - Throws: `SettingMistake` for a file that cannot be read or is empty, and for two passwords.
    package mutating func takeRedisPassword() throws(SettingMistake) {
        guard let path = redisPasswordFile else { return }
        let password = String(try ConfigurationFile.read(path).trimmed)
        guard !password.isEmpty else { throw SettingMistake("\(path): expected a password") }
        let url: String?
        do throws(RedisError) {
            url = try RedisEndpoint.url(redis, password: password)
        } catch {
            throw SettingMistake("--redis: \(error)")
        }
        guard let url else { throw SettingMistake("--redis-password-file: the URL of --redis has a password already") }
        redis = url
        redisPasswordFile = nil
    }

    /// `results`, or its default.
    package var resultsURL: String { results ?? redis }
    /// `sources`, or its default.
    package var sourcesURL: String { sources ?? resultsURL }

    /// All times that follow from the lease.
    package var times: QueueTimes { QueueTimes(lease: lease) }

    /// The logger of a program that runs with these settings.
    package func logger(_ label: String) -> Logger {
        Logger(label: label, level: logLevel, format: logFormat)
    }

    static var settings: [Setting<SharedSettings>] {
        [
            Setting(
                "redis", \.redis, .redisURL,
                help: "The Redis that holds the queue: redis://[user[:password]@]host[:port][/db][?timeout=5s] or unix:///path/to.sock[?db=N&timeout=5s]; "
                    + "timeout is how long an answer may take. "
                    + "Everybody on the machine can read a command line: a password goes into TINTYPE_REDIS, --config or --redis-password-file."),
            Setting(
                "redis-password-file", optional: \.redisPasswordFile, .file(), defaultNote: "the one in the URL",
                help: "A file with the password for --redis, for a URL without one. Also goes for results and sources that are kept there by default."),
            Setting(
                "key-secret-file", optional: \.keySecretFile, .file { path throws(SettingMistake) in _ = try KeySecret.read(path) },
                defaultNote: "keys are plain digests",
                help: "A file with a secret of 32 bytes or more, the same for coordinators and workers: keys of sources and results are then an HMAC that "
                    + "nobody can compute from a URL. Changing it empties the caches."),
            Setting(
                "lease", \.lease, .duration(.seconds(1) ... .seconds(600)),
                help:
                    "How long runs stay with a worker, and groups and receipts with a coordinator, that is silent; then another one has them. The same for coordinators "
                    + "and workers. A shorter lease makes up for a crash sooner, a longer one bears longer stalls of Redis."),
            Setting(
                "results", optional: \.results, .resultsURL,
                defaultNote: "the Redis of --redis",
                help:
                    "Where finished images are kept, the same for coordinators and workers: a Redis, file:///folder[?maxBytes=10GiB&…] or s3://bucket/prefix[?endpoint=…&region=…]: see Results and sources."
            ),
            Setting(
                "sources", optional: \.sources, .resultsURL,
                defaultNote: "the place of --results",
                help: "Where sources are kept as they came, apart from results at the same place; limits hold for each by itself."),
            Setting(
                "allow-addresses", \.allowAddresses, .addressRanges, defaultNote: "none",
                help: "Address ranges downloads and callbacks may reach besides public addresses, for servers inside your own network."),
            Setting(
                "allow-invalid-tls", \.allowInvalidTLS, .isOn,
                help: "Lets requests say fetch.tls.allowInvalid: any certificate will do then. Coordinators and workers both need it."),
            Setting(
                "file-root", optional: \.fileRoot, .path, defaultNote: "file: URLs are denied",
                help: "file: URLs are paths below this folder and cannot leave it. Coordinators need it to let them in, workers to read them."),
            Setting(
                "fonts", \.fonts, .fontNames,
                help: "The font families that text may be drawn with, as fontconfig knows them. Coordinators let requests name these, workers have to have "
                    + "them installed; ten faces are used at most: see Fonts."),
            Setting(
                "host-names", \.hostNames, .hostNames, defaultNote: "none",
                help:
                    "Names by which HTTP may be asked where it asks for no token: hosts, .domains for all below, or *. Addresses, localhost and names without "
                    + "a dot always may be; another name could be one that a page of the web has lead here."),
            Setting("log-level", \.logLevel, .choice, help: "The least important lines that are written."),
            Setting("log-format", \.logFormat, .choice, help: "How log lines on standard error look."),
        ]
    }
}
