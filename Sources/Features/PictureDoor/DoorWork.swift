import Coordinator
import TintypeCore
import TintypeSettings
import TintypeTransport

/// The work that requests at the picture door cause: for clients that wait, for clients that come back, and behind quick pictures.
@Loop
final class DoorWork {
    let admission: Admission
    /// The requests that wait for work.
    let calls: DoorCalls
    /// The better pictures behind quick ones.
    let better: DoorBackground
    /// The pictures that clients come back for.
    let async: DoorBackground
    /// The limits of each address; nil: there are none.
    private let rates: PictureRates?

    init(_ core: Core) {
        (admission, calls, rates) = (core.admission, DoorCalls(core.receipts.table), core.http.rates)
        (better, async) = (DoorBackground(.better, core), DoorBackground(.async, core))
    }

    /// Counts a request for its address.
    /// - Throws: `overloaded` if the address asks too often.
    func count(_ peer: ConnectionPeer) throws(TintypeError) { try rates?.take(.requests, by: peer) }

    /// Counts a picture for its address, unless another request has it made already.
    /// - Returns: Whether it is counted.
    /// - Throws: `overloaded` if the address has too many made.
    func charge(_ admitted: AdmissionPlan, to peer: ConnectionPeer) throws(TintypeError) -> Bool {
        let key = admitted.outputs.first?.digest
        let isUnderWay = key.map { calls.isAwaited($0) || async.standing(of: $0) == .underWay } ?? false
        guard let rates, !isUnderWay else { return false }
        try rates.take(.pictures, by: peer)
        return true
    }

    /// Takes back the count of a picture that was there already.
    func giveBack(to peer: ConnectionPeer) { rates?.giveBackPicture(to: peer) }

    /// Has a picture made, or found in the index, for a client that waits.
    func load(_ admitted: AdmissionPlan, for session: Session, to sink: any AnswerSink) {
        let call = calls.begin(session, for: admitted.readsResults ? admitted.outputs.first?.digest : nil, to: sink)
        do throws(TintypeError) {
            try admission.load(call, admitted)
        } catch {
            call.fail(error)
        }
    }

    /// Answers the requests that wait with `shuttingDown`. Work that no client waits for goes on without this coordinator.
    func close() {
        calls.giveUp()
        better.close()
        async.close()
    }
}
