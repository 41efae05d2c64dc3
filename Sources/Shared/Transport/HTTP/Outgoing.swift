/// The bytes of an answer that the kernel has not taken yet.
///
/// The body is a slice of the array that its owner shares with all its readers, or a part of an open file. No byte of it is copied.
///
/// A file may change while a client takes it slowly. So if the kernel does not take a file in one step, its end is held back. The end is read, the file
/// is checked, and only then is the end sent. Thus an answer whose file has changed is never completed. Its owner checks a file when the answer is made.
/// That is just before it begins, unless answers before it wait. One step needs no second check, which would cost a packet more for each answer.
struct Outgoing {
    /// The bytes at the end of a file that are read and checked before they are sent.
    static let checkedEnd = 4 << 10
    /// The maximum number of bytes of a file that are offered to the kernel at one time. They take no memory, and the kernel takes only as many as its
    /// buffer has room for.
    static let filePiece = 1 << 20
    /// The maximum number of bytes of a body that are offered to the kernel at one time.
    static let piece = 256 << 10

    /// The head, or the size of a chunk.
    private var before: [UInt8] = []
    private var sent = 0
    private var body: ArraySlice<UInt8> = []
    /// The body if it is in a file.
    private var file: FilePart?
    /// Whether bytes of the file were sent in an earlier turn.
    private var isBegun = false
    /// The end of a chunk, and of the body.
    private var after: ArraySlice<UInt8> = []
    /// Released when the body is not needed any more.
    private var held: AnyObject?

    /// The number of bytes that are left.
    var count: Int { before.count - sent + body.count + (file?.count ?? 0) + after.count }
    var isEmpty: Bool { count == 0 }

    /// Bytes of the current piece.
    var pending: Int { min(count, before.count - sent + (file == nil ? Self.piece : Self.filePiece) + after.count) }

    /// Adds bytes. Bytes of an earlier body must have been taken.
    mutating func add(_ bytes: [UInt8], body: ArraySlice<UInt8> = [], after: ArraySlice<UInt8> = [], holding held: AnyObject? = nil) {
        precondition(self.body.isEmpty && file == nil && self.after.isEmpty, "a piece is being sent")
        if sent == before.count { (before, sent) = (bytes, 0) } else { before += bytes }
        (self.body, self.after, self.held) = (body, after, held)
    }

    /// Adds a head, and a part of a file as its body.
    mutating func add(_ bytes: [UInt8], file part: FilePart) {
        add(bytes)
        if part.count > 0 { file = part }
    }

    /// Offers a piece to the kernel.
    /// - Returns: how many bytes it has taken; nil if the connection broke, or a file has changed.
    @Loop mutating func offer(to wire: any Wire) -> Int? {
        guard let file else { return offerBytes(to: wire) }
        let count = min(isBegun || file.count > Self.filePiece ? file.count - Self.checkedEnd : file.count, Self.filePiece)
        var taken = 0
        if count > 0 {
            guard let first = before.withUnsafeBytes({ wire.write(UnsafeRawBufferPointer(rebasing: $0[sent...]), file, upTo: count) }) else { return nil }
            let wanted = before.count - sent + count
            isBegun = true
            drop(first)
            guard first == wanted, let rest = self.file, rest.count <= Self.checkedEnd else { return first }
            taken = first
        }
        guard let rest = self.file, let end = rest.file.checkedBytes(rest.offset..<rest.offset + rest.count) else { return nil }
        (body, self.file) = (end[...], nil)
        return offerBytes(to: wire).map { $0 + taken }
    }

    @Loop private mutating func offerBytes(to wire: any Wire) -> Int? {
        let taken = before.withUnsafeBytes { before in
            body.prefix(Self.piece).withUnsafeBytes { piece in
                after.withUnsafeBytes { after in
                    let last = piece.count < body.count ? UnsafeRawBufferPointer(start: nil, count: 0) : after
                    return wire.write(UnsafeRawBufferPointer(rebasing: before[sent...]), piece, last)
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
        if file != nil {
            file?.drop(left)
            if isEmpty { self = Outgoing() }
            return
        }
        let second = min(left, body.count)
        body = body.dropFirst(second)
        after = after.dropFirst(left - second)
        if isEmpty { self = Outgoing() }
    }
}
