/// The bytes of an answer that the kernel has not taken yet. Pure.
///
/// The body is a slice of the array that its owner shares with all its readers: no byte of it is copied.
struct Outgoing {
    /// The maximum number of bytes of a body that are offered to the kernel at one time.
    static let piece = 256 << 10

    /// The head, or the size of a chunk.
    private var before: [UInt8] = []
    private var sent = 0
    private var body: ArraySlice<UInt8> = []
    /// The end of a chunk, and of the body.
    private var after: ArraySlice<UInt8> = []
    /// Released when the body is not needed any more.
    private var held: AnyObject?

    /// The number of bytes that are left.
    var count: Int { before.count - sent + body.count + after.count }
    var isEmpty: Bool { count == 0 }

    /// Bytes of the current piece.
    var pending: Int { min(count, before.count - sent + Self.piece + after.count) }

    /// Adds bytes. Bytes of an earlier body must have been taken.
    mutating func add(_ bytes: [UInt8], body: ArraySlice<UInt8> = [], after: ArraySlice<UInt8> = [], holding held: AnyObject? = nil) {
        precondition(self.body.isEmpty && self.after.isEmpty, "a piece is being sent")
        if sent == before.count { (before, sent) = (bytes, 0) } else { before += bytes }
        (self.body, self.after, self.held) = (body, after, held)
    }

    /// Offers a piece to `write`, which returns how many bytes it takes, or nil if the connection broke.
    /// - Returns: what `write` has returned.
    mutating func offer(_ write: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int?) -> Int? {
        let taken = before.withUnsafeBytes { before in
            body.prefix(Self.piece).withUnsafeBytes { piece in
                after.withUnsafeBytes { after in
                    let last = piece.count < body.count ? UnsafeRawBufferPointer(start: nil, count: 0) : after
                    return write(UnsafeRawBufferPointer(rebasing: before[sent...]), piece, last)
                }
            }
        }
        if let taken { drop(taken) }
        return taken
    }

    private mutating func drop(_ taken: Int) {
        var left = taken
        let first = min(left, before.count - sent)
        sent += first
        left -= first
        let second = min(left, body.count)
        body = body.dropFirst(second)
        after = after.dropFirst(left - second)
        if isEmpty { self = Outgoing() }
    }
}
