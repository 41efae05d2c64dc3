import CHiredis

/// hiredis without its sockets: its formatter turns words into commands, and its reader turns bytes into replies.
///
/// Each codec belongs to one connection and lives on the loop. The reader of hiredis 0.14 refuses nesting of more than eight levels.
@Loop
final class RedisCodec {
    private let reader: UnsafeMutablePointer<redisReader>
    /// The words of one command, kept to reuse the memory.
    private var words: [UInt8] = []

    init() {
        guard let reader = redisReaderCreate() else { preconditionFailure("out of memory") }
        self.reader = reader
    }

    isolated deinit { redisReaderFree(reader) }

    /// The maximum length of a word of a command: the default of Redis (`proto-max-bulk-len`). hiredis counts a command in 32 bits.
    static let maxWord = 512 << 20
    /// The maximum length of a command, with all its words.
    static let maxCommand = 1 << 30

    /// Returns whether Redis would accept the command. A command that is not sent must not wait: it would take the next reply for its own.
    static func fits(_ arguments: [RedisArgument]) -> Bool {
        guard arguments.count <= 1 << 20 else { return false }
        var all = 0
        for argument in arguments {
            let count = argument.byteCount
            all += count + 32
            if count > maxWord || all > maxCommand { return false }
        }
        return true
    }

    /// Passes the command's bytes to `body`, which must copy them.
    func format(_ arguments: [RedisArgument], _ body: (UnsafeRawBufferPointer) -> Void) {
        words.removeAll(keepingCapacity: words.capacity < 1 << 16)
        // Loops, not `map`: in isolated code the closures of `map` are checked for isolation at each call.
        var lengths: [Int] = []
        lengths.reserveCapacity(arguments.count)
        for argument in arguments { lengths.append(argument.append(to: &words)) }
        words.append(0)
        words.withUnsafeBufferPointer { buffer in
            guard let base = UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self) else { return }
            var starts: [UnsafePointer<CChar>?] = []
            starts.reserveCapacity(lengths.count)
            var start = base
            for length in lengths {
                starts.append(start)
                start += length
            }
            // Into one of hiredis' own strings: its other formatter calls printf for each length.
            var command: sds?
            let count = redisFormatSdsCommandArgv(&command, Int32(arguments.count), &starts, &lengths)
            guard count > 0, let command else { return }
            body(UnsafeRawBufferPointer(start: command, count: Int(count)))
            redisFreeSdsCommand(command)
        }
    }

    /// Parses received bytes. Each complete reply goes to `body`.
    /// - Returns: nil, or the reason for which the bytes are no replies. The connection is then unusable.
    func parse(_ bytes: UnsafeRawBufferPointer, _ body: (RedisReply) -> Void) -> String? {
        guard let base = bytes.baseAddress else { return nil }
        redisReaderFeed(reader, base.assumingMemoryBound(to: CChar.self), bytes.count)
        while true {
            var raw: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &raw) == REDIS_OK else {
                return withUnsafePointer(to: &reader.pointee.errstr) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 128) { String(cString: $0) }
                }
            }
            guard let raw else { return nil }
            let reply = Self.reply(raw.assumingMemoryBound(to: redisReply.self))
            freeReplyObject(raw)
            body(reply)
        }
    }

    private nonisolated static func reply(_ pointer: UnsafePointer<redisReply>) -> RedisReply {
        let raw = pointer.pointee
        switch raw.type {
        case REDIS_REPLY_INTEGER: return .integer(raw.integer)
        case REDIS_REPLY_STATUS: return .status(text(raw))
        case REDIS_REPLY_ERROR: return .error(text(raw))
        case REDIS_REPLY_STRING: return .bulk(bytes(raw))
        case REDIS_REPLY_ARRAY:
            var elements: [RedisReply] = []
            elements.reserveCapacity(Int(raw.elements))
            for index in 0..<Int(raw.elements) { elements.append(raw.element[index].map { reply($0) } ?? .null) }
            return .array(elements)
        default: return .null
        }
    }

    private nonisolated static func bytes(_ raw: redisReply) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: raw.str, count: Int(raw.len)))
    }

    private nonisolated static func text(_ raw: redisReply) -> String { String(decoding: bytes(raw), as: UTF8.self) }
}
