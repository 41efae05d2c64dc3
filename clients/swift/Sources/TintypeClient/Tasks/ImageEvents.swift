/// The events of a task, from the first one on, up to the terminal one.
///
/// A reader that is slow gets the newest progress, the newest preview, every rendition and the end.
/// When the task that reads is cancelled, the request is withdrawn, unless it is detached.
public struct ImageEvents: AsyncSequence, Sendable {
    public typealias Element = ImageEvent
    public typealias Failure = Never

    let log: EventLog<ImageEvent>
    let withdraw: @Sendable () -> Void

    public func makeAsyncIterator() -> Iterator {
        Iterator(reading: log.reader(), withdraw: withdraw)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: EventLog<ImageEvent>.Reading
        fileprivate let withdraw: @Sendable () -> Void

        /// Returns the next event; nil after the last one.
        public mutating func next() async -> ImageEvent? {
            let event = await reading.next()
            if event == nil && Task.isCancelled { withdraw() }
            return event
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> ImageEvent? {
            let event = await reading.next()
            if event == nil && Task.isCancelled { withdraw() }
            return event
        }
    }
}

extension ImageEvent {
    /// A fixed point of a request with `hooks`, over TCP.
    public enum Hook: String, Sendable, Hashable {
        case willStart, willStop, didStop
    }

    /// The hook, if this is one. Hooks come as ``other(_:)``.
    public var hook: Hook? {
        guard case .other(let json) = self, json["type"] == "hook" else { return nil }
        return json["hook"]?.stringValue.flatMap(Hook.init(rawValue:))
    }

    /// The worth of the event to a reader that is slow.
    var weight: EventLog<ImageEvent>.Weight {
        switch self {
        case .progress(let progress): .latest(progress.phase.rawValue)
        case .preview: .latest("preview")
        case .queued: .latest("queued")
        case .rendition, .cached, .succeeded, .failed, .cancelled: .kept
        case .started, .response, .retrying, .paused, .resumed, .gap, .other: .passing
        }
    }
}
