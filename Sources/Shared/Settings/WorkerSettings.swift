package import TintypeCore
import TintypeImages
package import TintypeTransport

/// The settings of `tintype-worker`.
package struct WorkerSettings: ProgramSettings {
    package var common = SharedSettings()
    /// The queues served, in turn.
    package var queues = ["default"]
    /// Fetches in flight.
    package var fetches = 32
    /// Pixel processes.
    package var pixels = Cores.usable()
    /// Pictures that one pixel process makes before another takes its place.
    package var pixelReuse = 500
    /// Bytes of downloads, other pictures and results held at once; above it, downloads pause.
    package var memoryBudget = 256 << 20
    /// Bytes a source may have, whatever a request allows.
    package var maxSource = 256 << 20
    /// Width × height of a source or a result, summed over its frames.
    package var maxPixels = PictureBounds.pixels.usual
    /// Pixels that a side of a source or a result may have.
    package var maxSide = PictureBounds.side.usual
    /// Frames of an animation that may be wanted of it.
    package var maxFrames = PictureBounds.frames.usual
    /// How long pixel processes may work on the renditions of one fetch, all together.
    package var maxPixelTime = Duration.seconds(60)
    /// Bytes a second that a body from an origin must come at, on average over half a minute; 0: any rate will do.
    package var minOriginRate = 1 << 10
    /// Where the worker's own health and metrics are served.
    package var http = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    /// How long running work may go on after SIGTERM.
    package var grace = Duration.seconds(25)
    /// How long a source that is no picture, or leads nowhere, is not asked again.
    package var blacklistBroken = Duration.seconds(900)
    /// How long a source that its origin does not have is not asked again.
    package var blacklistMissing = Duration.seconds(60)

    /// A file of certificate authorities that are trusted besides the system's.
    package var tlsAuthorities: String?
    /// A file of the ways in which some origins are met over TLS.
    package var tlsProfiles: String?
    /// A file of keys that sources may be encrypted with.
    package var decryptionKeys: String?
    /// What origins are reached through; may hold a password.
    package var proxy: String?
    /// Hosts that are reached without it.
    package var noProxy: [String] = []

    package init() {}

    package static let program = "tintype-worker"
    package static let summary = "Downloads images from the queue, transforms them and stores the results."

    package static var settings: [Setting<WorkerSettings>] {
        own + SharedSettings.settings.map { $0.lifted(\.common) }
    }

    static var own: [Setting<WorkerSettings>] {
        [
            Setting("queues", \.queues, .queueNames, help: "The queues served, in turn."),
            Setting("fetches", \.fetches, .count(1...4096), help: "Fetches in flight at once."),
            Setting("pixels", \.pixels, .count(1...256), defaultNote: "one per core", help: "Pixel processes: images decoded and encoded at once."),
            Setting(
                "pixel-reuse", \.pixelReuse, .count(1...1_000_000),
                help: "Pictures that one pixel process makes before another takes its place. With 1 no picture shares a process with one before it, "
                    + "whatever that has done to it; each then waits for a process to start."),
            Setting(
                "memory-budget", \.memoryBudget, .size(atLeast: 16 << 20),
                help: "Bytes of downloads, other pictures and results held at once; above it downloads pause until pixels catch up. "
                    + "One source may go beyond it."),
            Setting(
                "max-source", \.maxSource, .size(atLeast: 1 << 20),
                help: "Bytes a source may have, whatever `fetch.maxBytes` of a request allows. One source lies in memory whole, beside the budget."),
            Setting(
                "max-pixels", \.maxPixels, .count(PictureBounds.pixels.allowed),
                help:
                    "Width × height that a source and a result may have, summed over the frames that are wanted: more fails as limitExceeded, named maxPixels. "
                    + "Above the default a pixel process may take as much more memory: 768 MiB at 50 million."),
            Setting(
                "max-side", \.maxSide, .count(PictureBounds.side.allowed),
                help: "Pixels that either side of a source and a result may have; more fails as limitExceeded, named maxSide."),
            Setting(
                "max-frames", \.maxFrames, .count(PictureBounds.frames.allowed),
                help: "Frames that may be wanted of an animation; more fails as limitExceeded, named maxFrames. Requests for its first frame, or for some, are "
                    + "not held to it."),
            Setting(
                "max-pixel-seconds", \.maxPixelTime, .duration(.seconds(1) ... .seconds(3600)),
                help: "How long pixel processes may work on all renditions of one fetch together; those that are not made by then fail as timeout. One picture "
                    + "has at most 20 s of it."),
            Setting(
                "min-origin-rate", \.minOriginRate, .size(),
                help: "Bytes a second that an origin must send at, on average over 30 seconds from its first byte, silence included; a slower one ends as a "
                    + "timeout. Time in which the worker itself holds a download back does not count. 0: any rate will do."),
            Setting("http", \.http, .address, help: "Where this worker's own health and metrics are served; port 0 lets the kernel choose."),
            Setting(
                "grace", \.grace, .duration(.zero ... .seconds(3600)),
                help: "How long running work may go on after SIGTERM before it is given back to the queue."),
            Setting(
                "blacklist-broken", \.blacklistBroken, .duration(.zero ... .seconds(86_400)),
                help:
                    "How long a source that cannot be read as a picture, redirects in circles or shows a certificate that does not hold is not asked again; 0 lists none."
            ),
            Setting(
                "blacklist-missing", \.blacklistMissing, .duration(.zero ... .seconds(86_400)),
                help: "How long a source whose origin answers 404 or 410 is not asked again; 0 lists none."),
            Setting(
                "proxy", optional: \.proxy, .proxyURL, defaultNote: "none",
                help: "Downloads go through this proxy: http, https, socks4, socks5 or socks5h://[user:password@]host:port. The proxy resolves the names of "
                    + "hosts then, so that addresses inside your network have to be refused there; here only hosts written as addresses are."),
            Setting(
                "no-proxy", \.noProxy, .hostNames, defaultNote: "none",
                help: "Hosts that are reached without the proxy; .example.org stands for a domain and all in it, * for all."),
            Setting(
                "decryption-keys", optional: \.decryptionKeys, .file(), defaultNote: "none",
                help: "A file of lines `name: cipher key` for fetch.decrypt; the cipher aes-256-gcm (12 bytes of nonce, text, 16 bytes of tag), the key in "
                    + "hexadecimal digits, and behind it hosts=HOST,… whose bodies alone the key reads; hosts=* stands for any server and files. aes-256-cbc "
                    + "(16 bytes of vector, text padded as in PKCS #7) needs legacy-cbc too."),
            Setting(
                "tls-authorities", optional: \.tlsAuthorities, .file { path throws(SettingMistake) in try CertificateFile.check(path) },
                defaultNote: "the system's alone",
                help: "A PEM file of certificate authorities that origins may be certified by besides the system's."),
            Setting(
                "tls-profiles", optional: \.tlsProfiles, .file(), defaultNote: "none",
                help: "A file of lines `name: word…` for `tlsProfile` of rules: authorities=FILE (those alone count), certificate=FILE and key=FILE (shown to "
                    + "a server that asks for one), verify-name=no (the certificate may be for another name), and hosts=HOST,… that it is for."),
        ]
    }
}
