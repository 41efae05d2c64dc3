/// The body of a request as it arrives. Pure.
struct IncomingBody {
    let head: HTTPHead
    /// The longest body that is accepted.
    let limit: Int
    private(set) var bytes: [UInt8] = []
    /// Bytes that have arrived, framing included.
    private(set) var count = 0
    /// nil for a body of known length.
    private var chunks: ChunkScanner?

    init(_ head: HTTPHead, limit: Int) {
        (self.head, self.limit) = (head, limit)
        chunks = head.length == nil ? ChunkScanner() : nil
        // The announced bytes have room in the budget. Memory that is never written is never used.
        bytes.reserveCapacity(min(head.length ?? 0, limit))
    }

    /// Reads the next bytes.
    /// - Returns: how many of them belong to this body.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Int {
        let taken: Int
        if chunks != nil {
            taken = chunks?.take(piece, into: &bytes) ?? 0
        } else {
            taken = min(piece.count, (head.length ?? 0) - bytes.count)
            bytes.append(contentsOf: piece[..<taken])
        }
        count += taken
        return taken
    }

    /// The fault in the framing, as text after "the request's body".
    var flaw: String? { chunks?.flaw }
    var isComplete: Bool { chunks?.isComplete ?? (bytes.count == head.length) }
    /// The bytes that have arrived or are announced.
    var announced: Int { chunks?.announced ?? head.length ?? 0 }
}
