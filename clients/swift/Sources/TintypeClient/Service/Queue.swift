#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A queue of the service. Where tokens are required, its methods need the role `admin`.
public struct Queue: Sendable {
    public let name: String
    let client: Tintype

    /// Returns its limits and numbers.
    public func info() async throws(TintypeError) -> QueueInfo {
        try await client.methods.queueGet(queue: name)
    }

    /// Changes it, or makes it. Settings that are not given stay.
    @discardableResult
    public func configure(
        order: ImageRequest.Order? = nil, maxConcurrent: Int? = nil, maxConcurrentPerHost: Int? = nil, hostLimits: [String: Int]? = nil,
        maxQueued: Int? = nil, shards: Int? = nil
    ) async throws(TintypeError) -> QueueInfo {
        try await client.methods.queueConfigure(
            queue: name, order: order, maxConcurrent: maxConcurrent, maxConcurrentPerHost: maxConcurrentPerHost, hostLimits: hostLimits,
            maxQueued: maxQueued, shards: shards)
    }

    /// Begins no more fetches. Running ones go on.
    @discardableResult
    public func pause() async throws(TintypeError) -> QueueInfo {
        try await client.methods.queuePause(queue: name)
    }

    @discardableResult
    public func resume() async throws(TintypeError) -> QueueInfo {
        try await client.methods.queueResume(queue: name)
    }

    /// Cancels every receipt.
    @discardableResult
    public func cancelAll() async throws(TintypeError) -> QueueInfo {
        try await client.methods.queueCancelAll(queue: name)
    }

    /// All fetches that have failed for good, the newest first.
    public var deadLetters: DeadLetters { DeadLetters(queue: self) }

    /// The ends of all its receipts from now on, until the loop is left. A gap says that some are missing.
    public var events: QueueEvents { QueueEvents(queue: self) }
}

/// A fetch that has failed for good.
public struct DeadLetter: Sendable {
    public let id: String
    public let url: String
    /// Why.
    public let error: TintypeError
    /// The number of runs.
    public let attempts: Int
    public let at: Date
    /// Whether `retry` works; of others only the URL is kept.
    public let isRetryable: Bool
    private let queue: Queue

    init(_ info: DeadLetterInfo, queue: Queue) {
        (id, url, error, attempts) = (info.id, info.url, info.error, info.attempts)
        at = Date(timeIntervalSince1970: info.at)
        isRetryable = info.retryable
        self.queue = queue
    }

    /// Queues the fetch again, under the receipt `retry-ID`. Returns whether it was still there.
    @discardableResult
    public func retry() async throws(TintypeError) -> Bool {
        try await queue.deadLetters.retry([id]) > 0
    }

    /// Forgets it. Returns whether it was still there.
    @discardableResult
    public func remove() async throws(TintypeError) -> Bool {
        try await queue.deadLetters.remove([id]) > 0
    }
}

/// The fetches of a queue that have failed for good, the newest first. They are read page by page.
public struct DeadLetters: AsyncSequence, Sendable {
    public typealias Element = DeadLetter
    public typealias Failure = TintypeError

    let queue: Queue

    /// Queues dead letters again. Returns how many.
    @discardableResult
    public func retry(_ ids: [String]) async throws(TintypeError) -> Int {
        try await queue.client.methods.deadRetry(queue: queue.name, ids: ids)
    }

    /// Forgets dead letters. Returns how many.
    @discardableResult
    public func remove(_ ids: [String]) async throws(TintypeError) -> Int {
        try await queue.client.methods.deadRemove(queue: queue.name, ids: ids)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(queue: queue)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: Queue
        private var page: [DeadLetterInfo] = []
        private var cursor: String?
        private var isLast = false

        fileprivate init(queue: Queue) {
            self.queue = queue
        }

        public mutating func next() async throws(TintypeError) -> DeadLetter? {
            while page.isEmpty {
                if isLast { return nil }
                let answer = try await queue.client.methods.deadList(queue: queue.name, cursor: cursor)
                page = answer.items.reversed()
                cursor = answer.cursor
                isLast = cursor == nil
            }
            return DeadLetter(page.removeLast(), queue: queue)
        }
    }
}

/// The terminal events of a queue, from the first `next` on.
public struct QueueEvents: AsyncSequence, Sendable {
    public typealias Element = ImageEvent
    public typealias Failure = TintypeError

    let queue: Queue

    public func makeAsyncIterator() -> Iterator {
        Iterator(watch: QueueWatch(queue))
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watch: QueueWatch

        /// Returns the next event; nil when the task is cancelled.
        public mutating func next() async throws(TintypeError) -> ImageEvent? {
            try await watch.next()
        }
    }
}
