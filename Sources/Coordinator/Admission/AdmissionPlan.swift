import TintypeCore
import TintypeImages
import TintypeQueue

/// What admission makes of a request before anybody is asked: its keys, and what Redis will get. Pure.
struct AdmissionPlan: Sendable {
    /// One output: what the request calls it, and the key of the result.
    struct Output: Sendable {
        let name: String
        let digest: String
        /// What is told of the source: there are no bytes of it.
        var isTold: Bool { name.isEmpty }
    }

    let request: ImageRequest
    let isProbe: Bool
    let sourceDigest: String
    let outputs: [Output]
    /// `,"tag":…,"userInfo":…`, or nothing.
    let meta: String
    /// Canonical JSON of each output, for the worker.
    private let renditions: [String]
    /// The terms of a receipt that is nobody's: made once, for a plan may serve thousands of requests.
    private let nobodysTerms: ReceiptTerms
    /// Whether it is an item of a group, under a name that we gave it.
    private let isUnnamedItem: Bool

    /// Seconds a receipt is kept after its end.
    private static let usual = 86_400.0
    /// The same when nobody can know its id, or Redis is more than half full (`RedisRoom.isPressed`).
    private static let brief = 600.0
    /// Seconds the receipt of a group's item is kept whose name nobody gave: the group has what came of it.
    private static let itemKept = 3600.0

    /// Requests share a fetch where what one is given is what the other may be given.
    private var coalescingKey: String {
        let words = [cacheUse.distinction, request.source.fetch.retryOn?.distinction].compactMap(\.self)
        return words.isEmpty ? sourceDigest : "\(sourceDigest)@\(words.joined(separator: "-"))"
    }
    /// Those that must not go to the network share the limits of no host.
    private var lane: String { request.cachePolicy == .only ? "data:" : request.source.host }

    /// Whose it is, if a token's whose role is not to reach the receipts of others.
    var owner: String?
    /// The client whose share of the places an item of a group takes, or a stand-in.
    var sharer = Submission.house

    /// - Parameters:
    ///   - group: the group it is an item of; named in all its events.
    ///   - keys: what makes its keys.
    init(_ request: ImageRequest, isProbe: Bool, group: String? = nil, keys: KeySecret = .none) {
        self.request = request
        self.isProbe = isProbe
        isUnnamedItem = group != nil && request.receipt == nil
        let digest = request.source.digest
        sourceDigest = keys.key(digest)
        // A probe's one has no name and stays out of the list.
        outputs = request.renditions.map {
            let own = $0.name.isEmpty ? nil : request.key.map { ImageRequest.key($0, by: keys) }
            return Output(name: $0.name, digest: own ?? keys.key($0.digest(source: digest)))
        }
        renditions = request.renditions.map { $0.queued.text }
        var meta = ""
        if let tag = request.tag { meta += ",\"tag\":\(JSON.string(tag).text)" }
        if let userInfo = request.userInfo { meta += ",\"userInfo\":\(userInfo.text)" }
        if let group { meta += ",\"group\":\(JSON.string(group).text)" }
        self.meta = meta
        nobodysTerms = Self.terms(of: request, isProbe: isProbe)
    }

    private static func terms(of request: ImageRequest, isProbe: Bool) -> ReceiptTerms {
        var tiers: Set<CacheTier> = []
        if !isProbe, request.writes.contains(.memory), (request.ttl ?? 0) >= 0 { tiers.insert(.memory) }
        if request.writes.contains(.results), (request.ttl ?? 1) > 0 { tiers.insert(.results) }
        var terms = ReceiptTerms(
            isDetached: request.isDetached, delivery: request.delivery, hasHooks: request.wantsHooks,
            isJSON: request.renditions.first?.mode == .json && request.delivery != .none, tiers: tiers)
        terms.fallback = request.fallback
        terms.isPinned = request.pins && !isProbe && tiers.contains(.results)
        return terms
    }

    /// Whether the memory tier may answer: not a receipt that has to be known to all coordinators, nor one that
    /// ends another; and what has a version, or is told of a source, is not kept there. A result to be pinned is looked for where that is done.
    var readsMemory: Bool {
        !outputs.contains(where: \.isTold) && request.receipt == nil && request.slot == nil && [.default, .only].contains(request.cachePolicy)
            && request.version == 0
            && request.reads.contains(.memory) && !isKeptByNobody && !isKeyUnsure
            && !request.pins
    }
    /// Whether the index of results may answer, or has what `refresh` shows first.
    var readsResults: Bool {
        [.default, .only, .refresh].contains(request.cachePolicy) && request.reads.contains(.results) && !isKeptByNobody && !isKeyUnsure
    }
    /// Whether its key may be that of a result which is made of another source than is required.
    private var isKeyUnsure: Bool { request.key != nil && request.requirement != nil }
    /// A negative ttl: nothing of it is in any cache.
    var isKeptByNobody: Bool { request.ttl ?? 0 < 0 }
    var writesMemory: Bool { nobodysTerms.tiers.contains(.memory) }
    var writesResults: Bool { nobodysTerms.tiers.contains(.results) }
    /// How the end is to be handed over.
    var terms: ReceiptTerms {
        guard let owner else { return nobodysTerms }
        var terms = nobodysTerms
        terms.owner = owner
        return terms
    }
    /// Identifies the request, as `ImageRequest.fingerprint` does, and its owner: the receipt of another is taken up by nobody who repeats its words.
    var fingerprint: String { owner.map { Digest.sha256Base64("\($0)/\(request.fingerprint)".utf8, characters: 16) } ?? request.fingerprint }
    /// The slot it takes. One client does not supersede what another has put into a slot of the same name.
    private var slot: String? { request.slot.map { name in owner.map { "\($0)/\(name)" } ?? name } }
    /// What is done with the result on its way.
    var use: ResultUse {
        let terms = terms
        // Where memory alone keeps them the worker says that nobody does.
        let lifetime = request.ttl ?? (terms.tiers == [.memory] ? .infinity : nil)
        return ResultUse(
            terms: terms, isReload: [.reload, .revalidate, .refresh].contains(request.cachePolicy), memoryLifetime: lifetime,
            isActivity: request.isActivity)
    }

