import TintypeCore

/// A picture URL as imgproxy writes it, cut into its parts: options, source and extension. Options have no meaning yet. A pure value.
package struct PictureURL: Sendable, Hashable {
    /// How the parts before the source are read.
    package enum Form: Sendable, Hashable {
        /// Each part is an option.
        case options
        /// The first part is a list of presets; `expires` and `cachebuster` may follow it.
        case presetsOnly
    }

    /// One option as it was written.
    package struct Option: Sendable, Hashable {
        package let name: String
        package let arguments: [String]
        /// The byte of the target, or of a preset, at which the option begins.
        package let position: Int

        package init(name: String, arguments: [String], position: Int = 0) {
            (self.name, self.arguments, self.position) = (name, arguments, position)
        }

        /// - Parameter text: a name, and arguments after colons.
        init(_ text: String, at position: Int) {
            let words = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String(Substring($0)) }
            self.init(name: words[0], arguments: Array(words.dropFirst()), position: position)
        }
    }

    package let options: [Option]
    /// The URL of the source, decoded once. Bytes outside ASCII, and spaces, are percent-encoded.
    package let source: String
    /// The format that stands behind the source; nil for none.
    package let fileExtension: String?

    package static let mostOptions = 64

    package init(_ target: PictureTarget, form: Form = .options) throws(DoorRefusal) {
        let parts = Self.parts(target)
        if let dots = parts.first(where: { $0.text == "." || $0.text == ".." }) {
            throw DoorRefusal(
                .badPart, at: dots.position, "\"\(dots.text)\" between slashes is changed by proxies; write the source in Base64, or its dots as %2E")
        }
        var options: [Option] = []
        var rest = parts[...]
        if form == .presetsOnly, let first = parts.first, first.text != "plain", first.text != "enc" {
            try Self.check(first)
            options.append(Option("preset:" + first.text, at: first.position))
            rest = rest.dropFirst()
        }
        while let part = rest.first, part.text.utf8.contains(UInt8(ascii: ":")) {
            guard options.count < Self.mostOptions else {
                throw DoorRefusal(.tooManyOptions, at: part.position, "a URL has at most \(Self.mostOptions) options; put some into a preset")
            }
            let option = Option(part.text, at: part.position)
            if form == .presetsOnly, !["exp", "expires", "cb", "cachebuster"].contains(option.name) {
                throw DoorRefusal(.notAllowed, option: option.name, at: part.position, "only presets are allowed here, and behind them expires and cachebuster")
            }
            options.append(option)
            rest = rest.dropFirst()
        }
        self.options = options
        guard let first = rest.first else {
            throw DoorRefusal(.missingPart, at: target.offset + target.signed.count, "there is no source behind the options: add /plain/SOURCE")
        }
        switch first.text {
        case "enc": throw DoorRefusal(.encrypted, at: first.position, "encrypted sources are not supported; write the source plain or in Base64")
        case "plain": (source, fileExtension) = try PictureSource.plain(target, after: first.position + "plain".utf8.count)
        default: (source, fileExtension) = try PictureSource.base64(Array(rest))
        }
    }

    /// A part of the path between two slashes.
    struct Part {
        let text: String
        let position: Int
    }

    private static func parts(_ target: PictureTarget) -> [Part] {
        target.signed.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Part(text: String(decoding: $0, as: UTF8.self), position: target.offset + $0.startIndex)
        }
    }

    /// - Throws: `badPart` for an empty part.
    static func check(_ part: Part) throws(DoorRefusal) {
        guard !part.text.isEmpty else {
            throw DoorRefusal(.badPart, at: part.position, "two slashes follow each other, or the path ends in one; leave the empty part out")
        }
    }
}

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
