import TintypeCore
import TintypeImages
package import TintypeTransport

/// The code that serves a route; it answers once.
package typealias WebAction = @Loop (HTTPExchange, @escaping @Loop (WebAnswer) -> Void) -> Void

extension RouteTable<WebAction> {
    /// The ways of reading.
    private static let reads = ["GET", "HEAD"]

    /// Returns the routes of images and JSON-RPC on the HTTP port, with their required access. Features bring the others (`Feature.routes`).
    @Loop static func core(images: ImageRoute, rpc: RPCRoute) -> [Route<WebAction>] {
        let (image, other) = (RoutePath.below(ImagePath.prefix, name: "KEY"), BodyAdmission.maxOther)
        return [
            Route(ImageRoute.name, reads, image, .token(.load), isCounted: true, isTraced: true, maxBody: other) { images.serve($0, $1) },
            Route(ImageRoute.name, ["PUT"], image, .token(MethodCatalog.cachePut.role), isCounted: true, isTraced: true, maxBody: BodyAdmission.maxImage) {
                images.put($0, $1)
            },
            Route("rpc", ["POST"], .exact("/rpc"), .optionalToken, maxBody: BodyAdmission.maxMessage) { rpc.serve($0, $1) },
        ]
    }
}
