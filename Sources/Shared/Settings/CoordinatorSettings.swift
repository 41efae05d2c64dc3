package import TintypeCore
package import TintypeTransport
import TintypeImages
package import TintypeQueue
import TintypeStores

/// The settings of the core of `tintype-coordinator`. Features bring theirs.
package struct CoordinatorSettings: Sendable {
    package var common = SharedSettings()
    /// The address for JSON-RPC.
    package var listen = SocketAddress.tcp(host: "127.0.0.1", port: 7411)
    /// The address for HTTP.
    package var http = SocketAddress.tcp(host: "127.0.0.1", port: 7412)
    /// The most bytes of results in memory; 0 keeps none.
    package var memoryCache = 100 << 20
    /// The most results in memory.
    package var memoryCacheCount = 100_000
    /// The part of both limits that a removal for lack of room leaves, in percent.
    package var memoryCacheLow = 60
    /// The longest time for a result in memory.
    package var memoryCacheAge = Duration.seconds(86_400)
    /// The resident bytes above which the results in memory are dropped; nil: only the kernel's limits count.
    package var memoryPressure: Int?
    /// A second place of results, searched after the first; nil: none.
    package var resultsFallback: String?
    /// A file of tokens that authenticate clients; nil: every client is accepted.
    package var tokenFile: String?
    /// The wrong tokens within a minute after which no token of an address is looked at; 0: any number.
    package var maxWrongTokens = 100
    /// Whether metrics show the names of the token file.
    package var metricsNames = false
    /// Whether addresses that other machines can reach need no token.
    package var isOpen = false
    /// A file of rules for URLs.
    package var rules: String?
    /// The most queued fetches of a queue without a limit of its own.
    package var maxQueued = 100_000
    /// The way of the events for any program; nil: sharded in a Redis Cluster, plain elsewhere.
    package var publicChannels: PublicChannels?
    /// The bytes in Redis above which new requests are refused; nil: seven eighths of the limit of Redis.
    package var maxQueueBytes: Int?
    /// How accepted requests wait for replicas of Redis.
    package var durable = DurableSettings()
    /// The longest timeout of a request: for connecting, for silence, and for the whole download.
    package var maxTimeout = Duration.seconds(120)
    /// The longest deadline of a request.
    package var maxDeadline = Duration.seconds(600)
    /// The most open connections for JSON-RPC; the same number again for HTTP.
    package var connections = ConnectionLimits.usual
    /// The proxies in front.
    package var proxies = ProxySettings()

    package init() {}

    /// - Throws: `SettingError` if other machines could reach a port without a token, and no setting allows this.
    package func checkExposure() throws(SettingError) {
        guard tokenFile == nil, !isOpen else { return }
        for (flag, address) in [("--listen", listen), ("--http", http)] where !address.isLocal {
            throw SettingError(
                "\(flag) \(address) is open to other machines without a token. Name a file of tokens with --token-file PATH (one line of `openssl rand -hex "
                    + "32` is enough). Or use --open: everybody who reaches the address may then do everything")
        }
    }

    package static var settings: [Setting<CoordinatorSettings>] {
        own.adding(ProxySettings.settings, at: \.proxies, behind: "http").adding(DurableSettings.settings, at: \.durable, behind: "max-connections-per-address")
    }

    private static var own: [Setting<CoordinatorSettings>] {
        [
            Setting("listen", \.listen, .listenAddress, help: "The address for JSON-RPC. Port 0 lets the kernel choose."),
            Setting(
                "http", \.http, .address, help: "The address for images, health, metrics and JSON-RPC over HTTP. Port 0 lets the kernel choose."),
            Setting(
                "memory-cache", \.memoryCache, .size(),
                help: "The most bytes of finished images in memory; 0 keeps none. When the memory is full, the least recently used images go until "
                    + "--memory-cache-low is left."),
            Setting(
                "memory-cache-count", \.memoryCacheCount, .count(1...10_000_000),
                help: "The most finished images in memory. When the number is reached, --memory-cache-low applies too."),
            Setting(
                "memory-cache-low", \.memoryCacheLow, .count(10...100),
                help: "The percentage of both limits that a removal for lack of room leaves. A larger image is not kept in memory."),
            Setting(
                "memory-cache-age", \.memoryCacheAge, .duration(.seconds(1) ... .seconds(31_536_000)),
                help: "The longest time for a finished image in memory, even while it is fresh."),
            Setting(
                "memory-pressure", optional: \.memoryPressure, .size(atLeast: 1 << 20), defaultNote: "the limits of the control group",
                help: "The resident memory above which the coordinator drops the finished images in memory. It also drops them near the limit of its "
                    + "control group, and while processes wait for memory; see caching.md."),
            Setting(
                "results-fallback", optional: \.resultsFallback, .resultsURL, defaultNote: "nowhere",
                help: "A second place of results, in the form of --results. It is searched after the first place and never written. For the results of an "
                    + "older "
                    + "service, or for prepared ones; see caching.md."),
            Setting(
                "token-file", optional: \.tokenFile, .file { path throws(SettingError) in _ = try AccessTokens.read(path) },
                defaultNote: "every client is accepted",
                help: "A file of tokens, one a line. Clients authenticate with one of them: session.authenticate, or over HTTP Authorization: Bearer. After "
                    + "a token "
                    + "may come role=load|put|admin, scope=…, queue=…, name=… and certificate=…, and the limits of the name: perSecond=…, burst=…, running=…, "
                    + "queued=… and uploads=…; see access.md. Read again at SIGHUP."),
            Setting(
                "max-wrong-tokens", \.maxWrongTokens, .count(0...1_000_000),
                help: "The most wrong tokens of one IPv4 address or one IPv6 /64 within a minute. After that, no token of the address is looked at until the "
                    + "minute is over; 0 stands for any number. A proxy in front counts as one address, unless --trusted-proxies names it."),
            Setting(
                "metrics-names", \.metricsNames, .isOn,
                help: "Shows each name of the token file in /metrics, which needs no token. Without the setting, all names are counted together, as *."),
            Setting(
                "open", \.isOpen, .isOn,
                help: "Allows addresses that other machines can reach, without tokens. Everybody who reaches them may then do everything."),
            Setting(
                "rules", optional: \.rules, .file { path throws(SettingError) in _ = try Rules.read(path) }, defaultNote: "none",
                help: "A file of rules for URLs (rules.md), the same for all coordinators. Rules set headers, request options, keys and limits, change "
                    + "URLs and responses, and deny access. Read again at SIGHUP."),
            Setting(
                "max-queued", \.maxQueued, .count(1...10_000_000),
                help: "The most waiting fetches of a queue; further requests fail with overloaded. queue.configure sets another limit for one queue."),
            Setting(
                "max-queue-bytes", optional: \.maxQueueBytes, .size(atLeast: 1 << 20), defaultNote: "seven eighths of the limit of Redis",
                help: "The bytes in the queue's Redis above which new requests fail with overloaded. The limit of Redis is its maxmemory, or "
                    + "three quarters of its machine's memory without one. The remainder is for requests that run already."),
            Setting(
                "public-channels", optional: \.publicChannels, .choice, defaultNote: "sharded in a Redis Cluster, plain elsewhere",
                help: "How Redis sends the events that any program may read (redis.md). With plain, PUBLISH sends them, in a cluster to all servers. "
                    + "With sharded, SPUBLISH sends them within the server of a queue, and SSUBSCRIBE reads them. The same for all coordinators: the last "
                    + "one to connect decides for all queues."),
            Setting(
                "max-timeout", \.maxTimeout, .duration(.seconds(1) ... .seconds(86_400)),
                help: "The longest of each fetch.timeouts; a request with more is refused. Defaults above the limit are cut to it for the request's own "
                    + "source."),
            Setting(
                "max-deadline", \.maxDeadline, .duration(.seconds(1) ... .seconds(86_400)),
                help: "The longest deadline; a request with more is refused. A request without a deadline has 30 s in any case."),
            Setting(
                "max-connections", \.connections.total, .count(1...1_000_000),
                help: "The most open connections of JSON-RPC, and again as many of HTTP. A further one is closed at once, over HTTP with 503. "
                    + "The default is cut to the limit of open files."),
            Setting(
                "max-connections-per-address", \.connections.perAddress, .count(1...1_000_000),
                help: "The most open connections of one IPv4 address or one IPv6 /64, this machine's included. A proxy in front counts as one address, "
                    + "unless --trusted-proxies names it. "
                    + "The default is cut to the limit of open files."),
        ]
    }
}
