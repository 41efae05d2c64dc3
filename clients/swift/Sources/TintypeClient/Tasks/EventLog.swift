import Synchronization

/// Events for any number of readers, each at its own pace, in bounded memory: a new progress replaces one that is not read yet.
///
/// A reader that comes later begins with what has happened.
final class EventLog<Event: Sendable>: Sendable {
    private struct Reader {
        var events: [Event]
        var waiter: UnsafeContinuation<Event?, Never>?
    }

    private struct State {
        var past: [Event] = []
        var readers: [Int: Reader] = [:]
        var nextReader = 0
        var hasEnded = false
    }

    /// A reader that is further behind loses the oldest events that may be lost.
    static var most: Int { 256 }

    /// The worth of an event to a reader that is slow.
    enum Weight: Sendable, Equatable {
        /// The newest event of the same name stands for those before.
        case latest(String)
        /// May be lost when there are too many; a gap says so.
        case passing
        /// Stays.
        case kept
    }

    private let weight: @Sendable (Event) -> Weight
    private let gap: @Sendable () -> Event
    private let state = Mutex(State())

    /// - Parameter gap: Makes the event that stands for lost ones.
    init(weight: @escaping @Sendable (Event) -> Weight, gap: @escaping @Sendable () -> Event) {
        (self.weight, self.gap) = (weight, gap)
    }

    func push(_ event: Event) {
        let waiters = state.withLock { state -> [UnsafeContinuation<Event?, Never>] in
            if state.hasEnded { return [] }
            add(event, to: &state.past)
            var waiters: [UnsafeContinuation<Event?, Never>] = []
            for id in state.readers.keys {
                if let waiter = state.readers[id]?.waiter {
                    state.readers[id]?.waiter = nil
                    waiters.append(waiter)
                } else {
                    add(event, to: &state.readers[id]!.events)
                }
            }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: event) }
    }

    /// No event follows.
    func end() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            let waiters = state.readers.values.compactMap(\.waiter)
            for id in state.readers.keys { state.readers[id]?.waiter = nil }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Begins to read. A reader leaves when it is given up.
    func reader() -> Reading {
        Reading(
            log: self,
            id: state.withLock { state in
                state.nextReader += 1
                state.readers[state.nextReader] = Reader(events: state.past)
                return state.nextReader
            })
    }

    /// One reader.
    final class Reading: Sendable {
        private let log: EventLog
        private let id: Int

        fileprivate init(log: EventLog, id: Int) {
            (self.log, self.id) = (log, id)
        }

        deinit {
            log.state.withLock { $0.readers[id] = nil }
        }

        /// Returns the next event; nil after the last one, and when the task is cancelled.
        func next() async -> Event? {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { waiter in
                    let event = log.state.withLock { state -> Event?? in
                        if let event = state.readers[id]?.events.first {
                            state.readers[id]?.events.removeFirst()
                            return .some(event)
                        }
                        if state.hasEnded || Task.isCancelled { return .some(nil) }
                        state.readers[id]?.waiter = waiter
                        return nil
                    }
                    if let event { waiter.resume(returning: event) } else if Task.isCancelled { giveUp() }
                }
            } onCancel: {
                giveUp()
            }
        }

        private func giveUp() {
            let waiter = log.state.withLock { state in
                defer { state.readers[id]?.waiter = nil }
                return state.readers[id]?.waiter
            }
            waiter?.resume(returning: nil)
        }
    }

    private func add(_ event: Event, to events: inout [Event]) {
        if case .latest(let name) = weight(event), let place = events.firstIndex(where: { weight($0) == .latest(name) }) { events.remove(at: place) }
        events.append(event)
        guard events.count > Self.most else { return }
        // The oldest that may be lost gives way, and stays as a gap.
        guard let place = events.firstIndex(where: { weight($0) != .kept }) else {
            events.removeFirst()
            return
        }
        events[place] = gap()
        if let next = events[(place + 1)...].firstIndex(where: { weight($0) != .kept }) { events.remove(at: next) }
    }
}
