import TintypeCore
import TintypeImages
import TintypeTransport

/// The target of a method `cache.*`: one key, or the renditions and the source of a request. Pure.
struct CacheTarget: Sendable {
    let outputs: [AdmissionPlan.Output]
    /// The key in the tier `sources`.
    let source: String
    let queue: String
    /// The host of the request's source; nil for a key.
    let host: String?
    let delivery: ImageRequest.Delivery
    /// The URL of the request's source; nil for a key.
    let url: String?
    /// The decryption of the request's source (`fetch.decrypt`); nil for a key.
    let decrypt: String?
    /// Whether the entry is private to a client.
    let isPersonal: Bool
    /// The metadata to keep with a result.
    let metadata: ResultMetadata?
    /// nil: not given.
    let tier: CacheTier?
    /// The request's members that decide which entries count as kept; nil for a key.
    let words: (version: Int, ttl: Double?)?

    /// Members that are not part of a request.
    private static let own: Set<String> = ["key", "request", "tier", "data", "ttl"]

    /// - Parameters:
    ///   - keys: The secret that the keys of a request are made with.
    ///   - besideKey: The members that have an effect beside a key.
    /// - Throws: `invalidParams` unless the params name either a key or a request, or if they have a member without effect. Also the mistakes of
    ///   the request.
    init(_ params: JSON, _ rules: Rules, _ keys: KeySecret, besideKey: Set<String> = []) throws(TintypeError) {
        let tier = params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }
        let members = (params.object ?? [:]).members.filter { !Self.own.contains($0.key) && !$0.value.isNull }
        let isInline = params["url"]?.isNull == false
        let nested = params["request"].flatMap { $0.isNull ? nil : $0 }
        switch (params["key"]?.string, nested, isInline) {
        case (let key?, nil, false):
            try Self.refuse(members.first { !besideKey.contains($0.key) }, "no such member beside key, which alone names the entry")
            outputs = [AdmissionPlan.Output(name: "default", digest: key)]
            (source, host, url, decrypt, isPersonal, self.tier, words) = (key, nil, nil, nil, false, tier, nil)
            metadata = try ResultMetadata(params["metadata"], at: "metadata")
            queue = params["queue"]?.string ?? "default"
            delivery = params["deliver"]?.string.flatMap { ImageRequest.Delivery(rawValue: $0) } ?? .reference
        case (nil, let request?, false):
            try Self.refuse(members.first, "this member inside request")
            self = try CacheTarget(ImageRequest(request, rules: rules), tier, keys)
        case (nil, nil, true):
            self = try CacheTarget(ImageRequest(.object(JSONObject(members.map { ($0.key, $0.value) })), rules: rules), tier, keys)
        default: throw .invalidParams(path: "key", value: params["key"], expected: "either a key, or a request")
        }
    }

    private static func refuse(_ member: (key: String, value: JSON)?, _ expected: String) throws(TintypeError) {
        if let member { throw .invalidParams(path: ParameterType.join("", member.key), value: member.value, expected: expected) }
    }

    private init(_ request: ImageRequest, _ tier: CacheTier?, _ keys: KeySecret) {
        let plan = AdmissionPlan(request, isProbe: false, keys: keys)
        (outputs, source, queue, host) = (plan.outputs.filter { !$0.isTold }, plan.sourceDigest, request.queue, request.source.host)
        (delivery, url, self.tier) = (request.delivery, Self.shown(request.source), tier)
        metadata = request.metadata
        (words, decrypt, isPersonal) = ((request.version, request.ttl), request.source.fetch.decrypt, request.source.isPersonal)
    }

    /// Returns the URL of a source as a worker would name it, so that a purge of the URL finds what was put.
    private static func shown(_ source: Source) -> String {
        guard case .http = source.addresses[0].kind else { return RedactedURL(source.url).description }
        return UnsignedURL(TransferURL(source.url)?.text ?? source.url).description
    }

    /// Returns the keys in a tier.
    func keys(in tier: CacheTier) -> [String] { tier == .sources ? [source] : outputs.map(\.digest) }
}
