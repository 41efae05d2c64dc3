package import TintypeCore
package import TintypeImages
package import TintypeTransport

/// The settings of the core of `tintype-worker`. Features bring theirs.
package struct WorkerSettings: Sendable {
    package var common = SharedSettings()
    /// The queues that the worker serves, in turn.
    package var queues = ["default"]
    /// Those of its queues that it asks before the others.
    package var preferredQueues: [String] = []
    /// The hosts whose fetches it claims before others of the same priority.
    package var preferredHosts: [String] = []
    /// The most running fetches.
    package var fetches = 32
    /// The number of pixel processes.
    package var pixels = Cores.usable()
    /// The pictures that one pixel process makes before a new process replaces it.
    package var pixelReuse = 500
    /// Whether a pixel process makes pictures of one scope alone.
    package var pixelScopes = false
    /// The most bytes of downloads, other pictures and results at once; downloads pause above it.
    package var memoryBudget = 256 << 20
    /// The most bytes of a source, whatever a request allows.
    package var maxSource = 256 << 20
    /// The most pixels (width × height) of a source or result, summed over its frames.
    package var maxPixels = PictureBounds.pixels.usual
    /// The longest side of a source or result, in pixels.
    package var maxSide = PictureBounds.side.usual
    /// The most wanted frames of an animation.
    package var maxFrames = PictureBounds.frames.usual
    /// The formats of sources that are decoded, by name.
    package var formats = [Self.usualFormats]
    /// The longest work of pixel processes on all renditions of one fetch together.
    package var maxPixelTime = Duration.seconds(60)
    /// The lowest rate of a body from an origin in bytes a second, on average over half a minute; 0: any rate.
    package var minOriginRate = 1 << 10
    /// The address of the worker's own health and metrics.
    package var http = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    /// How long running fetches may go on after SIGTERM.
    package var grace = Duration.seconds(25)
    /// How long a source is blacklisted that is no picture or leads nowhere.
    package var blacklistBroken = Duration.seconds(900)
    /// How long a source is blacklisted that its origin does not have.
    package var blacklistMissing = Duration.seconds(60)

    /// A file of certificate authorities to trust beside the system's.
    package var tlsAuthorities: String?
    /// A file of TLS profiles for some origins.
    package var tlsProfiles: String?
    /// A file of keys for encrypted sources.
    package var decryptionKeys: String?
    /// A file of the buckets whose objects may be sources.
    package var sourceBuckets: String?
    /// The proxy to origins; may hold a password.
    package var proxy: String?
    /// Hosts that need no proxy.
    package var noProxy: [String] = []

    package init() {}

    /// The word for all formats that are decoded by default.
    package static let usualFormats = "usual"

    private static func names(_ formats: [ImageFormat]) -> String { formats.map(\.rawValue).joined(separator: ", ") }

    /// The formats that `formats` names.
    package var openedFormats: Set<ImageFormat> {
        Set(formats.flatMap { name in name == Self.usualFormats ? ImageFormat.decodable : ImageFormat(rawValue: name).map { [$0] } ?? [] })
    }

    package static var settings: [Setting<WorkerSettings>] {
        [
            Setting("queues", \.queues, .queueNames, help: "The queues that the worker serves, in turn."),
            Setting(
                "prefer-queues", \.preferredQueues, .queueNames, defaultNote: "none",
                help: "Those of its queues that the worker asks first. It claims from the others what permits are left."),
            Setting(
                "prefer-hosts", \.preferredHosts, .hostNames, defaultNote: "none",
                help: "Hosts whose fetches the worker claims before others of the same priority, such as hosts whose sources are cached nearby. "
                    + "Their shards are among those that it serves all the time."),
            Setting("fetches", \.fetches, .count(1...4096), help: "The most running fetches."),
            Setting(
                "pixels", \.pixels, .count(1...256), defaultNote: "one per core",
                help: "The number of pixel processes: images that are decoded and "
                    + "encoded at once."),
            Setting(
                "pixel-reuse", \.pixelReuse, .count(1...1_000_000),
                help: "The pictures that one pixel process makes before a new process replaces it. With 1, no picture shares a process with an earlier one, "
                    + "but each waits for a process to start."),
            Setting(
                "pixel-scopes", \.pixelScopes, .isOn,
                help: "Keeps scopes apart in pixel processes: one that has made a picture of one scope makes none of another. A decoder that a picture has "
                    + "taken over then sees no picture of another scope. Pictures of sources without a scope have processes of their own. A picture may have "
                    + "to wait for a process to start."),
            Setting(
                "memory-budget", \.memoryBudget, .size(atLeast: 16 << 20),
                help: "The most bytes of downloads, other pictures and results at once. Above it, downloads pause until the pixel processes catch up. "
                    + "One source may exceed it."),
            Setting(
                "max-source", \.maxSource, .size(atLeast: 1 << 20),
                help: "The most bytes of a source, whatever fetch.maxBytes of a request allows. One source is in memory as a whole, beside the budget."),
            Setting(
                "max-pixels", \.maxPixels, .count(PictureBounds.pixels.allowed),
                help:
                    "The most pixels (width × height) of a source and of a result, summed over the wanted frames. More fails with limitExceeded, named "
                    + "maxPixels. "
                    + "A pixel process may take 768 MiB at 50 million pixels, and proportionally more above. Encoders of AVIF and JPEG XL take more: "
                    + "their results may have 32 and 16 million pixels. AVIF with 4:4:4 or more than 8 bits may have fewer."),
            Setting(
                "max-side", \.maxSide, .count(PictureBounds.side.allowed),
                help: "The longest side of a source and of a result, in pixels. More fails with limitExceeded, named maxSide."),
            Setting(
                "max-frames", \.maxFrames, .count(PictureBounds.frames.allowed),
                help: "The most wanted frames of an animation. More fails with limitExceeded, named maxFrames. Requests for the first frame or for some frames "
                    + "count only these."),
            Setting(
                "formats", \.formats, .formatNames,
                help:
                    "The formats of sources that are decoded. Other formats fail with unsupportedFormat. The word \(usualFormats) stands for "
                    + "\(names(ImageFormat.decodable)). Drawings have to be named: \(usualFormats),svg,pdf. A PDF gives its first page. "
                    + "librsvg and poppler render them in the pixel process, without files or network."),
            Setting(
                "max-pixel-seconds", \.maxPixelTime, .duration(.seconds(1) ... .seconds(3600)),
                help: "The longest work of pixel processes on all renditions of one fetch together. Unfinished renditions then fail with timeout. One picture "
                    + "gets at most 20 s of it."),
            Setting(
                "min-origin-rate", \.minOriginRate, .size(),
                help: "The lowest rate of an origin in bytes a second, on average over 30 seconds from its first byte, silence included. A slower download "
                    + "fails "
                    + "with timeout. Time in which the worker itself pauses a download does not count. 0: any rate."),
            Setting("http", \.http, .address, help: "The address of this worker's own health and metrics. Port 0 lets the kernel choose."),
            Setting(
                "grace", \.grace, .duration(.zero ... .seconds(3600)),
                help: "How long running fetches may go on after SIGTERM before they are released to the queue."),
            Setting(
                "blacklist-broken", \.blacklistBroken, .duration(.zero ... .seconds(86_400)),
                help:
                    "How long a source is blacklisted that is no readable picture, redirects in circles, or has an invalid certificate. 0: never."
            ),
            Setting(
                "blacklist-missing", \.blacklistMissing, .duration(.zero ... .seconds(86_400)),
                help: "How long a source is blacklisted whose origin answers 404 or 410. 0: never."),
            Setting(
                "proxy", optional: \.proxy, .proxyURL, defaultNote: "none",
                help: "The proxy for downloads: http, https, socks4, socks5 or socks5h://[user:password@]host:port. The proxy then resolves host names, "
                    + "so it must refuse addresses inside your network; the worker can only refuse hosts that are written as addresses."),
            Setting(
                "no-proxy", \.noProxy, .hostNames, defaultNote: "none",
                help: "Hosts that need no proxy. .example.org means a domain and all hosts in it; * means all hosts."),
            Setting(
                "decryption-keys", optional: \.decryptionKeys, .file(), defaultNote: "none",
                help: "A file of lines `name: cipher key` for fetch.decrypt, the same for all workers, with the key in hexadecimal. "
                    + "The cipher aes-256-gcm reads 12 bytes of nonce, the text and 16 bytes of tag. "
                    + "After the key, hosts=HOST,… limits the key to bodies of these hosts; hosts=* means any server and files. The cipher "
                    + "aes-256-cbc (16 bytes of vector, then text padded as in PKCS #7) needs legacy-cbc too."),
            Setting(
                "tls-authorities", optional: \.tlsAuthorities, .file { path throws(SettingError) in try CertificateFile.check(path) },
                defaultNote: "only the system's",
                help: "A PEM file of certificate authorities to trust beside the system's."),
            Setting(
                "source-buckets", optional: \.sourceBuckets, .file(), defaultNote: "s3: URLs are denied",
                help:
                    "A file of lines `s3://bucket[/prefix][?endpoint=…&region=…] access-key secret-key [session-token]`: objects there, below the prefix, may be "
                    + "sources by s3://bucket/key. Without keys those of the environment open it. Endpoints inside your own network need --allow-addresses."),
            Setting(
                "tls-profiles", optional: \.tlsProfiles, .file(), defaultNote: "none",
                help: "A file of lines `name: word…` for tlsProfile of rules. `authorities=FILE`: the only trusted authorities. `certificate=FILE` and "
                    + "`key=FILE`: the client certificate. `verify-name=no`: the server's certificate may have another name. `hosts=HOST,…`: the hosts of "
                    + "the profile."),
        ]
    }
}

extension SettingType where Value == [String] {
    /// Formats of pictures, and the word for the default ones.
    fileprivate static var formatNames: SettingType {
        list(of: "formats", placeholder: "FORMAT,…", isSet: true) { name in
            name == WorkerSettings.usualFormats || ImageFormat.openable.contains { $0.rawValue == name }
        }
    }
}
