import Synchronization
import TintypeCore
package import TintypeImages
package import TintypeTransport

/// The file of an image in a folder, kept open after its digest was found right. Its bytes are sent from the page cache, without being read and
/// checked again.
///
/// That is as safe as a digest for each answer, for these reasons:
///
/// - The bytes of one open file are meant. Writers of a store rename whole files into place, and never write into one. So the file stays complete,
///   whatever becomes of its path.
/// - `isCurrent` compares the identity of the open file (`FileIdentity`) for each answer. Any replacement, write, cut or deletion since the check
///   changes it, and the file is read whole and checked again. A digest guards against accidents only: a program that may write into the folder can
///   make a whole valid entry.
/// - If a folder above the file is moved, the file does not change. So the file at the path is compared too, at most every `pathTrust`. That
///   costs three times as much.
/// - `checkedBytes` looks again before the end of an answer that the kernel has not taken in one step (`Outgoing`). An answer from a file that changes
///   meanwhile is never completed. Short bodies are copied before the file is compared.
/// - A disk that returns other bytes changes no time. So bytes that are not in the page cache any more (`cachedBytes`, `isCached`) are checked again
///   when they are read anew.
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
    /// The time of the last look at the path.
    private var pathSeen: ContinuousClock.Instant?
    /// The time at which an end of a part was last found in the page cache, and that end.
    private var cacheSeen: (time: ContinuousClock.Instant, end: Int)?

    /// Bytes up to this number are copied, which takes no longer than `sendfile`, and are checked when they are out of reach of other programs.
    package nonisolated static let mostCopied = 16 << 10
    /// The time for which the path is taken to lead to the file. News of a cleared store may take as long from one coordinator to another.
    nonisolated static let pathTrust = Duration.milliseconds(100)
    /// The time for which bytes are taken to stay in the page cache. The kernel drops those first that were not used for long, and these were just sent.
    nonisolated static let cacheTrust = Duration.seconds(1)

    private let share: OpenCount.Share

    init(_ verified: VerifiedFile, countedBy open: OpenCount) {
        (self.verified, image, identity) = (verified, verified.image, verified.identity)
        share = OpenCount.Share(of: open)
    }

    /// The number of bytes of the image.
    package nonisolated var count: Int { verified.place.count }

    /// Returns the properties of the file if it is unchanged, and its path still leads to it.
    func current(at now: ContinuousClock.Instant) -> FileStatus? {
        let looksAtPath = !verified.showsEnd || pathSeen.map { now - $0 >= Self.pathTrust } ?? true
        guard let status = looksAtPath ? FileCalls.status(verified.path) : (try? verified.file.status()), isCurrent(status) else { return nil }
        if looksAtPath { pathSeen = now }
        return status
    }

    private func isCurrent(_ status: FileStatus) -> Bool {
        // Files of a store have one path, and it is gone if they were deleted or replaced. The time of change may be the same as before: kernels
        // before 6.13 count it in ticks, and the mark of a read hides it.
        status.hasPath && (isBeingMarked ? status.identity.hasSameBytes(as: identity) : status.identity == identity)
    }

    package func checkedBytes(_ place: Range<Int>) -> [UInt8]? {
        let bytes = try? verified.file.read(place)
        return bytes?.count == place.count && isUnchanged ? bytes : nil
    }

    /// Times other than that of the modification do not count: a file may be renamed, marked or deleted while it is being sent.
    package var isUnchanged: Bool { (try? verified.file.status())?.identity.hasSameBytes(as: identity) ?? false }

    /// Returns a copy of bytes of the image; nil if they are not in the page cache any more.
    package func cachedBytes(_ range: Range<Int>) -> [UInt8]? { verified.file.cached(place(range)) }

    /// Returns bytes of the image to be sent from the file.
    package func part(_ range: Range<Int>) -> FilePart { FilePart(self, at: place(range).lowerBound, count: range.count) }

    /// Returns whether the end of a part is in the page cache. Then the rest is most likely there too: the kernel reads files from the beginning, and
    /// drops what was not used for long.
    /// - Parameter now: The kernel is asked at most every `cacheTrust`.
    package func isCached(_ range: Range<Int>, at now: ContinuousClock.Instant = .now) -> Bool {
        if range.isEmpty { return true }
        if let cacheSeen, range.upperBound <= cacheSeen.end, now - cacheSeen.time < Self.cacheTrust { return true }
        guard verified.file.isCached(place(range).upperBound - 1) else { return false }
        cacheSeen = (now, range.upperBound)
        return true
    }

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

/// The beginning of the entry of an image. It contains the digest of all of the entry, and so tells the image from any other that is put under its key.
package struct StoredMark: Sendable, Hashable {
    package let key: String
    let bytes: [UInt8]

    /// Hashes the bytes of an image whose hash is not known.
    package init(_ image: StoredImage) {
        (key, bytes) = (image.key, Array(StoredImageCodec.front(image).prefix(StoredImageCodec.prefixLength)))
    }
}

/// The number of files that are open: those that a store keeps, and those that it has dropped while clients still take them.
final class OpenCount: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }

    /// One open file, counted until this object ends.
    final class Share: Sendable {
        private let count: OpenCount

        init(of count: OpenCount) {
            self.count = count
            count.number.add(1, ordering: .relaxed)
        }
        deinit { count.number.subtract(1, ordering: .relaxed) }
    }
}
