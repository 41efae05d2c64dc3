#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Makes URLs for the picture door of a coordinator, in the form of imgproxy, without asking the service.
///
/// The key belongs on a server: whoever has it can sign any URL.
public struct Signer: Sendable {
    /// The signature of URLs without a key.
    private static let unsigned = "unsafe"

    private let base: String
    private let key: [UInt8]?
    private let salt: [UInt8]

    /// - Parameters:
    ///   - key: The key in hexadecimal digits: the first word of a line in the file of `--images-keys`.
    ///   - salt: The salt in hexadecimal digits: the second word.
    ///   - base: The address of the picture door, such as `https://pictures.example.org`. Default: none, for a path.
    /// - Throws: `invalidParams` when key or salt are empty or not hexadecimal.
    public init(key: String, salt: String, base: String = "") throws(TintypeError) {
        guard let key = Self.bytes(key), let salt = Self.bytes(salt), !key.isEmpty, !salt.isEmpty else {
            throw .local(.invalidParams, "key and salt are pairs of hexadecimal digits")
        }
        (self.key, self.salt, self.base) = (key, salt, Self.trimmed(base))
    }

    /// A signer for a picture door without keys: its URLs have the signature `unsafe`.
    public init(unsignedAt base: String = "") {
        (key, salt, self.base) = (nil, [], Self.trimmed(base))
    }

    /// Reads the first pair of a file of `--images-keys`.
    ///
    /// - Throws: `invalidParams` when there is none.
    public init(file: String, base: String = "") throws(TintypeError) {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else { throw .local(.invalidParams, "\(file) cannot be read") }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count == 2, !words[0].hasPrefix("#") {
                try self.init(key: String(words[0]), salt: String(words[1]), base: base)
                return
            }
        }
        throw .local(.invalidParams, "\(file) has no line with a key and its salt")
    }

    /// Returns the URL of a picture.
    ///
    /// ```swift
    /// try signer.url(for: "https://example.org/photo.jpg", .resize(320, 240, fit: .cover), as: .auto)
    /// ```
    ///
    /// - Parameters:
    ///   - transform: Operations that a URL has words for: `resize`, `blur`, `sharpen`, `pixelate`, `trim`, `rotate` by quarters, `flip`,
    ///     `background`.
    ///   - output: The format and quality; `.auto` lets the browser's Accept decide.
    ///   - options: Further options of imgproxy, such as `bl:3/sh:1`.
    ///   - expires: When the URL is refused from. Default: never.
    /// - Throws: `invalidParams` when a URL has no word for an operation or one of its members.
    public func url(
        for source: some ImageSource, _ transform: ImageTransform..., as output: ImageOutput? = nil, options: String? = nil, expires: Date? = nil
    ) throws(TintypeError) -> String {
        var parts = try DoorOptions.parts(ImageTransform(joining: transform), output)
        if let options { parts += options.split(separator: "/").map(String.init) }
        if let expires { parts.append("exp:\(Int(expires.timeIntervalSince1970))") }
        let urls = source.sourceURLs
        guard urls.count == 1 else { throw .local(.invalidParams, "the URL of a picture has one source") }
        let encoded = Base64.encode(Array(urls[0].utf8), forURLs: true)
        return signed("/" + (parts + [encoded]).joined(separator: "/") + DoorOptions.ending(output))
    }

    /// Returns the value of an attribute `srcset`: the same picture in several widths, in the shape of the first one's box.
    ///
    /// - Throws: As ``url(for:_:as:options:expires:)``.
    public func srcset(
        for source: some ImageSource, widths: [Int], height: Int? = nil, ofWidth: Int? = nil, fit: ImageOperation.Fit? = nil, as output: ImageOutput? = nil
    ) throws(TintypeError) -> String {
        var entries: [String] = []
        for width in widths {
            let side = height.flatMap { height in ofWidth.map { (width * height * 2 + $0) / ($0 * 2) } }
            entries.append("\(try url(for: source, .resize(width, side, fit: fit), as: output)) \(width)w")
        }
        return entries.joined(separator: ", ")
    }

    /// Returns the signature of a path: the part of a URL behind the signature, with its first slash.
    public func signature(_ path: String) -> String {
        guard let key else { return Self.unsigned }
        return Base64.encode(SHA256.authenticationCode(salt + Array(path.utf8), key: key), forURLs: true)
    }

    /// Returns the whole URL of a path.
    public func signed(_ path: String) -> String {
        "\(base)/\(signature(path))\(path)"
    }

    private static func trimmed(_ base: String) -> String {
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == hex.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Signer: CustomStringConvertible, CustomReflectable {
    public var description: String { "Signer(\(base.isEmpty ? "a path" : base))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
