/// An answer of the service that has another shape than this version of the client knows.
public struct AnswerFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place in the answer, such as "source.bytes"; empty for the whole answer.
    public private(set) var path: String
    /// The missing shape, such as "a number".
    public let expected: String
    /// The shape that came instead, such as "a text"; nil if nothing came. The value itself may be a secret.
    public let found: String?

    init(expected: String, found: JSON?) {
        path = ""
        self.expected = expected
        self.found = found.map { value in
            switch value {
            case .null: "null"
            case .bool: "true or false"
            case .integer, .number: "a number"
            case .string: "a text"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    /// The same fault, seen from the value that contains the place.
    func within(_ name: String) -> AnswerFault {
        var fault = self
        fault.path = path.isEmpty ? name : path.hasPrefix("[") ? name + path : name + "." + path
        return fault
    }

    public var description: String {
        "\(path.isEmpty ? "the answer" : "`\(path)`") should be \(expected), but is \(found ?? "missing")"
    }
}
