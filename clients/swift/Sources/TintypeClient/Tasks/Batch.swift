/// Many images as one group. Loop over its items as they end, or await all of them.
///
/// ```swift
/// for try await item in tintype.batch(requests, mode: .settleAll) { print(item.index, try item.image.width) }
/// ```
public struct Batch: AsyncSequence, Sendable {
    public typealias Element = GroupItem
    public typealias Failure = TintypeError

    let group: Group
    let concurrency: Int

    init(_ group: Group, concurrency: Int) {
        (self.group, self.concurrency) = (group, concurrency)
    }

    /// The id: the right to ask for the group, so a secret.
    public var id: String {
        get async throws(TintypeError) { try await group.id }
    }

    /// How many items have ended, as far as the client knows, and how many there are.
    public var progress: (finished: Int, total: Int) { (group.finished, group.total) }

    /// Waits for the end, and returns all items in the order of the requests.
    ///
    /// - Throws: With `.failFast`, the first failure. Its `index` is that of the item.
    public var results: [Result<LoadedImage, TintypeError>] {
        get async throws(TintypeError) {
            var results = [Result<LoadedImage, TintypeError>?](repeating: nil, count: group.total)
            var iterator = makeAsyncIterator()
            while let item = try await iterator.next() { results[item.index] = item.result }
            return results.map { $0 ?? .failure(.local(.cancelled, "the item was cancelled with its group")) }
        }
    }

    /// Waits for the end, and returns all images in the order of the requests.
    ///
    /// - Throws: The first failure. Its `index` is that of the item.
    public var images: [LoadedImage] {
        get async throws(TintypeError) {
            var images: [LoadedImage] = []
            for (index, result) in try await results.enumerated() {
                do throws(TintypeError) { images.append(try result.get()) } catch { throw error.of(item: index) }
            }
            return images
        }
    }

    /// Ends the batch. Downloads that others want go on.
    ///
    /// - Returns: Whether it was still going on.
    @discardableResult
    public func cancel() async throws(TintypeError) -> Bool {
        try await group.cancel()
    }

    public func makeAsyncIterator() -> GroupItems.Iterator {
        GroupItems(group: group, window: 2 * concurrency).makeAsyncIterator()
    }
}
