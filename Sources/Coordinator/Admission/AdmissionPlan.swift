package import TintypeCore
package import TintypeImages
import TintypeQueue

/// The plan of a request, made before Redis or any store is asked: its keys, and its submission to Redis. Pure.
package struct AdmissionPlan: Sendable {
    /// An output: its name in the request, and the key of its result.
    package struct Output: Sendable {
        package let name: String
        package let digest: String
        /// Whether the output is only information about the source, without bytes.
        package var isTold: Bool { name.isEmpty }
    }

    package let request: ImageRequest
    let isProbe: Bool
    let sourceDigest: String
    package let outputs: [Output]
    /// `,"traceparent":…,"tag":…,"userInfo":…`, or nothing. The trace comes first, where scripts find it.
    package var meta: String { trace.map { "," + $0.members.fragment + named } ?? named }
    /// The same without the trace.
    private let named: String
    /// The place of its receipt in a trace.
    package var trace: TraceContext?
    /// The canonical JSON of each output, for the worker.
    private let renditions: [String]
    /// The terms of a receipt without an owner. They are made once, because a plan may serve thousands of requests.
    private let nobodysTerms: ReceiptTerms
    /// The tags of its results, as scripts get them.
    package let tags: Set<String>
    /// Whether it is an item of a group without a chosen receipt id.
    private let isUnnamedItem: Bool
    /// The key by which requests share a fetch. They share only if each may receive the other's result.
    private let coalescingKey: String
    /// The permitted use of the source cache by the worker.
    private let cacheUse: CacheUse
    /// The fetch in the form for the worker. It contains secrets. With `bare` it takes about 1 kB of each plan that `PlanCache` keeps.
    private let fetch: String
    /// The part of the fetch that a dead letter may keep.
    private let bare: String

    /// Seconds for which an ended receipt is kept.
    private static let usual = 86_400.0
    /// The same, when no client needs its id after the answer, or when Redis holds more than half of its budget (`RedisMemoryGuard.isPressed`).
    private static let brief = 600.0
    /// Seconds for which the ended receipt of a group's item without a chosen id is kept. The group has its result.
    private static let itemKept = 3600.0

    /// The host whose limits apply. Requests that must not use the network count towards no host's limits.
    private var handle: String { request.cachePolicy == .only ? "data:" : request.source.host }

    /// The owner, if a token submitted the request whose role gives no access to receipts of others.
    package var owner: String?
    /// The client whose part of the limits is used by an item of a group or by a fallback.
    package var sharer = Submission.house

    /// - Parameters:
    ///   - group: The group that it is an item of. All its events name the group.
    ///   - keys: The secret that its keys are made with.
    init(_ request: ImageRequest, isProbe: Bool, group: String? = nil, keys: KeySecret = .none) {
        self.request = request
        self.isProbe = isProbe
        isUnnamedItem = group != nil && request.receipt == nil
        let digest = request.source.digest
        sourceDigest = keys.key(digest)
        tags = Set(request.tags.map { CacheTag.word($0, scope: request.source.scope) })
        // The output of a probe has no name and is not listed.
        outputs = request.renditions.map {
            let own = $0.name.isEmpty ? nil : request.key.map { ImageRequest.key($0, by: keys) }
            return Output(name: $0.name, digest: own ?? keys.key($0.digest(source: digest)))
        }
        let queued = request.renditions.map(\.queued)
        renditions = queued.map(\.text)
        var named = ""
        if let tag = request.tag { named += ",\"tag\":\(JSON.string(tag).text)" }
        if let userInfo = request.userInfo { named += ",\"userInfo\":\(userInfo.text)" }
        if let group { named += ",\"group\":\(JSON.string(group).text)" }
        self.named = named
        nobodysTerms = Self.terms(of: request, isProbe: isProbe)
        cacheUse = Self.cacheUse(of: request, nobodysTerms)
        let words = [cacheUse.distinction, request.source.fetch.retryOn?.distinction].compactMap(\.self)
        coalescingKey = words.isEmpty ? sourceDigest : "\(sourceDigest)@\(words.joined(separator: "-"))"
        let canonical = request.source.canonical
        if case .object(var fetch) = canonical {
            fetch["cache"] = cacheUse.canonical
            fetch["access"] = request.source.access.map { .string($0) }
            self.fetch = JSON.object(fetch).text
        } else {
            fetch = "{}"
        }
        let bytes = renditions.reduce(request.source.url.utf8.count) { $0 + $1.utf8.count }
        bare = CredentialStripper.text(of: canonical, renditions: queued, bytes: bytes)
    }

    /// Returns the plan for a receipt with this place in a trace.
    func traced(_ trace: TraceContext?) -> AdmissionPlan {
        guard let trace else { return self }
        var plan = self
        plan.trace = trace
        return plan
    }

    private static func cacheUse(of request: ImageRequest, _ terms: ReceiptTerms) -> CacheUse {
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
        // Inline bytes are read from the store, so the worker has to wait until the store has them.
        use.awaits = request.awaitsStore || terms.delivery == .inline || terms.document != nil
        return use
    }

    private static func terms(of request: ImageRequest, isProbe: Bool) -> ReceiptTerms {
        var tiers: Set<CacheTier> = []
        if !isProbe, request.writes.contains(.memory), (request.ttl ?? 0) >= 0 { tiers.insert(.memory) }
        if request.writes.contains(.results), (request.ttl ?? 1) > 0 { tiers.insert(.results) }
        var terms = ReceiptTerms(
            isDetached: request.isDetached, delivery: request.delivery, hasHooks: request.wantsHooks,
            document: request.delivery == .none ? nil : request.renditions.first?.mode.document, tiers: tiers)
        terms.fallback = request.fallback
        terms.isPinned = request.pins && !isProbe && tiers.contains(.results)
        return terms
    }

    /// Whether the memory tier may answer. It may not in these cases:
    /// - The receipt has a chosen id, so all coordinators must know it.
    /// - The request has a supersede key, so it cancels another one.
    /// - The request has a version, or asks for information about the source: the tier keeps neither.
    /// - The result must be pinned, which happens in the store.
    var readsMemory: Bool {
        !outputs.contains(where: \.isTold) && request.receipt == nil && request.supersedeKey == nil && [.default, .only].contains(request.cachePolicy)
            && request.version == 0
            && request.reads.contains(.memory) && !isKeptByNobody && !isKeyUnsure
            && !request.pins && !isSaved
    }
    /// Whether the index of results may answer, or has the result that `refresh` shows first.
    package var readsResults: Bool {
        [.default, .only, .refresh].contains(request.cachePolicy) && request.reads.contains(.results) && !isKeptByNobody && !isKeyUnsure
            && !isSaved
    }
    /// Whether a worker has a file to write: what was written once may be gone by now.
    private var isSaved: Bool { request.renditions.first?.saveTo != nil }
    /// Whether the result under its own `cache.key` may come from another source than the required one.
    private var isKeyUnsure: Bool { request.key != nil && request.requirement != nil }
    /// Whether no cache may keep its results (a negative ttl).
    var isKeptByNobody: Bool { request.ttl ?? 0 < 0 }
    var writesMemory: Bool { nobodysTerms.tiers.contains(.memory) }
    package var writesResults: Bool { nobodysTerms.tiers.contains(.results) }
    /// The terms by which the end is delivered.
    var terms: ReceiptTerms {
        guard let owner else { return nobodysTerms }
        var terms = nobodysTerms
        terms.owner = owner
        return terms
    }
    /// Identifies the request, as `ImageRequest.fingerprint` does, and its owner. So a client cannot continue another owner's receipt by repeating
    /// its request.
    package var fingerprint: String { owner.map { Digest.sha256Base64("\($0)/\(request.fingerprint)".utf8, characters: 16) } ?? request.fingerprint }
    /// The supersede key. It includes the owner, so that one client cannot supersede another client's request.
    private var supersedeKey: String? { request.supersedeKey.map { name in owner.map { "\($0)/\(name)" } ?? name } }
    /// The use of the result on its way to clients.
    package var use: ResultUse {
        let terms = terms
        // If only the memory tier keeps the results, the worker reports that they are not kept, so the lifetime is set here.
        let lifetime = request.ttl ?? (terms.tiers == [.memory] ? .infinity : nil)
        return ResultUse(
            terms: terms, isReload: [.reload, .revalidate, .refresh].contains(request.cachePolicy), memoryLifetime: lifetime,
            isActivity: request.isActivity, tags: tags)
    }

    /// The effect of the blacklist.
    private var blacklistUse: BlacklistUse {
        // The blacklist guards the network, which this request never uses.
        if request.cachePolicy == .only { return .off }
        return switch request.blacklist {
        case .on: .on(decodes: isProbe || request.renditions.contains { $0.mode == .image && $0.decode.failOn != .none || !$0.traits.isEmpty })
        case .off: .off
        case .retry: .retry
        }
    }

    /// Returns the submission for Redis.
    /// - Parameters:
    ///   - deadline: The seconds left until the request's deadline.
    ///   - isKept: Whether clients may ask for the ended receipt later.
    ///   - isPressed: Whether it is kept for a shorter time because Redis fills up. An item of a group without a chosen id keeps its time.
    func submission(receipt: String, coordinator: String, deadline: Double, isKept: Bool, isPressed: Bool = false) -> Submission {
        let source = request.source
        var submission = Submission(
            receipt: receipt, coordinator: coordinator, fingerprint: fingerprint, source: coalescingKey, host: handle, fetch: fetch,
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
        // The result of a probe has no bytes to verify.
        submission.isVerified = isProbe
        submission.joining =
            switch request.cachePolicy {
            case .default, .only: .any
            case .reload: .reload
            case .revalidate, .refresh: .asking
            }
        submission.keepsSource = cacheUse.writes
        // The bytes are neither delivered nor cached, so no client will ask for them and the worker keeps none.
        let isUnasked = request.delivery == .none && !writesMemory
        submission.resultTime =
            writesResults
            ? request.ttl.map { ResultTime.seconds(max($0, ResultTime.shortest)) } ?? .whileFresh : isUnasked ? .unkept : .bytesOnly
        submission.keepSeconds = !isKept ? Self.brief : isUnnamedItem ? Self.itemKept : isPressed ? Self.brief : Self.usual
        submission.terms = terms
        submission.callback = request.callback
        submission.blacklist = blacklistUse
        if let status = request.renditions.first?.acceptance.status, status != Acceptance().status { submission.takes = status }
        // The caches are asked before the blacklist, and only a worker reads the source cache.
        submission.asksIfListed =
            [.default, .refresh].contains(request.cachePolicy) && request.reads.contains(.sources) && !isKeptByNobody && source.mayBeKept
        (submission.bare, submission.tags) = (bare, tags.sorted())
        submission.supersedeKey = supersedeKey
        submission.isChosen = request.receipt == receipt
        return submission
    }
}
