/// Images that are loaded one after the other. Loop over its steps as they end, or await all of them.
public struct Chain: AsyncSequence, Sendable {
    public typealias Element = GroupItem
    public typealias Failure = TintypeError

    let group: Group

    init(_ group: Group) {
        self.group = group
    }

    /// The id: the right to ask for the group, so a secret.
    public var id: String {
        get async throws(TintypeError) { try await group.id }
    }

    /// Waits for the end, and returns the images of all steps.
    ///
    /// - Throws: The failure of a step, which ends the chain. Its `index` is that of the step.
    public var images: [LoadedImage] {
        get async throws(TintypeError) {
            var images: [LoadedImage] = []
            var iterator = makeAsyncIterator()
            while let item = try await iterator.next() {
                do throws(TintypeError) { images.append(try item.image) } catch { throw error.of(item: item.index) }
            }
            return images
        }
    }

    /// Ends the chain.
    ///
    /// - Returns: Whether it was still going on.
    @discardableResult
    public func cancel() async throws(TintypeError) -> Bool {
        try await group.cancel()
    }

    public func makeAsyncIterator() -> GroupItems.Iterator {
        GroupItems(group: group, window: 16).makeAsyncIterator()
    }
}
