import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// `cache.get`: the cached entry of an image, as an ImageResult; never makes or downloads anything.
struct CacheGet: RPCMethod {
    let name = "cache.get"
    let admission: Admission
    let scope: TaskScope
    let cache: CacheTiers
    let results: ResultDelivery

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, admission.rules, admission.keys, besideKey: ["deliver"])
        let tiers = target.tier.map { [$0] } ?? CacheTier.ofRenditions
        call.run(in: scope) { () async throws(TintypeError) in
            // The length is unknown before the read. The guess of 1 MiB lets four answers run at a time.
            try await call.succeedInTurn(guessing: target.delivery == .inline ? 1 << 20 : 0) { room async throws(TintypeError) in
                var images: [(image: StoredImage, tier: CacheTier)] = []
                for key in target.keys(in: tiers[0]) { images.append(try await cache.image(key, from: tiers, for: target.words)) }
                var data: [JSON] = []
                if target.delivery == .inline {
                    let total = images.reduce(0) { $0 + $1.image.bytes.count }
                    try ResultDelivery.checkInline(total)
                    guard Base64.length(of: total) <= room else { return .longer(Base64.length(of: total)) }
                    for (image, _) in images { data.append(try await results.base64(image.bytes)) }
                }
                let result = Self.result(images, target)
                return .answer((target.delivery == .inline ? result.carrying(data) : result).json)
            }
        }
    }

    private static func result(_ images: [(image: StoredImage, tier: CacheTier)], _ target: CacheTarget) -> ImageResult {
        let renditions = zip(images, target.outputs).map { found, output -> ImageResult.Rendition in
            let (image, tier) = found
            var info: ImageResult.Rendition = ["name": .string(tier == .sources ? "source" : output.name)]
            // The info of a source is about its freshness.
            if tier != .sources {
                info.object = info.object.merging(image.rendition.object)
            } else {
                for name in ["format", "width", "height", "frames"] { info.object[name] = image.source[name] }
            }
            (info.key, info.contentType, info.bytes, info.stored) = (image.key, image.contentType, image.bytes.count, [.string(tier.rawValue)])
            return info
        }
        let isAllInMemory = images.allSatisfy { $0.tier == .memory }
        let from = ResultOrigin.Place(isAllInMemory ? .memory : images.first { $0.tier != .memory }?.tier ?? .results)
        return ImageResult(renditions, source: images.first?.image.source ?? [:], from: from.rawValue)
    }
}
