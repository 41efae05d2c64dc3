import TintypeCore
import TintypeImages
import TintypeQueue

/// `cache.get`: what the cache has of an image, as an ImageResult; never makes or fetches anything.
struct CacheGet: RPCMethod {
    let name = "cache.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, services.admission.rules, services.admission.keys, besideKey: ["deliver"])
        let tiers = target.tier.map { [$0] } ?? CacheTier.ofRenditions
        call.run(in: services.scope) { () async throws(TintypeError) in
            // How long they are is not known before they are read: four at a time, with the longest that there may be below the ceiling.
            try await call.session.inTurn(target.delivery == .inline ? 1 << 20 : 0, isKnown: false) { () async throws(TintypeError) in
                var images: [(image: StoredImage, tier: CacheTier)] = []
                for key in target.keys(in: tiers[0]) { images.append(try await services.cache.image(key, from: tiers, for: target.words)) }
                let total = images.reduce(0) { $0 + $1.image.bytes.count }
                if target.delivery == .inline { try ResultDelivery.checkInline(total) }
                let result = Self.result(images, target)
                // As long as it is its turn.
                call.succeed(result)
                return result
            }
        }
    }

    private static func result(_ images: [(image: StoredImage, tier: CacheTier)], _ target: CacheTarget) -> JSON {
        let renditions = zip(images, target.outputs).map { found, output -> ImageResult.Rendition in
            let (image, tier) = found
            var info: ImageResult.Rendition = ["name": .string(tier == .sources ? "source" : output.name)]
            // Of a source it is about its freshness.
            if tier != .sources {
                info.object = info.object.merging(image.rendition.object)
            } else {
                for name in ["format", "width", "height", "frames"] { info.object[name] = image.source[name] }
            }
            (info.key, info.contentType, info.bytes, info.stored) = (image.key, image.contentType, image.bytes.count, [.string(tier.rawValue)])
            if target.delivery == .inline { info.data = Base64.text(of: image.bytes) }
            return info
        }
        let isAllInMemory = images.allSatisfy { $0.tier == .memory }
        let from = ResultOrigin.Place(isAllInMemory ? .memory : images.first { $0.tier != .memory }?.tier ?? .results)
        return ImageResult(renditions, source: images.first?.image.source ?? [:], from: from.rawValue).json
    }
}
