import Synchronization
import TintypeCore

/// The bytes of one source for pixel processes, the same for all jobs of that source.
///
/// Short sources stay in the worker's own memory, and each process that gets one is shown it in its window (`SourceWindow`). Long ones are in sealed
/// memory: their copy would block the loop for too long, and a window for them would hold too much memory.
package final class JobSource: Sendable {
    enum Place: Sendable {
        case own([UInt8])
        case sealed(SealedMemory)
    }

    /// The name of the source in processes, which may keep its pixels. No other source of this worker has it.
    let number: Int
    let place: Place
    package let count: Int
    /// The scope whose source it is (`Source.scope`); nil: of none.
    let owner: ExactText?

    private static let last = Atomic(0)

    private init(_ place: Place, _ count: Int, _ scope: String?) {
        (self.place, self.count, owner) = (place, count, scope.map { ExactText($0) })
        number = Self.last.add(1, ordering: .relaxed).newValue
    }

    /// Refers to bytes that are short enough for a window.
    convenience init(_ bytes: [UInt8], scope: String? = nil) {
        assert(SourceWindow.takes(bytes.count))
        self.init(.own(bytes), bytes.count, scope)
    }

    package convenience init(_ memory: SealedMemory, scope: String? = nil) { self.init(.sealed(memory), memory.count, scope) }

    /// Returns a copy of the first bytes; nothing if they cannot be read.
    package func beginning(_ most: Int) -> [UInt8] {
        switch place {
        case .own(let bytes): Array(bytes.prefix(most))
        case .sealed(let memory): (try? SealedMemory.copy(memory.descriptor, min(most, count))) ?? []
        }
    }

    /// Whether the bytes are a copy, in memory besides the array that they came in.
    package var isCopy: Bool { if case .sealed = place { true } else { false } }
}
