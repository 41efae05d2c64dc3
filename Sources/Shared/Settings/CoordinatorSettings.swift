package import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeStores

/// The settings of `tintype-coordinator`.
package struct CoordinatorSettings: ProgramSettings {
    package var common = SharedSettings()
    /// Where JSON-RPC is served.
    package var listen = SocketAddress.tcp(host: "127.0.0.1", port: 7411)
    /// Where HTTP is served.
    package var http = SocketAddress.tcp(host: "127.0.0.1", port: 7412)
    /// High water of the results kept in memory, in bytes; 0 keeps none.
    package var memoryCache = 100 << 20
    /// The same by number.
    package var memoryCacheCount = 100_000
    /// What a purge leaves of both, in percent.
    package var memoryCacheLow = 60
    /// How long a result is kept in memory at most.
    package var memoryCacheAge = Duration.seconds(86_400)
    /// Resident bytes from which on the results in memory are given up; nil: the kernel's limits are enough.
    package var memoryPressure: Int?
    /// Where results are looked for that the first place does not have; nil: nowhere.
    package var resultsFallback: String?
    /// A file of tokens by which clients are let in; nil: everybody is.
    package var tokenFile: String?
    /// Whether strangers may be served at addresses that other machines reach.
    package var isOpen = false
    /// A file of rules for URLs.
    package var rules: String?
    /// Queued fetches of a queue that was not configured otherwise.
    package var maxQueued = 100_000
    /// Bytes that Redis may hold before new requests are refused; nil: seven eighths of what it may.
    package var maxQueueBytes: Int?
    /// How long connecting, a pause and a whole download of a request may take, each.
    package var maxTimeout = Duration.seconds(120)
    /// How long a request may take from acceptance to result.
    package var maxDeadline = Duration.seconds(600)
    /// How many connections JSON-RPC keeps open, and as many HTTP.
    package var connections = ConnectionLimits.usual
    /// Groups that are driven here at once.
    package var maxGroups = 1000
    /// How long one try of a callback may take.
    package var callbackTimeout = Duration.seconds(10)
    /// The pause after the first try of a callback that failed; each later one is four times as long.
    package var callbackRetry = Duration.seconds(1)
    /// How long work goes on before it is shown as activity.
    package var activityStartDelay = Duration.seconds(1)
    /// How long activity is shown after the last work.
    package var activityEndDelay = Duration.milliseconds(170)

    package init() {}

    /// - Throws: `SettingMistake` where other machines would reach a port without a token, and nobody has said that they may.
    package func checkExposure() throws(SettingMistake) {
        guard tokenFile == nil, !isOpen else { return }
        for (flag, address) in [("--listen", listen), ("--http", http)] where !address.isLocal {
            throw SettingMistake(
                "\(flag) \(address) lets other machines in, and no token is asked for: name a file of tokens with --token-file PATH "
                    + "(one line of `openssl rand -hex 32` will do), or say --open if everybody who reaches it may do everything")
        }
    }

    package static let program = "tintype-coordinator"
    package static let summary = "Takes requests for images, queues them in Redis and hands out progress and results."

    package static var settings: [Setting<CoordinatorSettings>] {
        own + SharedSettings.settings.map { $0.lifted(\.common) }
    }

    static var own: [Setting<CoordinatorSettings>] {
        [
            Setting("listen", \.listen, .listenAddress, help: "Where JSON-RPC is served; port 0 lets the kernel choose."),
            Setting(
                "http", \.http, .address, help: "Where images, health, metrics and JSON-RPC over HTTP are served; port 0 lets the kernel choose."),
            Setting(
                "memory-cache", \.memoryCache, .size(),
                help: "Finished images kept in memory; when it is full the least recently used go until --memory-cache-low of it is left; 0 keeps none."),
            Setting(
                "memory-cache-count", \.memoryCacheCount, .count(1...10_000_000),
                help: "How many finished images are kept in memory at the most; the same goes for them."),
            Setting(
                "memory-cache-low", \.memoryCacheLow, .count(10...100),
                help: "Percent of both that are left when the memory is full. An image that takes more than that is not kept there."),
            Setting(
                "memory-cache-age", \.memoryCacheAge, .duration(.seconds(1) ... .seconds(31_536_000)),
                help: "How long a finished image is kept in memory at most, however long it is fresh."),
            Setting(
                "memory-pressure", optional: \.memoryPressure, .size(atLeast: 1 << 20), defaultNote: "the limits of the control group",
                help: "Resident memory of the coordinator from which on it gives up the finished images in memory. It also does so near the limit of its "
                    + "control group, and where processes wait for memory: see caching.md."),
            Setting(
                "results-fallback", optional: \.resultsFallback, .resultsURL, defaultNote: "nowhere",
                help: "A second place of results, in the form of --results, that is looked into after the first and never written: what an older service has "
                    + "left, or one that was filled beforehand. See caching.md."),
            Setting(
                "token-file", optional: \.tokenFile, .file { path throws(SettingMistake) in _ = try AccessTokens.read(path) },
                defaultNote: "everybody is let in",
                help: "A file of tokens, one a line, of which clients must show one: session.authenticate, over HTTP Authorization: Bearer. Behind a token may "
                    + "stand role=load|put|admin, scope=…, queue=… and name=…: see Who may ask. Read again at SIGHUP."),
            Setting(
                "open", \.isOpen, .isOn,
                help: "Serves at addresses that other machines reach without asking for a token. Everybody who reaches them may do everything then."),
            Setting(
                "rules", optional: \.rules, .file { path throws(SettingMistake) in _ = try Rules.read(path) }, defaultNote: "none",
                help: "A file of rules for URLs, the same for all coordinators: headers, options of requests, base URLs, CDNs, filters, keys, what answers are "
                    + "taken for, what is denied: see rules.md. Read again at SIGHUP."),
            Setting(
                "max-queued", \.maxQueued, .count(1...10_000_000),
                help: "Fetches that may wait in a queue; more are refused as overloaded. queue.configure sets it for one queue, and wins."),
            Setting(
                "max-queue-bytes", optional: \.maxQueueBytes, .size(atLeast: 1 << 20), defaultNote: "seven eighths of what Redis may hold",
                help: "Bytes that the queue's Redis may hold; new requests are refused as overloaded while it holds more. Redis may hold its maxmemory, or "
                    + "without one three quarters of its machine's memory. The rest is for what runs already."),
            Setting(
                "max-timeout", \.maxTimeout, .duration(.seconds(1) ... .seconds(86_400)),
                help: "The longest fetch.timeouts of a request, each; one that asks for more is refused. Where it is shorter than the usual times, those are "
                    + "cut to it for the request's own source."),
            Setting(
                "max-deadline", \.maxDeadline, .duration(.seconds(1) ... .seconds(86_400)),
                help: "The longest deadline of a request; one that asks for more is refused. A request that names none has 30 s in any case."),
            Setting(
                "max-connections", \.connections.total, .count(1...1_000_000),
                help: "Connections that JSON-RPC keeps open, and as many HTTP; one more is closed at once, over HTTP with 503. "
                    + "The usual number is cut to the limit of open files."),
            Setting(
                "max-connections-per-address", \.connections.perAddress, .count(1...1_000_000),
                help: "The same for one IPv4 address or one IPv6 /64, those of this machine included: count what a proxy in front opens. "
                    + "The usual number is cut to the limit of open files."),
            Setting(
                "max-groups", \.maxGroups, .count(1...1_000_000),
                help: "Groups this coordinator drives at once; more are refused as overloaded, and no more are taken over from others."),
            Setting(
                "callback-timeout", \.callbackTimeout, .duration(.milliseconds(100) ... .seconds(120)),
                help: "How long one try of a callback may take, connecting included."),
            Setting(
                "callback-retry", \.callbackRetry, .duration(.milliseconds(1) ... .seconds(600)),
                help: "The pause after the first failed try of a callback, give or take half; each later one is four times as long. Five tries in all."),
            Setting(
                "activity-start-delay", \.activityStartDelay, .duration(.zero ... .seconds(60)),
                help: "How long work has to go on before activity.changed says so; shorter bursts show nothing."),
            Setting(
                "activity-end-delay", \.activityEndDelay, .duration(.zero ... .seconds(60)),
                help: "How long activity is shown after the last work; shorter pauses do not show."),
        ]
    }
}
