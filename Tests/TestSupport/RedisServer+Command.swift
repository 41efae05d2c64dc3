import Foundation
import TintypeCore

extension RedisServer {
    /// Runs one command on a connection of its own, and returns the answer as `redis-cli` prints it to a pipe: without the last line break.
    @discardableResult
    package func command(_ words: String...) async throws -> String { try await command(words) }

    /// As above, with the words in a list.
    @discardableResult
    package func command(_ words: [String]) async throws -> String {
        let client = RawClient(try LoopbackSocket(unix: socketPath))
        defer { client.close() }
        let commands = (password.map { [["AUTH", $0]] } ?? []) + [words]
        for command in commands {
            client.send("*\(command.count)\r\n" + command.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
        }
        let count = commands.count
        let bytes = await client.received { Self.replies($0).count >= count }
        guard let reply = Self.replies(bytes).dropFirst(count - 1).first else { throw TestFailure("no answer to \(words.first ?? "")") }
        return reply.trimmingCharacters(in: .newlines)
    }

    /// The whole replies in bytes of the Redis protocol, each as text.
    private static func replies(_ bytes: [UInt8]) -> [String] {
        var (rest, found) = (bytes[...], [String]())
        while let reply = reply(&rest) { found.append(reply) }
        return found
    }

    /// Takes one reply from the bytes; nil while it is not whole. The members of a list are lines.
    private static func reply(_ bytes: inout ArraySlice<UInt8>) -> String? {
        guard let kind = bytes.first, let end = bytes.firstIndex(of: 13), end + 1 < bytes.endIndex else { return nil }
        let line = String(decoding: bytes[(bytes.startIndex + 1)..<end], as: UTF8.self)
        bytes = bytes[(end + 2)...]
        let count = Int(line) ?? 0
        switch kind {
        case UInt8(ascii: "$") where count >= 0:
            guard bytes.count >= count + 2 else { return nil }
            defer { bytes = bytes.dropFirst(count + 2) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        case UInt8(ascii: "*"):
            var members: [String] = []
            for _ in 0..<max(0, count) {
                guard let member = reply(&bytes) else { return nil }
                members.append(member)
            }
            return members.joined(separator: "\n")
        case UInt8(ascii: "$"): return ""
        default: return line
        }
    }
}
