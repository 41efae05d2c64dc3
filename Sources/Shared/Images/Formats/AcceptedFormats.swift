import TintypeCore

/// The formats that a client with `auto` can show: from an Accept header, a list of media types, or a list of formats. A pure value.
///
/// Two headers with the same formats are the same work. As in other image services, a star stands for jpeg, png and gif, which every client shows: browsers
/// send the star whatever they support. An empty or unknown list stands for the same formats. A weight matters only as `q=0`, which excludes a format; the
/// order of preference is fixed here.
package struct AcceptedFormats: Sendable, Hashable {
    /// Best first.
    package let formats: [ImageFormat]

    /// The formats that `auto` can choose, best first.
    package static let known = ImageFormat.allCases.filter { $0.traits.autoRank != nil }.sorted { ($0.traits.autoRank ?? 0) < ($1.traits.autoRank ?? 0) }
    private static let shownByAll = Set(ImageFormat.allCases.filter(\.traits.isShownByAll))

    /// The formats that every client shows.
    package static let usual = AcceptedFormats([])

    /// - Parameter texts: media types or formats, perhaps several in one text, separated by commas.
    package init(_ texts: [String]) {
        var taken = Set<ImageFormat>()
        var refused = Set<ImageFormat>()
        for text in texts.flatMap({ $0.split(separator: ",") }) {
            let named = Self.formats(in: text.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased())
            if Self.isRefused(text) { refused.formUnion(named) } else { taken.formUnion(named) }
        }
        if taken.isEmpty { taken = Self.shownByAll }
        let left = taken.subtracting(refused)
        var formats = Self.known.filter((left.isEmpty ? taken : left).contains)
        // A browser that names jxl also names one of these, which come first. Without this line its pictures would have a second key.
        if formats.contains(.avif) || formats.contains(.webp) { formats.removeAll { $0 == .jxl } }
        self.formats = formats
    }

    /// Reads the member `accept` of an output: one text or several.
    init?(_ json: JSON?) {
        switch json {
        case .string(let text): self.init([text])
        case .array(let items): self.init(items.compactMap(\.string))
        case .null, .bool, .int, .double, .object, .raw, nil: return nil
        }
    }

    package static let parameter = ParameterType.union([.string(maxLength: 4096), .array(of: .string(maxLength: 256), count: 0...64)])

    var canonical: JSON { .array(formats.map { .string($0.rawValue) }) }

    /// Returns the best of these formats for a picture.
    /// - Parameters:
    ///   - isAnimated: whether more than one frame will be shown.
    ///   - movesAsPNG: whether a PNG would show all frames.
    ///   - hasAlpha: whether the picture may be transparent.
    ///   - source: the format of the source. Among the formats that every client shows, a lossless source stays lossless.
    ///   - written: the formats that can be encoded.
    package func best(isAnimated: Bool, movesAsPNG: Bool = false, hasAlpha: Bool, source: ImageFormat, written: Set<ImageFormat>) -> ImageFormat {
        let usable = formats.filter(written.contains)
        let isExact = source.traits.isExact
        let moving: [ImageFormat] = source == .png ? [.webp, .png, .gif] : [.webp, .gif, .png]
        let order: [ImageFormat] =
            isAnimated
            ? moving.filter { $0 != .png || movesAsPNG } + Self.known
            : Self.known.filter { !Self.shownByAll.contains($0) } + (hasAlpha || isExact ? [.png, .jpeg, .gif] : [.jpeg, .png, .gif])
        return order.first(where: usable.contains) ?? (hasAlpha ? .png : .jpeg)
    }

    private static func formats(in type: String) -> Set<ImageFormat> {
        switch type {
        case "*/*", "image/*", "*": return shownByAll
        case "image/jpg", "image/pjpeg", "jpg": return [.jpeg]
        default:
            let name = type.hasPrefix("image/") ? String(type.dropFirst(6)) : type
            guard let format = ImageFormat(rawValue: name), known.contains(format) else { return [] }
            return [format]
        }
    }

    /// Whether its weight is 0 (RFC 9110 §12.4.2).
    private static func isRefused(_ range: Substring) -> Bool {
        range.split(separator: ";").dropFirst().contains { parameter in
            let text = parameter.filter { $0 != " " && $0 != "\t" }.lowercased()
            return text.hasPrefix("q=") && Double(text.dropFirst(2)) == 0
        }
    }
}