    /// What the blacklist has to say.
    private var blacklistUse: BlacklistUse {
        // It stands before the network, where this one never goes.
        if request.cachePolicy == .only { return .off }
        return switch request.blacklist {
        case .on: .on(decodes: isProbe || request.renditions.contains { $0.mode == .image && $0.decode.failOn != .none || !$0.traits.isEmpty })
        case .off: .off
        case .retry: .retry
        }
    }

    /// What the worker may do with the cache of sources.
    private var cacheUse: CacheUse {
        var use = CacheUse()
        use.mode =
            switch request.cachePolicy {
            case .default: .normal
            case .reload: .reload
            case .only: .only
            case .revalidate, .refresh: .revalidate
            }
        use.reads = request.reads.contains(.sources)
        use.writes = request.writes.contains(.sources)
        use.ttl = request.ttl
        use.version = request.version
        if use.mode == .normal { (use.staleIfError, use.staleWhileRevalidate) = (request.staleIfError, request.staleWhileRevalidate) }
        use.requirement = request.requirement
        // Inline bytes are read from the store.
        use.awaits = request.awaitsStore || terms.delivery == .inline || terms.isJSON
        return use
    }

    /// The fetch as the worker gets it. Holds secrets.
    private var fetch: String {
        guard case .object(var fetch) = request.source.canonical else { return "{}" }
        fetch["cache"] = cacheUse.canonical
        fetch["access"] = request.source.access.map { .string($0) }
        return JSON.object(fetch).text
    }

    /// What a dead letter may keep of it.
    private var bare: String {
        let canonical = request.source.canonical
        let bytes = renditions.reduce(request.source.url.utf8.count) { $0 + $1.utf8.count }
        return BareFetch.text(of: canonical, renditions: request.renditions.map(\.queued), bytes: bytes)
    }

    /// What goes to Redis.
    /// - Parameters:
    ///   - deadline: seconds left until the request's deadline.
    ///   - isKept: whether the ended receipt can be asked for later.
    ///   - isPressed: whether it is to be kept for less, as Redis fills up. An item of a group without a name of its own stays.
    func submission(receipt: String, coordinator: String, deadline: Double, isKept: Bool, isPressed: Bool = false) -> Submission {
        let source = request.source
        var submission = Submission(
            receipt: receipt, coordinator: coordinator, fingerprint: fingerprint, source: coalescingKey, host: lane, fetch: fetch,
            renditions: zip(outputs, renditions).map { Submission.Rendition(name: $0.name, digest: $0.digest, json: $1) })
        submission.mirrors = request.cachePolicy == .only ? [] : source.mirrorHosts
        submission.priority = request.priority
        submission.order = request.order.map { $0 == .fifo ? .fifo : .lifo }
        submission.deadlineSeconds = deadline
        submission.maxAttempts = source.fetch.attempts
        submission.retryBaseMilliseconds = Int(source.fetch.retryBase * 1000)
        submission.retryMaxMilliseconds = Int(source.fetch.retryMax * 1000)
        if source.fetch.timeouts != FetchOptions.Timeouts() { submission.timeouts = source.fetch.timeouts }
        submission.meta = meta
        submission.wantsProgress = request.progress != nil || request.previews != nil
        if let progress = request.progress { submission.progressInterval = progress.pace }
        submission.previews = request.previews
        submission.readResults = readsResults
        submission.showsCached = request.cachePolicy == .refresh
        (submission.version, submission.newerThan) = (request.version, request.ttl)
        // What a probe has found needs no bytes.
        submission.isVerified = isProbe
        submission.joining =
            switch request.cachePolicy {
            case .default, .only: .any
            case .reload: .reload
            case .revalidate, .refresh: .asking
            }
        submission.keepsSource = cacheUse.writes
        // Nobody will ask for bytes that are neither delivered nor cached: the worker keeps none.
        let isUnasked = request.delivery == .none && !writesMemory
        submission.resultTTL =
            writesResults
            ? request.ttl.map { max($0, Submission.shortest) } ?? Submission.whileFresh : isUnasked ? 0 : Submission.bytesOnly
        submission.keepSeconds = !isKept ? Self.brief : isUnnamedItem ? Self.itemKept : isPressed ? Self.brief : Self.usual
        submission.terms = terms
        submission.callback = request.callback
        submission.blacklist = blacklistUse
        if let status = request.renditions.first?.acceptance.status, status != Acceptance().status { submission.takes = status }
        // The cache comes first, and a worker looks into that of sources.
        submission.asksIfListed =
            [.default, .refresh].contains(request.cachePolicy) && request.reads.contains(.sources) && !isKeptByNobody && source.mayBeKept
        submission.bare = bare
        submission.slot = slot
        submission.isChosen = request.receipt == receipt
        return submission
    }
}
