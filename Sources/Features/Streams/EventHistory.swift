import Coordinator
/// The latest events of one stream, for clients that come back. Pure. Each event has an id.
struct EventHistory: Sendable {
    static let most = 256
    /// The most bytes that are kept. The newest event stays even if it is longer.
    static let mostBytes = 256 << 10

    /// The place in front of the oldest event: a client with this id misses exactly the events here.
    private(set) var start: String
    private(set) var events: [StreamEvent] = []
    private var bytes = 0

    init(start: String) { self.start = start }

    /// The place behind the newest event.
    var position: String { events.last?.id ?? start }

    mutating func append(_ event: StreamEvent) {
        events.append(event)
        bytes += event.data.utf8.count
        var dropped = 0
        while events.count - dropped > 1, events.count - dropped > Self.most || bytes > Self.mostBytes {
            bytes -= events[dropped].data.utf8.count
            dropped += 1
        }
        guard dropped > 0 else { return }
        start = events[dropped - 1].id ?? start
        events.removeFirst(dropped)
    }

    /// Forgets everything, because events were missed.
    mutating func restart(at place: String) { self = EventHistory(start: place) }

    /// Returns the events behind a place; nil if the place is not known.
    func events(after id: String) -> ArraySlice<StreamEvent>? {
        // A receipt's id may be used twice, so the latest event counts.
        if let index = events.lastIndex(where: { $0.id == id }) { return events[(index + 1)...] }
        return id == start ? events[...] : nil
    }
}
