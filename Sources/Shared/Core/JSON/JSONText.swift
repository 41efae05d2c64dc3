import Glibc

/// A valid JSON text that is passed on byte for byte: numbers keep all their digits, members their
/// order, and repeated members stay. A value; in a tree (`JSON.raw`) it costs no more than a reference.
package struct JSONText: Sendable, Hashable {
    /// The most levels of a body inside an answer. A client reads 64 levels. Up to six surround a body: a batch, an answer, the result of `group.get`, its
    /// results, an item, and the ImageResult.
    package static let maxLevels = 64 - 6

    package let bytes: [UInt8]

    /// - Parameter bytes: one valid JSON text. Otherwise a reader of the surrounding text would misjudge its end.
    package init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// The value as a tree; nil if it was invalid.
    package var value: JSON? { try? JSON(parsing: bytes) }

    /// Whether there are line breaks between values. The search of libc takes a tenth of the time of a loop over megabytes.
    var hasBreaks: Bool {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 10, bytes.count) != nil || memchr(start, 13, bytes.count) != nil
        }
    }

    /// The name of the value's type for people.
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
