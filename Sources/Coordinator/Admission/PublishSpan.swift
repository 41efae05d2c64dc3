import TintypeCore
import TintypeTransport

extension Tracer {
    /// Begins the span of a submit, if its trace is sent.
    /// - Parameter parent: The place of the request in its trace; nil: it has none.
    func beginPublish(_ receipt: String, in queue: String, below parent: TraceContext?) -> TraceSpan? {
        guard let parent, parent.isSampled else { return nil }
        var span = TraceSpan("publish \(queue)", .producer, below: parent, start: WallClock.now)
        span["messaging.system"] = "tintype"
        span["messaging.operation.type"] = "send"
        span["messaging.destination.name"] = .string(queue)
        span["messaging.message.id"] = .string(receipt)
        return span
    }
}
