import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeTransport

/// The methods `cache.*`.
@Loop
struct CacheMethods {
    let admission: Admission
    let scope: TaskScope
    let cache: CacheTiers
    let delivery: ResultDelivery
    /// The store that pins results.
    let store: any ResultStore

    var all: [CoreMethod] {
        [
            CoreMethod("cache.contains", contains), CoreMethod("cache.get", get), CoreMethod("cache.put", put),
            CoreMethod("cache.setMetadata", setMetadata), CoreMethod("cache.remove", remove),
            CoreMethod("cache.pin") { [self] call, params throws(TintypeError) in try pin(call, params, true) },
            CoreMethod("cache.unpin") { [self] call, params throws(TintypeError) in try pin(call, params, false) },
            CoreMethod("cache.trim", trim), CoreMethod("cache.clear", clear), CoreMethod("cache.stats", stats),
        ]
    }

    private func target(_ params: JSON, besideKey: String...) throws(TintypeError) -> CacheTarget {
        try CacheTarget(params, admission.rules, admission.keys, besideKey: Set(besideKey))
    }

    /// Answers with the tiers that have an image, or all renditions of a request, or its source.
    private func contains(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try target(params)
        call.run(in: scope) { () async throws(TintypeError) in
            var found: [JSON] = []
            for tier in target.tier.map({ [$0] }) ?? CacheTier.allCases
            where try await cache.has(target.keys(in: tier), in: tier, for: target.words) {
                found.append(.string(tier.rawValue))
            }
            return ["tiers": .array(found)]
        }
    }

    /// Answers with the cached entry of an image, as an ImageResult; never makes or downloads anything.
    private func get(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try target(params, besideKey: "deliver")
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
                    for (image, _) in images { data.append(try await delivery.base64(image.bytes)) }
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

    /// Stores bytes of a client as if they had been made here.
    private func put(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try target(params, besideKey: "queue", "metadata")
        let (data, ttl) = (params["data"]?.string ?? "", params["ttl"]?.double)
        call.run(in: scope) { () async throws(TintypeError) in
            guard let bytes = await Loop.work(on: data.utf8.count, { Base64.bytes(of: Array(data.utf8)) }), !bytes.isEmpty else {
                throw .invalidParams(path: "data", value: .string(data), expected: "bytes in base64")
            }
            let put = try await PutImage.of(target, bytes, contentType: nil, ttl: ttl)
            try await cache.put(put.image, in: put.tiers, queue: target.queue, host: target.host, source: target.source, ttl: put.ttl)
            return put.answer
        }
    }

    /// Changes the metadata of results.
    private func setMetadata(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try target(params, besideKey: "queue", "metadata")
        call.run(in: scope) { () async throws(TintypeError) in
            // The length is unknown before the read.
            try await call.session.inTurn(1 << 20, isKnown: false) { () async throws(TintypeError) in
                let keys = target.keys(in: .results)
                for key in keys { try await cache.setMetadata(of: key, to: target.metadata) }
                return ["changed": JSON(keys.count)]
            }
        }
    }

    /// Removes an image, or the renditions of a request and its source.
    private func remove(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try target(params)
        call.run(in: scope) { () async throws(TintypeError) in
            Self.removed(try await cache.remove(target.keys(in: .results), source: target.source, from: target.tier.map { [$0] } ?? CacheTier.allCases))
        }
    }

    /// Pins results, so that they stay when their store has too much, or unpins them. Answers with the number of them that are in the store.
    private func pin(_ call: Call, _ params: JSON, _ isPinned: Bool) throws(TintypeError) {
        let target = try target(params, besideKey: "queue")
        call.run(in: scope) { () async throws(TintypeError) in
            var count = 0
            for key in target.keys(in: .results) where try await store.pin(key, isPinned) { count += 1 }
            return [isPinned ? "pinned" : "unpinned": JSON(count)]
        }
    }

    // MARK: Whole tiers

    /// Removes expired entries and those above the limits, as each tier also does by itself.
    private func trim(_ call: Call, _ params: JSON) {
        free(call, Self.asked(params)) { tier async throws(TintypeError) in try await cache.trim(tier) }
    }

    /// Empties a tier or all tiers; for `memory`, the tiers of all coordinators.
    private func clear(_ call: Call, _ params: JSON) {
        free(call, Self.asked(params).reversed()) { tier async throws(TintypeError) in try await cache.clear(tier) }
    }

    /// Answers with the entries that `body` has removed from these tiers, one tier after the other.
    private func free(_ call: Call, _ tiers: [CacheTier], _ body: @escaping @Loop (CacheTier) async throws(TintypeError) -> StoreStatistics) {
        call.run(in: scope) { () async throws(TintypeError) in
            var freed = StoreStatistics()
            for tier in tiers { freed += try await body(tier) }
            return Self.removed(freed)
        }
    }

    /// Answers with the size of each tier.
    private func stats(_ call: Call, _ params: JSON) {
        let maxAge = params["maxAge"]?.double ?? 0
        call.run(in: scope) { () async throws(TintypeError) in
            var object = JSONObject()
            for tier in Self.asked(params) {
                let size = try await cache.statistics(of: tier, maxAge: maxAge)
                object[tier.rawValue] = ["count": JSON(size.count), "bytes": JSON(size.bytes), "capacity": size.capacity.map { JSON($0) } ?? .null]
            }
            return .object(object)
        }
    }

    /// Returns the tier that a call names, or all.
    private static func asked(_ params: JSON) -> [CacheTier] {
        params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }.map { [$0] } ?? CacheTier.allCases
    }

    private static func removed(_ freed: StoreStatistics) -> JSON { ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)] }
}
