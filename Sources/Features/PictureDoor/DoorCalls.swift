import Coordinator
import TintypeCore
import TintypeTransport

/// The requests of the picture door that wait for work.
@Loop
final class DoorCalls {
    private let receipts: ReceiptTable
    private var calls: [ObjectIdentifier: (call: Call, key: String?)] = [:]
    /// The results that are being made, and how many wait for each.
    private var keys: [String: Int] = [:]
    /// Called when the last one is answered.
    var onIdle: (@Loop () -> Void)?

    init(_ receipts: ReceiptTable) { self.receipts = receipts }

    var count: Int { calls.count }

    /// Returns whether a request waits for this result.
    func isAwaited(_ key: String) -> Bool { keys[key] != nil }

    /// Begins a call of `image.load`.
    /// - Parameter key: The key of its result; nil if it makes one of its own.
    func begin(_ session: Session, for key: String?, to sink: any AnswerSink) -> Call {
        let call = Call(session: session, id: 1, method: "image.load", sink: sink) { [weak self] call, _ in self?.ended(call) }
        call.trace = session.trace.map { RequestTrace($0) }
        calls[ObjectIdentifier(call)] = (call, key)
        if let key { keys[key, default: 0] += 1 }
        session.began(call)
        return call
    }

    /// Ends the session of a request that is over: work that only it wanted is withdrawn.
    func end(_ session: Session) { session.end(receipts) }

    /// Answers all of them with `shuttingDown`.
    func giveUp() { for (call, _) in calls.values { call.giveUp(TintypeError.stopping) } }

    private func ended(_ call: Call) {
        if let key = calls.removeValue(forKey: ObjectIdentifier(call))?.key, let others = keys[key] { keys[key] = others > 1 ? others - 1 : nil }
        if calls.isEmpty { onIdle?() }
    }
}
