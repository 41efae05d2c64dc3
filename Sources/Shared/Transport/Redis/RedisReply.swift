package import TintypeCore

/// A reply of the RESP2 protocol as a value.
package enum RedisReply: Sendable, Hashable {
    case status(String)
    case integer(Int64)
    case bulk([UInt8])
    case null
    case array([RedisReply])
    case error(String)

    /// The text of a status or bulk reply, or the digits of an integer.
    package var string: String? {
        switch self {
        case .status(let text): text
        case .bulk(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let value): String(value)
        case .null, .array, .error: nil
        }
    }

    /// The integer, or a text that is one; nil above `WireNumber.most`, which no counter of our scripts reaches.
    package var int: Int64? {
        switch self {
        case .integer(let value): WireNumber.bounded(value)
        case .bulk, .status: string.flatMap { WireNumber.integer($0) }
        case .null, .array, .error: nil
        }
    }

    package var array: [RedisReply]? { if case .array(let values) = self { values } else { nil } }
    package var bytes: [UInt8]? { if case .bulk(let bytes) = self { bytes } else { nil } }
    package var isNull: Bool { self == .null }

    /// The names and values of a flat array, as in the reply to HGETALL, for names that the service makes.
    package var pairs: [String: String] { Dictionary(exactPairs.map { ($0.key.text, $0.value) }) { $1 } }

    /// The same for names from outside.
    package var exactPairs: [ExactText: String] {
        guard let array else { return [:] }
        var pairs: [ExactText: String] = [:]
        for index in stride(from: 0, to: array.count - 1, by: 2) {
            if let key = array[index].string, let value = array[index + 1].string { pairs[ExactText(key)] = value }
        }
        return pairs
    }
}

/// One word of a command.
package enum RedisArgument: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case string(String)
    case bytes([UInt8])
    case int(Int64)

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(_ value: String) { self = .string(value) }
    package init(_ value: Int) { self = .int(Int64(value)) }

    var text: String {
        switch self {
        case .string(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .int(let value): String(value)
        }
    }

    /// The number of its bytes; the maximum for a number.
    var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .int: 20
        }
    }

    /// Appends the word's bytes and returns their number.
    func append(to buffer: inout [UInt8]) -> Int {
        let before = buffer.count
        switch self {
        case .string(let text): buffer.append(contentsOf: text.utf8)
        case .bytes(let bytes): buffer.append(contentsOf: bytes)
        case .int(let value): buffer.append(contentsOf: String(value).utf8)
        }
        return buffer.count - before
    }
}

/// A Lua script with its digest, by which Redis runs it.
package struct LuaScript: Sendable {
    package let name: String
    package let source: String
    package let sha1: String

    package init(name: String, source: String) {
        self.name = name
        self.source = source
        sha1 = Digest.sha1Hex(Array(source.utf8))
    }

    /// The command that runs the script by its digest.
    package func command(keys: [String], _ arguments: [RedisArgument]) -> [RedisArgument] {
        var words: [RedisArgument] = ["EVALSHA", .string(sha1), .int(Int64(keys.count))]
        words.reserveCapacity(3 + keys.count + arguments.count)
        for key in keys { words.append(.string(key)) }
        words += arguments
        return words
    }
}
