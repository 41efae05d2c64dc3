import Synchronization

/// Watches a queue for one reader, which owns it: the watch ends when it is given up.
final class QueueWatch: Sendable {
    private struct State {
        var worker: Task<Void, Never>?
        var failure: TintypeError?
    }

    private let queue: Queue
    private let log: EventLog<ImageEvent>
    private let reading: EventLog<ImageEvent>.Reading
    private let state = Mutex(State())

    init(_ queue: Queue) {
        self.queue = queue
        log = EventLog(weight: { _ in .passing }, gap: { .gap(ImageEvent.Gap(after: 0)) })
        reading = log.reader()
    }

    deinit {
        state.withLock { $0.worker }?.cancel()
    }

    func next() async throws(TintypeError) -> ImageEvent? {
        start()
        if let event = await reading.next() { return event }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return nil
    }

    private func start() {
        state.withLock { state in
            if state.worker != nil { return }
            // The worker knows the log, and not the watch: so the watch ends with its reader.
            state.worker = Task { [queue, log, weak self] in
                do throws(TintypeError) {
                    try await queue.client.transport.watch(queue: queue.name) { event in
                        if event["type"] == "gap" { return log.push(.gap(ImageEvent.Gap(after: 0))) }
                        do throws(AnswerFault) { log.push(try ImageEvent(json: event)) } catch { log.push(.other(event)) }
                    }
                } catch {
                    self?.state.withLock { $0.failure = error }
                }
                log.end()
            }
        }
    }
}
