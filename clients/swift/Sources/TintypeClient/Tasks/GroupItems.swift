/// One item of a batch or a chain that has ended.
public struct GroupItem: Sendable {
    /// The place of its request, from 0.
    public let index: Int
    public let receipt: String?
    /// Its image, or the reason why there is none.
    public let result: Result<LoadedImage, TintypeError>

    /// The image.
    ///
    /// - Throws: The error of the item.
    public var image: LoadedImage {
        get throws(TintypeError) { try result.get() }
    }

    init(_ entry: GroupEntry, client: Tintype) {
        (index, receipt) = (entry.index, entry.receipt)
        if let result = entry.result {
            self.result = .success(LoadedImage(result, client: client))
        } else {
            result = .failure((entry.error ?? .local(.cancelled, "the item was cancelled with its group")).of(entry.receipt))
        }
    }
}

/// The items of a group in the order in which they end, each once. They are read only as fast as the loop takes them.
///
/// When the task that reads is cancelled, the group is cancelled.
public struct GroupItems: AsyncSequence, Sendable {
    public typealias Element = GroupItem
    public typealias Failure = TintypeError

    let group: Group
    let window: Int

    public func makeAsyncIterator() -> Iterator {
        Iterator(group: group, window: window)
    }

    public struct Iterator: AsyncIteratorProtocol {
        /// Seconds between two looks, at least and at most.
        private static let (soonest, latest) = (0.1, 2.0)
        private static let mostItems = 500

        private let group: Group
        /// About as many items are asked for at once as run at once.
        private var window: Int
        private var fresh: [GroupEntry] = []
        /// All items before this one were given.
        private var low = 0
        private var given: Set<Int> = []
        private var wait = 0.0
        private var end: TintypeError?
        private var isOver = false

        fileprivate init(group: Group, window: Int) {
            (self.group, self.window) = (group, Swift.max(1, Swift.min(window, Self.mostItems)))
        }

        /// Returns the next item; nil after the last one.
        ///
        /// - Throws: The error of the group: its first failure with `.failFast`, or its cancellation.
        public mutating func next() async throws(TintypeError) -> GroupItem? {
            while fresh.isEmpty {
                if let end { throw end }
                if isOver || low >= group.total { return nil }
                try await look()
            }
            let entry = fresh.removeFirst()
            given.insert(entry.index)
            while given.remove(low) != nil { low += 1 }
            return GroupItem(entry, client: group.client)
        }

        private mutating func look() async throws(TintypeError) {
            let page: GroupInfo
            do throws(TintypeError) {
                page = try await group.page(from: low, limit: window, wait: wait)
            } catch {
                if Task.isCancelled { group.withdraw() }
                throw error
            }
            fresh = (page.results ?? []).filter { $0.state != .queued && $0.state != .running && !given.contains($0.index) }
            if page.state == .failed || page.state == .cancelled { end = group.error(page) }
            if !fresh.isEmpty {
                wait = Self.soonest
            } else if page.finished > low + given.count, window < group.total {
                // Items end in any order: what has ended may lie behind the window.
                window = Swift.min(window * 2, 10_000)
                wait = 0
            } else if page.state == .running {
                wait = Swift.min(Self.latest, Swift.max(Self.soonest, wait * 1.5))
            } else {
                isOver = true
            }
        }
    }
}
