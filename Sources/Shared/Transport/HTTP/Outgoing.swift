/// The bytes of an answer that the kernel has not taken yet.
///
/// The body is a slice of the array that its owner shares with all its readers, or a part of an open file. No byte of it is copied.
///
/// A file goes in pieces, one for each turn of the loop, as long as the kernel takes them whole. It may change meanwhile. So it is checked again before
/// the last piece, as its owner has checked it before the first. A file of one piece needs no second check.
///
/// A client that takes its bytes slowly leaves more time. So once the kernel has not taken a piece whole, the end of the file is held back. The end is
/// read, the file is checked, and only then is the end sent. Thus an answer whose file has changed is never completed.
struct Outgoing {
    /// The bytes at the end of a file that are read and checked before they are sent.
    static let checkedEnd = 4 << 10
    /// The maximum number of bytes of a file that are offered to the kernel at one time. With the head, they fill one segment before it is cut into
    /// packets. A congestion control that spaces segments (BBR) sends a second one of the same call by a timer, which costs more than the call. Until
    /// the next turn that time has passed.
    static let filePiece = 60 << 10
    /// The same for a client that takes its bytes slowly. They take no memory, and the kernel takes only as many as its buffer has room for.
    static let slowPiece = 1 << 20
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
    /// Whether a piece of the file was not taken whole. From then on the client has to be awaited before each piece.
    private var isFull = false
    /// The end of a chunk, and of the body.
    private var after: ArraySlice<UInt8> = []
    /// Released when the body is not needed any more.
    private var held: AnyObject?

    /// The number of bytes that are left.
    var count: Int { before.count - sent + body.count + (file?.count ?? 0) + after.count }
    var isEmpty: Bool { count == 0 }
    /// Whether the next piece of a file can be offered without awaiting the client.
    var goesOn: Bool { file != nil && isBegun && !isFull }

    /// Bytes of the current piece.
    var pending: Int { min(count, before.count - sent + (file == nil ? Self.piece : isFull ? Self.slowPiece : Self.filePiece) + after.count) }

    /// The array behind the body.
    struct Kept {
        /// Tells the array from all others while the body is being sent.
        let id: UnsafeRawPointer
        let bytes: Int
    }

    /// The array behind the rest of the body; nil if there is none, or if it is in a file.
    var kept: Kept? {
        if let shared = held as? SharedBody { return Kept(id: shared.id, bytes: shared.bytes.count) }
        return body.withUnsafeBytes { rest in rest.baseAddress.map { Kept(id: $0 - body.startIndex, bytes: body.endIndex) } }
    }

    /// Adds bytes. Bytes of an earlier body must have been taken.
    mutating func add(_ bytes: [UInt8], body: ArraySlice<UInt8> = [], after: ArraySlice<UInt8> = [], holding held: AnyObject? = nil) {
        precondition(self.body.isEmpty && file == nil && self.after.isEmpty, "a piece is being sent")
        if sent == before.count { (before, sent) = (bytes, 0) } else { before += bytes }
        (self.body, self.after, self.held) = (body, after, held)
    }

    /// Adds a head, and a part of a file as its body.
    /// - Parameter isBehind: whether bytes of answers before it wait. Then it begins some time after its owner has checked the file.
    mutating func add(_ bytes: [UInt8], file part: FilePart, isBehind: Bool) {
        add(bytes)
        if part.count > 0 { (file, isFull) = (part, isBehind) }
    }

    /// Offers a piece to the kernel.
    /// - Returns: how many bytes it has taken; nil if the connection broke, or a file has changed.
    @Loop mutating func offer(to wire: any Wire) -> Int? {
        guard let file else { return offerBytes(to: wire) }
        return isFull ? offerSlowly(file, to: wire) : offerAtOnce(file, to: wire)
    }

    @Loop private mutating func offerAtOnce(_ file: FilePart, to wire: any Wire) -> Int? {
        let count = min(file.count, Self.filePiece)
        if isBegun, count == file.count, !file.file.isUnchanged { return nil }
        guard let taken = offer(count, of: file, to: wire) else { return nil }
        isBegun = true
        isFull = taken < before.count - sent + count || wire.pending > 0
        drop(taken)
        return taken
    }

    @Loop private mutating func offerSlowly(_ file: FilePart, to wire: any Wire) -> Int? {
        let count = min(file.count - Self.checkedEnd, Self.slowPiece)
        var taken = 0
        if count > 0 {
            guard let first = offer(count, of: file, to: wire) else { return nil }
            let wanted = before.count - sent + count
            drop(first)
            guard first == wanted, let rest = self.file, rest.count <= Self.checkedEnd else { return first }
            taken = first
        }
        guard let rest = self.file, let end = rest.file.checkedBytes(rest.offset..<rest.offset + rest.count) else { return nil }
        (body, self.file) = (end[...], nil)
        return offerBytes(to: wire).map { $0 + taken }
    }

    @Loop private func offer(_ count: Int, of file: FilePart, to wire: any Wire) -> Int? {
        before.withUnsafeBytes { wire.write(UnsafeRawBufferPointer(rebasing: $0[sent...]), file, upTo: count) }
    }

    @Loop private mutating func offerBytes(to wire: any Wire) -> Int? {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let taken =
            if body.isEmpty, after.isEmpty {
                // As most short answers: each closure costs a check of the current executor.
                before.withUnsafeBytes { wire.write(UnsafeRawBufferPointer(rebasing: $0[sent...]), none, none) }
            } else {
                before.withUnsafeBytes { before in
                    body.prefix(Self.piece).withUnsafeBytes { piece in
                        after.withUnsafeBytes { after in
                            wire.write(UnsafeRawBufferPointer(rebasing: before[sent...]), piece, piece.count < body.count ? none : after)
                        }
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

/// Bytes that several answers share. They are in memory until the last of these answers is sent.
package final class SharedBody: Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Tells the body from all others.
    var id: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}
