import TintypeTransport

/// The conditions of a request for an image.
struct ImageConditions: Sendable, Hashable {
    /// `If-Match`.
    var required: String?
    /// `If-None-Match`.
    var match: String?
    /// `Range`.
    var range: String?
    /// `If-Range`: `Range` counts only if it is absent or names the image.
    var condition: String?
}

extension ImageConditions {
    /// Reads the headers of a request. A range selects a part of a GET answer (RFC 9110 §14.2).
    @Loop init(_ exchange: HTTPExchange) {
        self.init(
            required: exchange.list("If-Match"), match: exchange.list("If-None-Match"), range: exchange.method == "GET" ? exchange.header("Range") : nil,
            condition: exchange.header("If-Range"))
    }
}

/// The answer that a request for an image gets (RFC 9110 §13.2.2, §14.2). Pure.
enum ImageChoice: Sendable, Hashable {
    case preconditionFailed
    case unchanged
    case whole
    case part(ClosedRange<Int>)
    case unsatisfiable

    init(_ asked: ImageConditions, _ served: ServedImage) {
        if let required = asked.required, !EntityTag.matches(required, served.tag, isStrong: true) {
            self = .preconditionFailed
        } else if EntityTag.matches(asked.match, served.tag) {
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
    func bytes(of count: Int) -> Range<Int>? {
        switch self {
        case .whole: 0..<count
        case .part(let part): Range(part)
        case .preconditionFailed, .unchanged, .unsatisfiable: nil
        }
    }

    /// Whether the answer has the headers of the image.
    var hasImageHeaders: Bool { self != .preconditionFailed }

    /// Whether caches may keep the answer. A cache that keys without `Range` would show the 416 of one client to others.
    var mayBeKept: Bool { self != .unsatisfiable && self != .preconditionFailed }
}
