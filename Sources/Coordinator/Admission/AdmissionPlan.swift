import Shared

/// What admission makes of a request before anybody is asked: its keys, and what Redis will get. Pure.
struct AdmissionPlan: Sendable {
    /// One output: what the request calls it, and the key of the result.
    struct Output: Sendable {
        let name: String
        let digest: String
    }

    let request: ImageRequest
    let isProbe: Bool
    let sourceDigest: String
    let outputs: [Output]
    /// `,"tag":…,"userInfo":…`, or nothing.
    let meta: String
    /// Canonical JSON of each output, for the worker.
    private let renditions: [String]
    /// Whether it is an item of a group, under a name that we gave it.
    private let isUnnamedItem: Bool

    /// Seconds a receipt is kept after its end when nobody can know its id.
    private static let brief = 600.0
    /// Seconds the receipt of a group's item is kept whose name nobody gave: the group has what came of it.
    private static let itemKept = 3600.0
    /// Seconds a result is kept for its URL alone when the request says it is not to be cached.
    private static let held = 60.0

    /// - Parameter group: the group it is an item of; named in all its events.
    init(_ request: ImageRequest, isProbe: Bool, group: String? = nil) {
        self.request = request
        self.isProbe = isProbe
        isUnnamedItem = group != nil && request.receipt == nil
        sourceDigest = request.source.digest
        let digest = sourceDigest
        // A probe's one has no name and stays out of the list.
        outputs = request.renditions.map { Output(name: $0.name, digest: $0.digest(source: digest)) }
        renditions = request.renditions.map { $0.canonical.text }
        var meta = ""
        if let tag = request.tag { meta += ",\"tag\":\(JSON.string(tag).text)" }
        if let userInfo = request.userInfo { meta += ",\"userInfo\":\(userInfo.text)" }
        if let group { meta += ",\"group\":\(JSON.string(group).text)" }
        self.meta = meta
    }

    /// Whether the memory tier may answer: not a receipt that has to be known to all coordinators, nor one that
    /// ends another.
    var readsMemory: Bool {
        !isProbe && request.receipt == nil && request.slot == nil && request.cachePolicy != .reload && request.reads.contains(.memory)
    }
    /// Whether the index of results may answer.
    var readsResults: Bool { request.cachePolicy != .reload && request.reads.contains(.results) }
    var writesMemory: Bool { !isProbe && request.writes.contains(.memory) && (request.ttl ?? 0) >= 0 }
    var writesResults: Bool { request.writes.contains(.results) && (request.ttl ?? 1) > 0 }
    /// How the end is to be handed over.
    var terms: ReceiptTerms {
        var terms = ReceiptTerms(
            isDetached: request.isDetached, delivery: request.delivery, hasHooks: request.wantsHooks,
            isJSON: request.renditions.first?.mode == .json && request.delivery != .none,
            tiers: Set((writesMemory ? [.memory] : []) + (writesResults ? [.results] : [])))
        terms.fallback = request.fallback
        return terms
    }
    /// What is done with the result on its way.
    var use: ResultUse {
        let terms = terms
        // Where memory alone keeps them, the worker's word is only how long the bytes wait to be fetched.
        let lifetime = terms.tiers == [.memory] ? request.ttl ?? MemoryTier.defaultLifetime : nil
        return ResultUse(terms: terms, isReload: request.cachePolicy == .reload, memoryLifetime: lifetime)
    }

    /// What the blacklist has to say.
    private var blacklistUse: BlacklistUse {
        switch request.blacklist {
        case .on: .on(decodes: isProbe || request.renditions.contains { $0.mode == .image && $0.decode.failOn != .none })
        case .off: .off
        case .retry: .retry
        }
    }

    /// What goes to Redis.
    /// - Parameters:
    ///   - deadline: seconds left until the request's deadline.
    ///   - isKept: whether the ended receipt can be asked for later.
    func submission(receipt: String, coordinator: String, deadline: Double, isKept: Bool) -> Submission {
        let source = request.source
        var submission = Submission(
            receipt: receipt, coordinator: coordinator, fingerprint: request.fingerprint, source: sourceDigest, host: source.host,
            fetch: source.canonical.text,
            renditions: zip(outputs, renditions).map { Submission.Rendition(name: $0.name, digest: $0.digest, json: $1) })
        submission.priority = request.priority
        submission.order = request.order.map { $0 == .fifo ? .fifo : .lifo }
        submission.deadlineSeconds = deadline
        submission.maxAttempts = source.fetch.attempts
        submission.retryBaseMilliseconds = Int(source.fetch.retryBase * 1000)
        submission.retryMaxMilliseconds = Int(source.fetch.retryMax * 1000)
        if source.fetch.timeouts != FetchOptions.Timeouts() { submission.timeouts = source.fetch.timeouts }
        submission.meta = meta
        submission.wantsProgress = request.progress != nil
        submission.readResults = readsResults
        // What a probe has found needs no bytes.
        submission.isVerified = isProbe
        submission.joinRunning = request.cachePolicy != .reload
        let isCached = writesResults
        // Nobody will ask for bytes that are neither delivered nor cached: the worker keeps none.
        let isUnasked = request.delivery == .none && !writesMemory
        submission.resultTTL = isCached ? request.ttl : isUnasked ? 0 : Self.held
        submission.keepSeconds = isKept ? isUnnamedItem ? Self.itemKept : 86_400 : Self.brief
        submission.terms = terms
        submission.callback = request.callback
        submission.blacklist = blacklistUse
        submission.slot = request.slot
        return submission
    }
}
