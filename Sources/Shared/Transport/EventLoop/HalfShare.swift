/// Rests after each page of a long walk through a queue for as long as the page took: what is served beside the walk has half of Redis.
package struct HalfShare {
    private var begun = ContinuousClock.now

    package init() {}

    /// - Returns: false once the task was cancelled: there is to be no next page.
    @Loop
    package mutating func rest() async -> Bool {
        try? await Loop.sleep(.now - begun)
        begun = .now
        return !Task.isCancelled
    }
}
