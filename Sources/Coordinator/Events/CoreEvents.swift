package import TintypeCore
package import TintypeImages
package import TintypeTransport
package import TintypeQueue

/// The reports of the core to features, and its questions. The feature whose subject it is sets the function; without that feature, nothing happens.
@Loop
package final class CoreEvents {
    /// The end of a receipt has stored a callback.
    package var callbackOwed: (@Loop () -> Void)?
    /// The receipts in flight of a queue have changed in number.
    package var inFlightChanged: (@Loop (_ change: Int, QueueHandle) -> Void)?
    /// A group has ended, at any coordinator.
    package var groupEnded: (@Loop (_ group: String) -> Void)?
    /// A queue has answered a heartbeat.
    package var greeted: (@Loop (HeartbeatAnswer, QueueHandle) -> Void)?
    /// Returns the number of active requests that other coordinators hear of.
    package var runningCount: (@Loop () -> Int)?
    /// A purge has ended: what was purged, and the answer to its client.
    package var purged: (@Loop (_ purge: JSONObject, _ counts: JSONObject) async -> Void)?
    /// The points of the fleet's statistics, for streams.
    package var statistics: (any StatisticsFeed)?
    /// Further subjects of subscriptions beside receipts, queues and workers, by the parameter of `events.subscribe`.
    package var subjects: [String: SubscriptionSubject] = [:]
}

/// The points of statistics as they come, for the clients that follow them.
@Loop
package protocol StatisticsFeed: AnyObject {
    /// The role that a token needs for them.
    var role: AccessRole { get }
    /// Adds a listener. Returns its number.
    func join(_ listener: @escaping @Loop (StreamEvent) -> Void) -> Int
    func leave(_ listener: Int)
    /// Returns the points that end after a time, in epoch seconds; nil for no points of the past.
    func events(after time: Int?) -> [StreamEvent]
}

/// One event of a stream that continues after a broken connection. Pure.
package struct StreamEvent: Sendable, Hashable {
    /// The name by which a client that comes back says that it has this event; nil: the client keeps the name of an earlier event.
    package let id: String?
    package let type: String
    /// One line of JSON.
    package let data: String
    /// The number of the event, or of the last event in the state; nil in the stream of a queue.
    package let number: Int?
    /// Whether no event follows.
    package let isLast: Bool

    package init(id: String?, type: String, data: String, number: Int? = nil, isLast: Bool = false) {
        (self.id, self.type, self.data, self.number, self.isLast) = (id, type, data, number, isLast)
    }
}

/// A subject of `events.subscribe` that a feature brings.
@Loop
package struct SubscriptionSubject {
    /// A subscription that has begun.
    package struct Watch {
        /// Waits until no event can be missed any more.
        package let untilConfirmed: @Loop () async -> Void
        package let end: @Loop () -> Void

        package init(untilConfirmed: @escaping @Loop () async -> Void = {}, end: @escaping @Loop () -> Void) {
            (self.untilConfirmed, self.end) = (untilConfirmed, end)
        }
    }

    /// Checks that the client may watch the parameter's value.
    package let check: @Loop (JSON, Session) async throws(TintypeError) -> Void
    /// Begins to send events, under the id of the subscription.
    package let begin: @Loop (JSON, _ id: String, Session) -> Watch

    package init(
        check: @escaping @Loop (JSON, Session) async throws(TintypeError) -> Void = { _, _ in },
        begin: @escaping @Loop (JSON, _ id: String, Session) -> Watch
    ) {
        (self.check, self.begin) = (check, begin)
    }
}
