import TintypeCore
import TintypeImages
package import TintypeTransport

/// The conditions of a request for an image.
package struct ImageConditions: Sendable, Hashable {
    /// `If-Match`.
    package var required: String?
    /// `If-None-Match`.
    package var match: String?
    /// `If-Modified-Since`, in seconds since 1970; nil also where answers have no `Last-Modified`.
    package var since: Int64?
    var range: String?
    /// `If-Range`: `Range` counts only if it is absent or names the image.
    var condition: String?
}

extension ImageConditions {
    /// Reads the headers of a request. A range selects a part of a GET answer (RFC 9110 §14.2).
    /// - Parameter isDated: Whether the answer tells when its picture was modified.
    @Loop package init(_ exchange: HTTPExchange, isDated: Bool = false) {
        self.init(
            required: exchange.list("If-Match"), match: exchange.list("If-None-Match"),
            since: isDated ? exchange.header("If-Modified-Since").flatMap { HTTPDate.seconds($0) } : nil,
            range: exchange.method == "GET" ? exchange.header("Range") : nil, condition: exchange.header("If-Range"))
    }

    /// Returns whether the client has the picture already. A date counts only without `If-None-Match` (RFC 9110 §13.1.3).
    /// - Parameter lastModified: The date of the picture as HTTP writes it.
    package func know(_ tag: String, lastModified: String?) -> Bool {
        guard match == nil else { return EntityTag.matches(match, tag) }
        guard let since, let changed = lastModified.flatMap({ HTTPDate.seconds($0) }) else { return false }
        return changed <= since
    }
}

/// The answer that a request for an image gets (RFC 9110 §13.2.2, §14.2). Pure.
package enum ImageChoice: Sendable, Hashable {
    case preconditionFailed
    case unchanged
    case whole
    case part(ClosedRange<Int>)
    case unsatisfiable

    init(_ asked: ImageConditions, _ served: ServedImage) {
        if let required = asked.required, !EntityTag.matches(required, served.tag, isStrong: true) {
            self = .preconditionFailed
        } else if asked.know(served.tag, lastModified: served.image.source["lastModified"]?.string) {
            self = .unchanged
        } else if let condition = asked.condition, condition != served.tag {
            self = .whole
        } else {
            switch ByteRange(asked.range, length: served.count) {
            case .whole: self = .whole
            case .part(let part): self = .part(part)
            case .unsatisfiable: self = .unsatisfiable
            }
        }
    }

    /// Returns which bytes of the image the answer has; nil if none.
    /// - Parameter count: the number of bytes of the image.
    package func bytes(of count: Int) -> Range<Int>? {
        switch self {
        case .whole: 0..<count
        case .part(let part): Range(part)
        case .preconditionFailed, .unchanged, .unsatisfiable: nil
        }
    }

    /// Whether the answer has the headers of the image.
    var hasImageHeaders: Bool { self != .preconditionFailed }

    /// Whether caches may keep the answer. A cache that keys without `Range` would show the 416 of one client to others.
    package var mayBeKept: Bool { self != .unsatisfiable && self != .preconditionFailed }
}
