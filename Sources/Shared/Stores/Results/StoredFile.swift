import TintypeCore
package import TintypeTransport
package import TintypeImages

/// The file of an image in a folder, kept open after its digest was found right. Its bytes are sent from the page cache, without being read and
/// checked again.
///
/// That is as safe as a digest for each answer, for these reasons:
///
/// - The bytes of one open file are meant. Writers of a store rename whole files into place, and never write into one. So the file stays complete,
///   whatever becomes of its path.
/// - `isCurrent` compares the identity of the file at the path (`FileIdentity`) before each answer. Any replacement, write or cut since the check is
///   noticed, and the file is read whole and checked again. A digest guards against accidents only: a program that may write into the folder can make
///   a whole valid entry.
/// - `checkedBytes` looks again before the end of an answer that the kernel has not taken in one step (`Outgoing`). An answer from a file that changes
///   meanwhile is never completed. Short bodies are copied before the file is compared.
/// - A disk that returns other bytes changes no time. So bytes that are not in the page cache any more (`bytes`, `isCached`) are checked again when they
///   are read anew.
///
/// Bytes in the socket's queue are still those of the page cache. A foreign program that writes into the file while a complete answer waits there would
/// change them. That is so with every server that uses `sendfile`.
@Loop
package final class StoredFile: OutgoingFile {
    /// The image without its bytes.
    package let image: StoredImage
    package nonisolated var descriptor: Int32 { verified.file.descriptor }
    /// An object that a reader of the file keeps with it.
    package var companion: AnyObject?

    private let verified: VerifiedFile
    private var identity: FileIdentity
    /// Whether the time of the last read is being set, which changes the time of change.
    private(set) var isBeingMarked = false
    /// Whether nobody has asked for the file since the last sweep.
    var isIdle = false

    /// Bytes up to this number are copied, which takes no longer than `sendfile`, and are checked when they are out of reach of other programs.
    package nonisolated static let mostCopied = 16 << 10

    private let share: OpenCount.Share

    init(_ verified: VerifiedFile, countedBy open: OpenCount) {
        (self.verified, image, identity) = (verified, verified.image, verified.identity)
        share = OpenCount.Share(of: open)
    }

    /// The number of bytes of the image.
    package nonisolated var count: Int { verified.place.count }
    nonisolated var path: String { verified.path }

    /// Returns whether these properties are those of the file, unchanged.
    func isCurrent(_ status: FileStatus) -> Bool {
        isBeingMarked ? status.identity.hasSameBytes(as: identity) : status.identity == identity
    }

    package func checkedBytes(_ place: Range<Int>) -> [UInt8]? {
        let bytes = try? verified.file.read(place)
        return bytes?.count == place.count && isUnchanged() ? bytes : nil
    }

    /// Times other than that of the modification do not count: a file may be renamed, marked or deleted while it is being sent.
    private func isUnchanged() -> Bool {
        (try? verified.file.status())?.identity.hasSameBytes(as: identity) ?? false
    }

    /// Returns a copy of bytes of the image; nil if they are not in the page cache any more, or were changed.
    package func bytes(_ range: Range<Int>) -> [UInt8]? {
        let bytes = verified.file.cached(place(range))
        return isUnchanged() ? bytes : nil
    }

    /// Returns bytes of the image to be sent from the file.
    package func part(_ range: Range<Int>) -> FilePart { FilePart(self, at: place(range).lowerBound, count: range.count) }

    /// Returns whether the end of a part is in the page cache. Then the rest is most likely there too: the kernel reads files from the beginning, and
    /// drops what was not used for long.
    package func isCached(_ range: Range<Int>) -> Bool { range.isEmpty || verified.file.isCached(place(range).upperBound - 1) }

    private func place(_ range: Range<Int>) -> Range<Int> {
        verified.place.lowerBound + range.lowerBound..<verified.place.lowerBound + range.upperBound
    }

    /// Sets the time of the last read to now, on a thread of the pool.
    func mark(on pool: BlockingPool) {
        guard !isBeingMarked else { return }
        isBeingMarked = true
        pool.start { [verified, identity] in
            let marked = verified.markRead(as: identity)
            Loop.execute {
                self.isBeingMarked = false
                if let marked { self.identity = marked }
            }
        }
    }
}
