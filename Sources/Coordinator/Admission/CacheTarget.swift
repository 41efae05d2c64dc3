import TintypeCore
import TintypeImages

/// What a method `cache.*` is about: one key, or the renditions and the source of a request. Pure.
struct CacheTarget: Sendable {
    let outputs: [AdmissionPlan.Output]
    /// The key in the tier `sources`.
    let source: String
    let queue: String
    let delivery: ImageRequest.Delivery
    /// Where the request's source comes from; nil for a key.
    let url: String?
    /// How the request's source is decrypted (`fetch.decrypt`); nil for a key.
    let decrypt: String?
    /// Whether what is kept of it is not for everybody.
    let isPersonal: Bool
    /// Words that are to be kept with a result.
    let metadata: ResultMetadata?
    /// nil: not said.
    let tier: CacheTier?
    /// The request whose words say what counts as kept; nil for a key.
    let words: (version: Int, ttl: Double?)?

    /// Members that are no part of a request.
    private static let own: Set<String> = ["key", "request", "tier", "data", "ttl"]

    /// - Parameters:
    ///   - keys: what makes the keys of a request.
    ///   - besideKey: what has an effect beside a key.
    /// - Throws: `invalidParams` unless it is either, or where something beside it would be passed over; what is wrong with the request.
    init(_ params: JSON, _ rules: Rules, _ keys: KeySecret, besideKey: Set<String> = []) throws(TintypeError) {
        let tier = params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }
        let members = (params.object ?? [:]).members.filter { !Self.own.contains($0.key) && !$0.value.isNull }
        let isInline = params["url"]?.isNull == false
        let nested = params["request"].flatMap { $0.isNull ? nil : $0 }
        switch (params["key"]?.string, nested, isInline) {
        case (let key?, nil, false):
            try Self.refuse(members.first { !besideKey.contains($0.key) }, "nothing beside a key, which says all of it")
            outputs = [AdmissionPlan.Output(name: "default", digest: key)]
            (source, url, decrypt, isPersonal, self.tier, words) = (key, nil, nil, false, tier, nil)
            metadata = try ResultMetadata(params["metadata"], at: "metadata")
            queue = params["queue"]?.string ?? "default"
            delivery = params["deliver"]?.string.flatMap { ImageRequest.Delivery(rawValue: $0) } ?? .reference
        case (nil, let request?, false):
            try Self.refuse(members.first, "it within request")
            self = try CacheTarget(ImageRequest(request, rules: rules), tier, keys)
        case (nil, nil, true):
            self = try CacheTarget(ImageRequest(.object(JSONObject(members.map { ($0.key, $0.value) })), rules: rules), tier, keys)
        default: throw .invalidParams(path: "key", value: params["key"], expected: "either a key, or a request")
        }
    }

    private static func refuse(_ member: (key: String, value: JSON)?, _ expected: String) throws(TintypeError) {
        if let member { throw .invalidParams(path: member.key, value: member.value, expected: expected) }
    }

    private init(_ request: ImageRequest, _ tier: CacheTier?, _ keys: KeySecret) {
        let plan = AdmissionPlan(request, isProbe: false, keys: keys)
        (outputs, source, queue) = (plan.outputs.filter { !$0.isTold }, plan.sourceDigest, request.queue)
        (delivery, url, self.tier) = (request.delivery, RedactedURL(request.source.url).description, tier)
        metadata = request.metadata
        (words, decrypt, isPersonal) = ((request.version, request.ttl), request.source.fetch.decrypt, request.source.isPersonal)
    }

    /// The keys in a tier.
    func keys(in tier: CacheTier) -> [String] { tier == .sources ? [source] : outputs.map(\.digest) }
}
