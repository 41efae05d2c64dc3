/// Images on their way into the caches. Await its end, or let it be.
public struct Prefetch: Sendable {
    /// The end of a prefetch.
    public struct Summary: Sendable {
        /// How many items have ended, failed ones too.
        public let finished: Int
        /// How many failed or were cancelled.
        public let skipped: Int
        /// The errors by the place of their item.
        public let errors: [Int: TintypeError]
    }

    let group: Group

    init(_ group: Group) {
        self.group = group
    }

    /// The id: the right to ask for the group, so a secret.
    public var id: String {
        get async throws(TintypeError) { try await group.id }
    }

    /// How many items have ended, as far as the client knows, and how many there are.
    public var progress: (finished: Int, total: Int) { (group.finished, group.total) }

    /// Waits for the end. When the task that waits is cancelled, the prefetch is cancelled.
    @discardableResult
    public func finished() async throws(TintypeError) -> Summary {
        do throws(TintypeError) {
            var page = try await group.page(from: 0, limit: 1, wait: 20)
            while page.state == .running { page = try await group.page(from: 0, limit: 1, wait: 20) }
            if page.state != .succeeded { throw group.error(page) }
            return Summary(finished: page.finished, skipped: page.skipped ?? 0, errors: (page.skipped ?? 0) > 0 ? try await errors() : [:])
        } catch {
            if Task.isCancelled { group.withdraw() }
            throw error
        }
    }

    /// Ends the prefetch. Downloads that others want go on.
    ///
    /// - Returns: Whether it was still going on.
    @discardableResult
    public func cancel() async throws(TintypeError) -> Bool {
        try await group.cancel()
    }

    private func errors() async throws(TintypeError) -> [Int: TintypeError] {
        var errors: [Int: TintypeError] = [:]
        var first: Int? = 0
        while let from = first {
            let page = try await group.page(from: from, limit: 1000, wait: 0)
            for item in page.results ?? [] { errors[item.index] = item.error }
            first = page.next
        }
        return errors
    }
}
