import TintypeCore
import ImgproxyURLs
import TintypeImages

/// `tintype url SOURCE`: makes a URL for the picture door.
enum URLCommand {
    private static let keys = Option(
        "keys", "PATH", "A file with a key and its salt, as for --images-keys; the first pair signs. Default: $TINTYPE_IMAGES_KEYS.")

    static let command = Command(
        "url", "SOURCE", words: 1...1, "Makes a signed URL for the picture door of a coordinator.",
        options: [
            keys, Option("unsigned", nil, "Makes a URL without a signature, for --images-unsigned."),
            Option("options", short: "o", "OPTIONS", "The options of the picture, with slashes between them, such as rs:fill:300:200/q:80."),
            Option("format", "FORMAT", "The format of the picture, such as webp. Default: that of the source, or by the client's Accept."),
            Option("expires-in", "SECONDS", "The URL is refused after this time. Default: never."),
            Option("plain", nil, "Leaves the source readable. A proxy that merges slashes spoils such a URL."),
            Option("at", "URL", "The address of the picture door, which is put in front."),
        ],
        notes: "The key is read from a file, because every user of the machine can read a command line. Example:\n"
            + "  tintype url https://example.org/photo.jpg -o rs:fill:300:200/q:80 --format webp --keys keys --at https://pictures.example.org",
        run: { arguments in
            let base = arguments["at"].map { String($0.hasSuffix("/") ? $0.dropLast() : $0[...]) } ?? ""
            try Output.lines(base + path(arguments, now: Int(WallClock.now)))
            return 0
        })

    /// Returns the path of the URL.
    /// - Parameter now: seconds since 1970.
    /// - Throws: `UsageError`, also for options that a picture door refuses. Presets are known to the coordinator alone.
    static func path(_ arguments: Arguments, now: Int) throws(UsageError) -> String {
        var options = (arguments["options"] ?? "").split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if options == [""] { options = [] }
        if let text = arguments["expires-in"] {
            guard let seconds = Int(text), (1...(1 << 40)).contains(seconds) else {
                throw UsageError("--expires-in must be a whole number of seconds, not \"\(RedactedText(text))\"")
            }
            options.append("exp:\(now + seconds)")
        }
        let signature = try signature(arguments)
        let text = PictureURL.text(of: arguments.words[0], options: options, fileExtension: arguments["format"], isPlain: arguments.has("plain"))
        let path = signature.signing(text)
        try check(path, signature, now: now)
        return path
    }

    private static func signature(_ arguments: Arguments) throws(UsageError) -> URLSignature {
        if arguments.has("unsigned") { return URLSignature(pairs: [], unsigned: .named) }
        let pairs = try arguments.file(keys.name, or: "TINTYPE_IMAGES_KEYS") { path throws(SettingError) in try URLSignature.pairs(in: path) }
        guard let pairs else { throw UsageError("missing: --keys PATH, a file with a key and its salt, or --unsigned") }
        return URLSignature(pairs: pairs)
    }

    private static func check(_ path: String, _ signature: URLSignature, now: Int) throws(UsageError) {
        var policy = DoorPolicy()
        policy.watermark = "http://watermark.invalid/"
        do throws(DoorRefusal) {
            _ = try PictureDoor(signature, policy).plan(Array(path.utf8), now: now)
        } catch {
            guard error.reason != .unknownPreset else { return }
            throw UsageError(error.message)
        }
    }
}
