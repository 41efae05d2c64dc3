/// Pauses after each page of a long walk through a queue, for as long as the page took. So other callers get half of the time of Redis.
package struct PagingPause {
    private var begun = ContinuousClock.now

    package init() {}

    /// Pauses for as long as the last page took.
    /// - Returns: false once the task was cancelled; then read no further page.
    @Loop
    package mutating func pause() async -> Bool {
        try? await Loop.sleep(.now - begun)
        begun = .now
        return !Task.isCancelled
    }
}
