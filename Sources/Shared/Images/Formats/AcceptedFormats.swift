import TintypeCore

/// Which formats whoever asks for `auto` can show: an Accept header, a list of media types, or one of formats. A pure value.
///
/// Two headers that come to the same formats are the same work. As with other image services a star stands for the formats that everything
/// shows, jpeg, png and gif, for browsers send it whatever they can; and nothing that is known stands for these too. Weights say only what is
/// not wanted (`q=0`): which of two is better is decided here.
package struct AcceptedFormats: Sendable, Hashable {
    /// The best first.
    package let formats: [ImageFormat]

    /// What `auto` chooses among, the best first.
    package static let known = ImageFormat.allCases.filter { $0.traits.autoRank != nil }.sorted { ($0.traits.autoRank ?? 0) < ($1.traits.autoRank ?? 0) }
    private static let shownByAll = Set(ImageFormat.allCases.filter(\.traits.isShownByAll))

    /// What everything shows.
    package static let usual = AcceptedFormats([])

    /// - Parameter texts: media types or formats, each perhaps with others behind commas.
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
        // Browsers that name it name one of these too, which come first: it is no reason to make their pictures twice.
        if formats.contains(.avif) || formats.contains(.webp) { formats.removeAll { $0 == .jxl } }
        self.formats = formats
    }

    /// The member `accept` of an output: a text or several.
    init?(_ json: JSON?) {
        switch json {
        case .string(let text): self.init([text])
        case .array(let items): self.init(items.compactMap(\.string))
        case .null, .bool, .int, .double, .object, .raw, nil: return nil
        }
    }

    /// The type of `accept`.
    package static let parameter = ParameterType.union([.string(maxLength: 4096), .array(of: .string(maxLength: 256), count: 0...64)])

    var canonical: JSON { .array(formats.map { .string($0.rawValue) }) }

    /// The best of these for a picture.
    /// - Parameters:
    ///   - isAnimated: more than one frame is to be shown.
    ///   - movesAsPNG: a PNG would show all of them.
    ///   - hasAlpha: something may show through.
    ///   - source: what it comes from: what was kept without loss stays so among the formats that everything shows.
    ///   - written: what there are encoders for.
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
