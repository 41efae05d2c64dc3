import TintypeCore
import TintypeImages

/// `pictures.get`: how a result was made.
struct PicturesGet: RPCMethod {
    let name = "pictures.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let key = params["key"]?.string ?? ""
        call.run(in: services.scope) { () async throws(TintypeError) in
            let image = try await services.cache.image(key, from: CacheTier.ofRenditions).image
            return ["key": .string(key), "operations": image.operations ?? .null]
        }
    }
}
