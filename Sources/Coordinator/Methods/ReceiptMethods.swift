import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// The methods `receipt.*`.
@Loop
struct ReceiptMethods {
    let scope: TaskScope
    let receipts: ReceiptTable
    let cancellation: CancellationService
    let lookup: ReceiptLookup
    let logger: Logger
    let get: ReceiptGet

    var all: [CoreMethod] {
        [
            CoreMethod("receipt.get", get.begin), CoreMethod("receipt.cancel", cancel), CoreMethod("receipt.setPriority", setPriority),
            CoreMethod("receipt.pause") { [self] call, params in pause(call, params, true) },
            CoreMethod("receipt.resume") { [self] call, params in pause(call, params, false) },
        ]
    }

    /// Cancels one receipt or many.
    private func cancel(_ call: Call, _ params: JSON) throws(TintypeError) {
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
        return try await logger.translating("canceling a receipt") { [wasRequested] () async throws(RedisError) in
            switch try await found.queue.cancel(receipt: id, reason: "requested") {
            case .dropped: return ["cancelled": true]
            case .finished:
                // The cancellation that was recorded during the submit may have ended it.
                if wasRequested, try await found.queue.receipt(id)?.state == .cancelled { return ["cancelled": true] }
                return ["cancelled": false, "reason": "finished"]
            case .unknown, .elsewhere, .running: return ["cancelled": false, "reason": "unknown"]
            }
        }
    }

    /// Has a receipt wait, and its download with it if nobody else wants that, or has a paused receipt go on.
    private func pause(_ call: Call, _ params: JSON, _ isPaused: Bool) {
        let id = params["receipt"]?.string ?? ""
        call.run(in: scope) { () async throws(TintypeError) in
            guard let found = try await lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            let state = try await logger.translating("pausing a receipt") { () async throws(RedisError) in try await found.queue.pause(receipt: id, isPaused) }
            if let state { return ["state": .string(state.rawValue)] }
            // It has ended, perhaps since it was found.
            guard let ended = try await lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            return ["state": .string(ended.snapshot.state.rawValue)]
        }
    }

    /// Changes the priority of a receipt. The fetch takes the highest priority of its receipts.
    private func setPriority(_ call: Call, _ params: JSON) {
        let id = params["receipt"]?.string ?? ""
        let priority = ImageRequest.priority(params["priority"])
        call.run(in: scope) { () async throws(TintypeError) in
            guard let found = try await lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            let now = try await logger.translating("changing a priority") { () async throws(RedisError) in
                try await found.queue.setPriority(receipt: id, priority)
            }
            // One that has ended has no order to change.
            return ["priority": JSON(now ?? priority)]
        }
    }
}
