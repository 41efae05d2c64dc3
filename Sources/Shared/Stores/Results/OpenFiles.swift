import TintypeCore
import TintypeTransport

/// The files of a store that are kept open, by key. The number is limited; the least recently used ones are closed first.
///
/// An open file takes a descriptor, and its space on the disk even after it was deleted. So a file that nobody has asked for between two sweeps is
/// closed, and a deleted one at the first request.
@Loop
final class OpenFiles {
    /// The most files that a store keeps open: a small part of the descriptors that the process may have.
    nonisolated static var most: Int { min(1024, Descriptors.limit / 16) }

    private var files: MemoryCache<String, StoredFile>
    private let open = OpenCount()
    private let mostOpen: Int

    /// - Parameter most: 0 keeps none.
    nonisolated init(most: Int) {
        files = MemoryCache(capacity: most, lowWater: 90)
        mostOpen = 2 * most
    }

    var count: Int { files.count }
    /// The number of files that are open, with those that were dropped while clients take them.
    var openCount: Int { open.value }

    /// Keeps a file open, unless slow clients hold as many files as are kept.
    func keep(_ verified: VerifiedFile, as key: String) {
        guard open.value < mostOpen else { return }
        files.insert(StoredFile(verified, countedBy: open), for: key, cost: 1)
    }

    /// Returns the file of a key with its properties, if it is still the current one when `copy` has returned.
    /// - Parameter copy: takes bytes of the file, and returns whether it has them. They are right if there is a file.
    func current(_ key: String, at now: ContinuousClock.Instant = .now, copying copy: (StoredFile) -> Bool) -> (file: StoredFile, status: FileStatus)? {
        guard let file = files.value(for: key), copy(file) else { return nil }
        guard let status = file.current(at: now) else {
            drop(key)
            return nil
        }
        file.isIdle = false
        return (file, status)
    }

    func drop(_ key: String) { files.remove(key) }

    func dropAll() { files.removeAll() }

    /// Closes the files that nobody has asked for since the last sweep.
    func sweep() {
        for key in files.keys {
            guard let file = files.peek(key) else { continue }
            if file.isIdle { drop(key) } else { file.isIdle = true }
        }
    }
}
