import TintypeCore
import TintypeTransport

/// The requests of the picture door that wait for work.
@Loop
final class DoorCalls {
    private var calls: [ObjectIdentifier: Call] = [:]
    /// Called when the last one is answered.
    var onIdle: (@Loop () -> Void)?

    var count: Int { calls.count }

    /// Begins a call of `image.load`.
    func begin(_ session: Session, to sink: any AnswerSink) -> Call {
        let call = Call(session: session, id: 1, method: "image.load", sink: sink) { [weak self] call, _ in self?.ended(call) }
        call.trace = session.trace.map { CallTrace($0) }
        calls[ObjectIdentifier(call)] = call
        session.began(call)
        return call
    }

    /// Answers all of them with `shuttingDown`.
    func giveUp() { for call in calls.values { call.giveUp(TintypeError.stopping) } }

    private func ended(_ call: Call) {
        calls[ObjectIdentifier(call)] = nil
        if calls.isEmpty { onIdle?() }
    }
}
