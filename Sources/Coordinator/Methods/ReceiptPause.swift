import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `receipt.pause`: has a receipt wait, and its download with it if nobody else wants that.
struct ReceiptPause: RPCMethod {
    let name = "receipt.pause"
    let services: Services

    func begin(_ call: Call, _ params: JSON) { Self.begin(call, params, services, isPaused: true) }

    /// - Parameter isPaused: whether it is to wait, or to go on.
    static func begin(_ call: Call, _ params: JSON, _ services: Services, isPaused: Bool) {
        let id = params["receipt"]?.string ?? ""
        call.run(in: services.scope) { () async throws(TintypeError) in
            guard let found = try await services.lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            do throws(RedisError) {
                if let state = try await found.queue.pause(receipt: id, isPaused) { return ["state": .string(state.rawValue)] }
            } catch {
                services.logger.refused("pausing a receipt", error)
                throw TintypeError(error)
            }
            // It has ended, perhaps since it was found.
            guard let ended = try await services.lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            return ["state": .string(ended.snapshot.state.rawValue)]
        }
    }
}

/// `receipt.resume`: has a paused receipt go on.
struct ReceiptResume: RPCMethod {
    let name = "receipt.resume"
    let services: Services

    func begin(_ call: Call, _ params: JSON) { ReceiptPause.begin(call, params, services, isPaused: false) }
}
