import TintypeCore

extension PictureURL {
    /// Returns the part of a URL that is signed: options, and the source in Base64 or plain.
    /// - Parameters:
    ///   - options: `NAME:ARGUMENT…`, in their order.
    ///   - fileExtension: the format behind the source; nil for none.
    ///   - isPlain: whether people can read the source. A proxy that merges slashes spoils such a URL.
    package static func text(of source: String, options: [String], fileExtension: String?, isPlain: Bool) -> String {
        let start = options.map { "/" + $0 }.joined()
        guard isPlain else {
            return start + "/" + Base64.urlText(of: Array(source.utf8)) + (fileExtension.map { "." + $0 } ?? "")
        }
        let encoded = PercentText.encoded(source)
        // Dots between slashes would be a dot segment, so their slashes stay escaped.
        let hasDots = source.split(separator: "/").contains { $0 == "." || $0 == ".." }
        let readable = hasDots ? encoded : encoded.replacing("%2F", with: "/").replacing("%3A", with: ":")
        return start + "/plain/" + readable + (fileExtension.map { "@" + $0 } ?? "")
    }
}

extension URLSignature {
    /// Returns a path with its signature in front, made with the first pair; without a pair `unsafe` stands in its place.
    package func signing(_ path: String) -> String { "/" + (signature(of: Array(path.utf8)) ?? "unsafe") + path }
}

extension Base64 {
    /// Returns bytes in the alphabet for URLs, without padding (RFC 4648 §5).
    static func urlText(of bytes: [UInt8]) -> String {
        String(text(of: bytes).prefix { $0 != "=" }).replacing("+", with: "-").replacing("/", with: "_")
    }
}
