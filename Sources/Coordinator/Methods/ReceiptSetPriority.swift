import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `receipt.setPriority`: changes the priority of a receipt. The fetch takes the highest priority of its receipts.
struct ReceiptSetPriority: RPCMethod {
    let name = "receipt.setPriority"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let id = params["receipt"]?.string ?? ""
        let priority = ImageRequest.priority(params["priority"])
        call.run(in: services.scope) { () async throws(TintypeError) in
            guard let found = try await services.lookup.find(id, for: call.session) else { throw ReceiptLookup.unknown(id) }
            do throws(RedisError) {
                if let now = try await found.queue.setPriority(receipt: id, priority) { return ["priority": JSON(now)] }
            } catch {
                services.logger.refused("changing a priority", error)
                throw TintypeError(error)
            }
            // It has ended, and no order is left to change.
            return ["priority": JSON(priority)]
        }
    }
}
