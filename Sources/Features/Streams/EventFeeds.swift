import Coordinator
import TintypeTransport

/// The feeds of all streams at this coordinator. A feed outlives its last stream for a while, so that a client with a broken connection misses nothing.
@Loop
final class EventFeeds {
    /// The time for which a feed without streams remembers its events.
    static let linger = Duration.seconds(60)
    /// The most feeds without streams. The one that was left first goes first.
    static let mostIdle = 256

    private final class Place {
        let feed: EventFeed
        var streams = 0
        var timer: LoopTimer?
        init(_ feed: EventFeed) { self.feed = feed }
    }

    private let channels: RedisChannels
    private let scope: TaskScope
    private let coordinator: String
    private var places: [EventSubject: Place] = [:]
    private var idle: [EventSubject] = []
    private var lastName = 0

    init(channels: RedisChannels, scope: TaskScope, coordinator: String) {
        (self.channels, self.scope, self.coordinator) = (channels, scope, coordinator)
    }

    /// Returns the feed of a subject. `leave` has to follow once.
    func enter(_ subject: EventSubject, read: @escaping EventFeed.Reader) -> EventFeed {
        if let place = places[subject] {
            place.streams += 1
            place.timer = nil
            idle.removeAll { $0 == subject }
            return place.feed
        }
        let feed = EventFeed(
            subject, channels: channels, scope: scope,
            nextName: { [weak self, coordinator] in
                self?.lastName += 1
                // No receipt has a slash in its id.
                return "\(coordinator)/\(self?.lastName ?? 0)"
            }, read: read)
        let place = Place(feed)
        place.streams = 1
        places[subject] = place
        feed.start()
        return feed
    }

    func leave(_ feed: EventFeed) {
        let subject = feed.subject
        guard let place = places[subject] else { return }
        place.streams -= 1
        guard place.streams == 0 else { return }
        idle.append(subject)
        place.timer = LoopTimer(after: Self.linger) { [weak self] in self?.forget(subject) }
        if idle.count > Self.mostIdle { forget(idle[0]) }
    }

    private func forget(_ subject: EventSubject) {
        idle.removeAll { $0 == subject }
        places.removeValue(forKey: subject)?.feed.stop()
    }
}
