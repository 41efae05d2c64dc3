package import Coordinator
import TintypeCore
import TintypeContracts
import TintypeImages
import TintypeQueue
import TintypeTransport

extension Feature {
    /// Checks the invariants of the queues in the running Redis.
    package static let validation: Maker = { core, _ in
        let process = core.process
        let validation = Validation(core.queues.topology, coordinator: core.queues.registry.coordinator, scope: process.scope, logger: process.logger)
        var feature = Feature(MethodCatalog.validation)
        feature.methods = [SystemValidate(scope: process.scope, validation: validation, logger: process.logger)]
        return feature
    }
}

/// `system.validate`: checks the invariants of the queues in the running Redis, while work goes on.
struct SystemValidate: RPCMethod {
    let name = "system.validate"
    let scope: TaskScope
    let validation: Validation
    let logger: Logger

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in
            do throws(RedisError) {
                let violations = try await validation.violations()
                return ["ok": .bool(violations.isEmpty), "violations": .array(violations.map { .string("\($0)") })]
            } catch {
                logger.refused("validating a queue", error)
                throw TintypeError(error)
            }
        }
    }
}
