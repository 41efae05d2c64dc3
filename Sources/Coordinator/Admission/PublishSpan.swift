import TintypeCore
import TintypeTransport

extension Tracer {
    /// Begins the span of a submit, if its trace is sent.
    /// - Parameter parent: The place of the request in its trace; nil: it has none.
    func beginPublish(_ receipt: String, in queue: String, below parent: TraceContext?) -> TraceSpan? {
        guard var span = begin("publish \(queue)", .producer, for: parent) else { return nil }
        span["messaging.system"] = "tintype"
        span["messaging.operation.type"] = "send"
        span["messaging.destination.name"] = .string(queue)
        span["messaging.message.id"] = .string(receipt)
        return span
    }
}
