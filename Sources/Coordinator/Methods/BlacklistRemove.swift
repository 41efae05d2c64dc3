import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `blacklist.remove`: lets sources be asked again that failed before.
struct BlacklistRemove: RPCMethod {
    let name = "blacklist.remove"
    let services: Services

    /// The members that name a source.
    private static let source = ["url", "urls", "fetch", "cache"]

    /// A request of the same source. Where a probe does not take one of them, no probe has it.
    /// - Parameter traits: that are to be told of it.
    private static func request(_ params: JSON, isProbe: Bool, _ traits: [PictureTrait] = []) -> JSON {
        let taken = Set((isProbe ? ImageRequest.probeParameters : ImageRequest.parameters).map(\.name))
        var request = JSONObject()
        for name in source where taken.contains(name) { request[name] = params[name] }
        if request["cache"] != nil { request["cache"] = params["cache"]?["scope"].map { ["scope": $0] } }
        if !traits.isEmpty { request["describe"] = .array(traits.map { .string($0.rawValue) }) }
        return .object(request)
    }

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        var ids = params["ids"]?.array?.compactMap(\.string) ?? []
        if let id = params["id"]?.string { ids.append(id) }
        if Self.source.prefix(2).contains(where: { params[$0]?.isNull == false }) {
            // What is only probed is another source, and so is what is read as far as its EXIF.
            for (isProbe, traits) in [(false, []), (true, []), (true, [.exif])] as [(Bool, [PictureTrait])] {
                let request = Self.request(params, isProbe: isProbe, traits)
                ids.append(services.admission.keys.key(try ImageRequest(request, isProbe: isProbe, rules: services.admission.rules).source.digest))
            }
        } else if let lonely = Self.source.first(where: { params[$0]?.isNull == false }) {
            throw .invalidParams(path: lonely, value: params[lonely], expected: "url or urls beside it")
        }
        guard !ids.isEmpty else { throw .invalidParams(path: "id", value: nil, expected: "an id, ids, or the url of a request") }
        let named = ids
        services.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var removed = 0
            try await Queue.each(of: queues) { queue throws(RedisError) in removed += try await queue.unlist(named) }
            return ["removed": JSON(removed)]
        }
    }
}
