package import TintypeContracts
package import Coordinator
import TintypeImages
import TintypeTransport

extension Feature {
    /// Bytes that clients send to be sources: `PUT /uploads`, `DELETE /uploads/{id}`.
    package static func uploads(_ core: Core, _ settings: UploadSettings) -> Feature {
        let uploads = Uploads(
            settings, store: core.storage.sources, redisMemory: core.queues.memory, clients: core.access.clients, metrics: core.process.metrics)
        let route = UploadRoute(uploads, access: core.access.control, scope: core.process.scope)
        let (name, path, role) = (UploadRoute.name, UploadRoute.path, UploadRoute.role)
        var feature = Feature()
        feature.routes = [
            Route(name, ["PUT"], .exact(path), .token(role), isCounted: true, isTraced: true, maxBody: route.maxBody) { route.put($0, $1) },
            Route(name, ["DELETE"], .below(path + "/", name: "ID"), .token(role), isTraced: true, maxBody: BodyAdmission.maxOther) { route.remove($0, $1) },
        ]
        feature.bodies = [name: uploads.arriving]
        feature.parts = [uploads]
        return feature
    }
}
