/// A JSON text that somebody has read already and that is handed on as the bytes it came as: numbers with all their digits, members in their
/// order, also those that come twice. A value; a tree that has one in it (`JSON.raw`) costs no more than a reference.
package struct JSONText: Sendable, Hashable {
    /// The most levels of a body that clients get as part of an answer. A client reads 64, and around a body there may be six: a batch, an answer,
    /// the result of `group.get`, its results, an item, and the ImageResult.
    package static let mostLevels = 64 - 6

    package let bytes: [UInt8]

    /// - Parameter bytes: known to be one JSON text: whoever reads what is written with it sees where it ends.
    package init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// The value as a tree; nil if it was none.
    package var value: JSON? { try? JSON(parsing: bytes) }

    /// What a person calls the type of the value.
    var kind: String {
        switch bytes.first(where: { ![32, 9, 10, 13].contains($0) }) {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "a boolean"
        case UInt8(ascii: "n"): "null"
        default: "a number"
        }
    }
}
