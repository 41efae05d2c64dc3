import TintypeCore

/// Hosts and paths that have one name in keys. In `from`, a * matches anything; in `to`, $1 is the match of the first star. A pure value.
struct KeyPattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case text(String)
        /// The number of a star, from 0.
        case star(Int)
    }

    private let host: StarPattern
    /// nil: the path stays.
    private let path: StarPattern?
    private let newHost: [Piece]
    private let newPath: [Piece]

    private static let maxStars = 9

    static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "from",
            .pattern(expectation: "a host, perhaps with a path, in which * matches anything, such as cdn*.example.org/v*/img/*, with at most nine stars") {
                isPattern($0)
            }, required: true, "The host and path to match, as a whole. Without a path, any path matches and stays. A * in the host matches no slash."),
        ParameterDescription(
            "to",
            .pattern(expectation: "a host, perhaps with a path, in which $1 is the match of the first star") { isPattern($0.replacing("*", with: " ")) },
            required: true, "The name in keys. $1 is the match of the first star of `from`; a host may only use stars of the host."),
    ]

    private static func isPattern(_ text: String) -> Bool {
        let (host, path) = parts(text)
        return text.utf8.count <= 1024 && !host.isEmpty && text.utf8.count { $0 == UInt8(ascii: "*") } <= maxStars
            && host.utf8.allSatisfy { $0.isPlain || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "$") }
            && (path ?? "").utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    /// Splits a text into the host and the path with its slash.
    private static func parts(_ text: String) -> (host: String, path: String?) {
        guard let slash = text.firstIndex(of: "/") else { return (text, nil) }
        return (String(text[..<slash]), String(text[slash...]))
    }

    /// Reads validated JSON.
    /// - Throws: `invalidParams` if `to` does not fit `from`.
    init(_ json: JSON, at place: String) throws(TintypeError) {
        let (from, to) = (Self.parts(json["from"]?.string ?? ""), Self.parts(json["to"]?.string ?? ""))
        host = StarPattern(from.host.lowercased().utf8)
        path = from.path.map { StarPattern(PercentText.plain($0).utf8) }
        newHost = Self.pieces(to.host.lowercased())
        newPath = Self.pieces(to.path ?? "")
        guard (from.path == nil) == (to.path == nil) else {
            throw .invalidParams(path: place + ".to", value: json["to"], expected: "a path if from has one, and no path otherwise")
        }
        let all = host.starCount + (path?.starCount ?? 0)
        guard Self.most(newHost) < host.starCount, Self.most(newPath) < all else {
            throw .invalidParams(
                path: place + ".to", value: json["to"], expected: "no $ beyond the \(all) stars of from; in the host, none beyond the stars of the host")
        }
    }

    /// Returns the highest star number; −1 without a star.
    private static func most(_ pieces: [Piece]) -> Int { pieces.map { if case .star(let number) = $0 { number } else { -1 } }.max() ?? -1 }

    private static func pieces(_ text: String) -> [Piece] {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        return parts.enumerated().flatMap { index, part -> [Piece] in
            guard index > 0 else { return [.text(String(part))] }
            guard let digit = part.utf8.first, (0x31...0x39).contains(digit) else { return [.text("$" + part)] }
            return [.star(Int(digit) - 0x31), .text(String(part.dropFirst()))]
        }
    }

    /// Returns the replacement of a host and a path from `TransferURL` and `URLParts.plainPath`; nil if they do not match.
    func replacement(host name: String, path written: String) -> (host: String, path: String)? {
        guard var stars = host.stars(in: Array(name.utf8)) else { return nil }
        guard let path else { return (Self.text(newHost, stars), written) }
        guard let more = path.stars(in: Array(written.utf8)) else { return nil }
        stars += more
        return (Self.text(newHost, stars), Self.text(newPath, stars))
    }

    private static func text(_ pieces: [Piece], _ stars: [ArraySlice<UInt8>]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .star(let number): String(decoding: stars[number], as: UTF8.self)
            }
        }.joined()
    }
}
