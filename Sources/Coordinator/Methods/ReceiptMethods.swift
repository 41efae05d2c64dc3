import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// `receipt.cancel`: cancels one receipt or many.
struct ReceiptCancel: RPCMethod {
    let name = "receipt.cancel"
    let scope: TaskScope
    let receipts: ReceiptTable
    let cancellation: CancellationService
    let lookup: ReceiptLookup
    let logger: Logger

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let one = params["receipt"]?.string
        let many = params["receipts"]?.array?.compactMap(\.string)
        guard (one == nil) != (many == nil) else {
            throw .invalidParams(path: "receipt", value: params["receipt"], expected: "either receipt or receipts")
        }
        call.run(in: scope) { () async throws(TintypeError) in
            if let one { return .object(try await cancel(one, call.session)) }
            var results: [JSON] = []
            for id in many ?? [] { results.append(.object((["receipt": .string(id)] as JSONObject).merging(try await cancel(id, call.session)))) }
            return ["results": .array(results)]
        }
    }

    private func cancel(_ id: String, _ session: Session) async throws(TintypeError) -> JSONObject {
        var wasRequested = false
        if let receipt = receipts[id], !receipt.isAdmitted, session.grant?.reaches(receiptOf: receipt.use.terms.owner) ?? true {
            // A receipt whose submit is in flight may have ended before it could be canceled. That is known only after the submit.
            cancellation.withdraw(receipt, for: .cancelled)
            await receipt.untilDecided()
            if !receipt.isAdmitted, !receipt.isEnding { return ["cancelled": true] }
            wasRequested = true
        }
        guard let found = try await lookup.find(id, for: session) else { return ["cancelled": false, "reason": "unknown"] }
        do throws(RedisError) {
            switch try await found.queue.cancel(receipt: id, reason: "requested") {
            case .dropped: return ["cancelled": true]
            case .finished:
                // The cancellation that was recorded during the submit may have ended it.
                if wasRequested, try await found.queue.receipt(id)?.state == .cancelled { return ["cancelled": true] }
                return ["cancelled": false, "reason": "finished"]
            case .unknown, .elsewhere, .running: return ["cancelled": false, "reason": "unknown"]
            }
        } catch {
            logger.refused("canceling a receipt", error)
            throw TintypeError(error)
        }
    }
}

/// `receipt.pause`: has a receipt wait, and its download with it if nobody else wants that.
struct ReceiptPause: RPCMethod {
    let name = "receipt.pause"
    let scope: TaskScope
    let lookup: ReceiptLookup
    let logger: Logger

    func begin(_ call: Call, _ params: JSON) { pause(call, params, isPaused: true) }

    /// - Parameter isPaused: whether it is to wait, or to go on.
    func pause(_ call: Call, _ params: JSON, isPaused: Bool) {
        let id = params["receipt"]?.string ?? ""
        call.run(in: scope) { () async throws(TintypeError) in
            guard let found = try await lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            do throws(RedisError) {
                if let state = try await found.queue.pause(receipt: id, isPaused) { return ["state": .string(state.rawValue)] }
            } catch {
                logger.refused("pausing a receipt", error)
                throw TintypeError(error)
            }
            // It has ended, perhaps since it was found.
            guard let ended = try await lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            return ["state": .string(ended.snapshot.state.rawValue)]
        }
    }
}

/// `receipt.resume`: has a paused receipt go on.
struct ReceiptResume: RPCMethod {
    let name = "receipt.resume"
    let pause: ReceiptPause

    func begin(_ call: Call, _ params: JSON) { pause.pause(call, params, isPaused: false) }
}

/// `receipt.setPriority`: changes the priority of a receipt. The fetch takes the highest priority of its receipts.
struct ReceiptSetPriority: RPCMethod {
    let name = "receipt.setPriority"
    let scope: TaskScope
    let lookup: ReceiptLookup
    let logger: Logger

    func begin(_ call: Call, _ params: JSON) {
        let id = params["receipt"]?.string ?? ""
        let priority = ImageRequest.priority(params["priority"])
        call.run(in: scope) { () async throws(TintypeError) in
            guard let found = try await lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            do throws(RedisError) {
                if let now = try await found.queue.setPriority(receipt: id, priority) { return ["priority": JSON(now)] }
            } catch {
                logger.refused("changing a priority", error)
                throw TintypeError(error)
            }
            // It has ended, and no order is left to change.
            return ["priority": JSON(priority)]
        }
    }
}
