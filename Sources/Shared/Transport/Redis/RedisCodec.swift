import CHiredis

/// hiredis without its sockets: its formatter makes commands of words, its reader makes replies of bytes.
///
/// One of these belongs to one connection and lives on the loop. The reader of hiredis 0.14 refuses nesting beyond eight levels.
@Loop
final class RedisCodec {
    private let reader: UnsafeMutablePointer<redisReader>
    /// Words of one command, kept so that the memory is.
    private var words: [UInt8] = []

    init() {
        guard let reader = redisReaderCreate() else { preconditionFailure("out of memory") }
        self.reader = reader
    }

    isolated deinit { redisReaderFree(reader) }

    /// The longest word of a command: what Redis takes by default (`proto-max-bulk-len`). hiredis counts a command in 32 bits.
    static let longestWord = 512 << 20
    /// The longest command, all its words together.
    static let longestCommand = 1 << 30

    /// Whether Redis would take the command. One that is not sent must not be waited for: the next reply would be taken for its.
    static func fits(_ arguments: [RedisArgument]) -> Bool {
        guard arguments.count <= 1 << 20 else { return false }
        var all = 0
        for argument in arguments {
            let count = argument.byteCount
            all += count + 32
            if count > longestWord || all > longestCommand { return false }
        }
        return true
    }

    /// Hands the command's bytes to `body`, which must copy them.
    func format(_ arguments: [RedisArgument], _ body: (UnsafeRawBufferPointer) -> Void) {
        words.removeAll(keepingCapacity: words.capacity < 1 << 16)
        // Loops, not `map`: in what runs isolated the closures of that are checked for it, each time.
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
            // Into one of hiredis' own strings: its other formatter has printf write each length.
            var command: sds?
            let count = redisFormatSdsCommandArgv(&command, Int32(arguments.count), &starts, &lengths)
            guard count > 0, let command else { return }
            body(UnsafeRawBufferPointer(start: command, count: Int(count)))
            redisFreeSdsCommand(command)
        }
    }

    /// Takes bytes off the wire; each complete reply goes to `body`.
    /// - Returns: nil, or why the bytes are no replies; the connection is then of no more use.
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
