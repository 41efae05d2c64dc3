import TintypeCore
import TintypeTransport

/// `system.validate`: every rule of the queues checked on the live Redis, which goes on with its work.
struct SystemValidate: RPCMethod {
    let name = "system.validate"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in
            do throws(RedisError) {
                let violations = try await services.validation.violations()
                return ["ok": .bool(violations.isEmpty), "violations": .array(violations.map { .string("\($0)") })]
            } catch {
                services.logger.refused("validating a queue", error)
                throw TintypeError(error)
            }
        }
    }
}
