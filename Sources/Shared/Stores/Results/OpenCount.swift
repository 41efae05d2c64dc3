import Synchronization

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
