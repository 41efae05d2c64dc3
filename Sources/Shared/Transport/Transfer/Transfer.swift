import CCurl
import TintypeCore

/// One hop of a transfer: one easy handle, from its addition to the multi handle until curl reports its end.
@Loop final class Transfer {
    /// The end of the hop.
    enum End: Sendable {
        case redirect(TransferHop, location: String)
        case delivered(TransferSummary)
    }

    private enum Body { case unknown, delivered, skipped, excerpt }

    let easy: CurlEasy
    let end = OneShot<End>()
    let receiver: TransferReceiver
    var deadlines: TransferDeadlines
    /// Removes the easy handle from the multi handle; set by the pool.
    var leave: @Loop () -> Void = {}
    private var timer: LoopTimer?
    private let plan: RedirectPlan
    private let request: TransferRequest
    private let policy: AddressPolicy
    private let isProxied: Bool
    private let cookies: TransferCookies?
    private var timings: TransferTimings
    private var block = HeaderBlock()
    private var head: TransferHead?
    private var body = Body.unknown
    /// Decompresses the body, if it is compressed.
    private var decoder: ContentDecoder?
    private var excerpt: [UInt8] = []
    private var received: Int64 = 0
    /// The length of the whole with the range of a 206. If the response has no length of its own, only this shows that its body ended too early.
    private var promised: Int64?
    private var stopped = false
    private var challengeSeen = false
    /// A failure found by the callbacks. It explains curl's "aborted by callback".
    private var failure: TintypeError?
    private var refused: (address: IPAddress, reason: String)?
    /// Whether no descriptor was left for a connection.
    private var isStarved = false

    /// Bytes of challenges and other answers that no receiver gets.
    private var unheard: Int64 = 0
    /// The number of bytes of the request's body that were sent.
    private var sent: Int64 = 0

    private static let excerptLimit = 1024
    /// Above this size of an unwanted body, a new connection is cheaper than reading on.
    private static let skipLimit: Int64 = 64 << 10
    /// After this time without a byte of the body of a redirect, a new connection is cheaper than waiting on.
    private static let skipTime = Duration.seconds(1)

    init(
        _ plan: RedirectPlan, _ request: TransferRequest, policy: AddressPolicy, receiver: TransferReceiver,
        deadlines: TransferDeadlines, timings: TransferTimings, proxy: TransferProxy?, cookies: TransferCookies?
    ) {
        (isProxied, self.cookies) = (proxy != nil, cookies)
        (self.plan, self.request, self.policy, self.receiver) = (plan, request, policy, receiver)
        (self.deadlines, self.timings) = (deadlines, timings)
        var easy = CurlEasy()
        easy.configure(plan, request, proxy: proxy, cookies: cookies?.lines)
        self.easy = easy
        self.easy.install(callbacksOf: self)
    }

    // MARK: Questions of curl, on the loop, inside curl_multi_socket_action

    /// Checks an address before curl connects to it.
    /// - Returns: the reason for which it is refused; nil if it is allowed.
    func refusal(of address: IPAddress?) -> String? {
        // The connection goes to the operator's proxy.
        if isProxied { return nil }
        guard let address else { return "neither IPv4 nor IPv6" }
        guard let reason = policy.refusal(of: address) else { return nil }
        refused = (address, reason)
        return reason
    }

    /// Notes that no socket could be made.
    func missedSocket(_ number: Int32) { isStarved = isStarved || Descriptors.isShortage(number) }

    /// Whether the keys of the server's chain are checked here, and not by curl.
    var judgesPins: Bool { !request.tls.pinnedPublicKeys.isEmpty && !request.tls.allowInvalid }

    /// Checks the keys before the request is sent, also on a connection that another transfer has opened.
    /// - Returns: false to end the transfer.
    func judgePins() -> Bool { easy.shows(oneOf: request.tls.pins) || fail(TransferFailure.notPinned()) }

    /// Reads a header line.
    /// - Returns: false to end the transfer.
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        deadlines.received(line.count, at: .now)
        let wasComplete = block.isComplete
        guard block.take(line) else { return fail(TransferFailure.headTooLong()) }
        guard block.isComplete, !wasComplete, block.status >= 200, !isAnswerableChallenge else { return true }
        let resume = plan.resume
        promised = block.promisedBytes
        var head = block.head(at: plan, goingOnWith: resume)
        if let revision = request.revision, block.redirectTarget == nil { head = revision.revised(head) }
        let offset = head.resumedFrom ?? 0
        self.head = head
        decoder = block.encoding.flatMap { ContentDecoder($0) }
        if block.redirectTarget != nil {
            (body, deadlines.limits.idle) = (.skipped, min(deadlines.limits.idle, Self.skipTime))
            // The body must not keep the transfer waiting. This is a callback of curl, in which no transfer may end.
            timer?.cancel()
            timer = LoopTimer(after: deadlines.limits.idle) { [unowned self] in watchTime() }
        } else if block.status == 304, !plan.conditions.isEmpty {
            body = .delivered
            receiver.onHead(head)
        } else if resume != nil && block.status == 416 || !request.acceptableStatus.contains(where: { $0.contains(head.status) }) {
            // A range beyond the end is an answer to our own question, whatever statuses the receiver accepts.
            body = .excerpt
        } else if !block.delivers(resume) {
            return fail(TransferFailure.partialContent())
        } else if let type = head.header("content-type"), !type.isEmpty, let types = request.acceptableTypes,
            !types.contains(where: { $0.contains(type) })
        {
            return fail(TransferFailure.contentType(type, acceptable: types, url: head.url))
        } else if plan.method != "HEAD", decoder == nil, let encoding = block.encoding {
            return fail(TransferFailure.encoding(encoding, url: head.url))
        } else if plan.method != "HEAD", block.isLengthImpossible {
            return fail(TransferFailure.curl(CURLE_WEIRD_SERVER_REPLY, "the lengths that the server sent cannot be those of one body"))
        } else if plan.method != "HEAD", let declared = block.declaredBytes, declared + offset > request.maxBytes {
            return fail(TransferFailure.tooLong(declared + offset, limit: request.maxBytes))
        } else if plan.method != "HEAD", decoder == nil, let declared = block.declaredBytes, let length = request.revision?.length,
            !length.takes(declared + offset)
        {
            return fail(TransferFailure.length(declared + offset, length, of: head))
        } else {
            body = .delivered
            received = offset
            receiver.onHead(head)
        }
        return true
    }

    /// Whether curl may have to answer a challenge before it gets the response.
    private var mayBeChallenged: Bool { if case .digest = plan.credentials { true } else { false } }

    /// Whether curl reports progress, which it does at each step.
    var wantsProgress: Bool { mayBeChallenged || plan.body != nil }

    /// Handles a progress report. It is the only source for the length of a challenge that curl answers, and for the bytes sent of our own body.
    /// - Returns: false to end the transfer.
    func takeProgress(_ received: Int64, _ sent: Int64) -> Bool {
        if sent > self.sent {
            (self.sent, deadlines.lastActivity) = (sent, .now)
            receiver.onSent(sent)
        }
        guard body == .unknown, received > Self.skipLimit else { return true }
        return fail(TransferFailure.longChallenge(limit: Self.skipLimit))
    }

    /// Whether curl answers this response by itself: with digest the first 401 is part of the handshake.
    private var isAnswerableChallenge: Bool {
        guard mayBeChallenged, block.status == 401,
            block.headers.contains(where: { $0.name == "www-authenticate" && $0.value.lowercased().contains("digest") })
        else { return false }
        defer { challengeSeen = true }
        return !challengeSeen
    }

    /// Reads bytes of the body.
    /// - Returns: the number of bytes taken. Fewer than offered end the transfer; `CURL_WRITEFUNC_PAUSE` pauses it.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        deadlines.received(bytes.count, at: .now)
        guard let decoder, body == .delivered || body == .excerpt else { return hear(bytes) }
        let count = decoder.take(bytes) { hear($0) }
        // Compressed data may be longer than its content, but not by much.
        let isTooLong = decoder.consumed - ContentDecoder.maxBarren > (body == .delivered ? request.maxBytes : Self.skipLimit)
        if body == .delivered {
            if decoder.isBroken { failure = TransferFailure.curl(CURLE_BAD_CONTENT_ENCODING, "the compressed body cannot be unpacked") }
            if decoder.isBarren { failure = TransferFailure.barren(limit: ContentDecoder.maxBarren) }
            if isTooLong { failure = TransferFailure.tooLong(decoder.consumed, limit: request.maxBytes) }
        }
        return isTooLong ? 0 : count
    }

    private func hear(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch body {
        case .unknown:
            unheard += Int64(bytes.count)
            return unheard > Self.skipLimit ? 0 : bytes.count
        case .skipped:
            received += Int64(bytes.count)
            return received > Self.skipLimit ? 0 : bytes.count
        case .excerpt:
            excerpt += bytes.prefix(Self.excerptLimit - excerpt.count)
            return excerpt.count == Self.excerptLimit ? 0 : bytes.count
        case .delivered: return deliver(bytes)
        }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Int {
        let total = received + Int64(bytes.count)
        guard total <= request.maxBytes else {
            failure = TransferFailure.tooLong(total, limit: request.maxBytes)
            return 0
        }
        if let head, let length = request.revision?.length, !length.mayGrow(to: total) {
            failure = TransferFailure.length(total, length, of: head)
            return 0
        }
        guard total <= promised ?? total else {
            failure = TransferFailure.partialContent()
            return 0
        }
        switch receiver.onBytes(bytes, total, head?.expectedBytes) {
        case .proceed:
            received = total
            return bytes.count
        case .stop:
            stopped = true
            return 0
        case .pause:
            deadlines.pause(at: .now)
            receiver.gate.onOpen = { [weak self] in self?.resume() }
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    private func resume() {
        guard !end.isComplete, deadlines.isPaused else { return }
        deadlines.resume(at: .now)
        watchTime()
        guard !end.isComplete else { return }
        // This call may offer the paused bytes at once. If they are the last ones, curl reports the end only here.
        let result = curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
        if result != CURLE_OK { finish(result) }
    }

    private func fail(_ error: TintypeError) -> Bool {
        failure = error
        return false
    }

    // MARK: Time

    /// Ends the hop when a limit has passed, else sets the timer to the next moment at which one may pass.
    func watchTime() {
        let connected = easy.offset(CURLINFO_PRETRANSFER_TIME_T)
        let now = ContinuousClock.now
        timer?.cancel()
        switch deadlines.check(at: now, connectedAfter: connected > 0 ? .microseconds(connected) : nil) {
        // A redirect is followed by its head, whatever becomes of its body.
        case .expired(.idle) where body == .skipped: finish(CURLE_PARTIAL_FILE)
        case .expired(let which):
            let limits = request.timeouts
            let limit =
                switch which {
                case .connect: limits.connect
                case .idle: limits.idle
                case .total: limits.total
                case .rate: request.lowestRate?.window ?? limits.total
                }
            finish(TransferFailure.timedOut(which, after: limit))
        case .checkAgain(let moment):
            timer = LoopTimer(after: moment - now) { [unowned self] in watchTime() }
        }
    }

    // MARK: The end

    /// Completes the hop with curl's result. Do not call it from curl's callbacks.
    func finish(_ code: CURLcode) {
        leave()
        cookies?.lines = easy.list(CURLINFO_COOKIELIST)
        end.complete(outcome(code))
        timer?.cancel()
        receiver.gate.onOpen = nil
    }

    /// Ends the hop with an error from outside.
    func finish(_ error: TintypeError) {
        failure = error
        finish(CURLE_ABORTED_BY_CALLBACK)
    }

    private func outcome(_ code: CURLcode) -> Result<End, any Error> {
        if let failure { return .failure(failure) }
        if body == .skipped, let location = block.redirectTarget {
            return .success(.redirect(TransferHop(status: block.status, headers: block.headers), location: location))
        }
        if body == .excerpt, let head {
            let isBusy = [429, 503].contains(head.status)
            let retryAfter = isBusy ? head.header("retry-after").flatMap { RetryAfter.seconds($0, date: head.header("date")) } : nil
            let error = TransferFailure.status(head, excerpt: excerpt, credentials: plan.credentials != nil, retryAfter: retryAfter)
            return .failure(error)
        }
        if let promised, code == CURLE_OK, !stopped, received < promised, plan.method != "HEAD" {
            return .failure(TransferFailure.curl(CURLE_PARTIAL_FILE, "a range ended \(promised - received) bytes too early"))
        }
        if let decoder, code == CURLE_OK, !stopped, body == .delivered, !decoder.isWhole {
            return .failure(TransferFailure.curl(CURLE_PARTIAL_FILE, "the compressed body ended before its stream did"))
        }
        if let head, code == CURLE_OK, !stopped, body == .delivered, head.status != 304, plan.method != "HEAD", let length = request.revision?.length,
            !length.takes(received)
        {
            return .failure(TransferFailure.length(received, length, of: head))
        }
        if let head, code == CURLE_OK || stopped {
            return .success(.delivered(summary(head, isWhole: !stopped)))
        }
        if let refused, code == CURLE_COULDNT_CONNECT {
            return .failure(TransferFailure.deniedAddress(refused.address.description, reason: refused.reason))
        }
        // The resolver uses descriptors as well, and reports their exhaustion only as a failed look-up.
        if [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_OUT_OF_MEMORY, CURLE_SSL_CACERT_BADFILE].contains(code), isStarved || Descriptors.areUsedUp
        {
            return .failure(TintypeError.noDescriptor(.download))
        }
        let tunnel = easy.number(CURLINFO_HTTP_CONNECTCODE)
        if code != CURLE_OK, tunnel != 0, !(200...299).contains(tunnel) { return .failure(TransferFailure.tunnel(tunnel)) }
        // curl accepts 100 kB for one line. Beyond that it reports that it has no memory, or since 8.6 CURLE_TOO_LARGE.
        if code == CURLE_OUT_OF_MEMORY || code.rawValue == 100, !block.isComplete {
            // For a request of more than 1 MB it reports the same, before it sends anything.
            return .failure(easy.number(CURLINFO_REQUEST_SIZE) == 0 ? TransferFailure.requestTooLong() : TransferFailure.headTooLong())
        }
        let detail = easy.errorText(code)
        return .failure(code == CURLE_OK ? TransferFailure.curl(CURLE_GOT_NOTHING, detail) : TransferFailure.curl(code, detail))
    }

    /// Returns the time spent so far, this hop included.
    func timingsSoFar() -> TransferTimings {
        var all = timings
        all.add(
            nameLookup: easy.offset(CURLINFO_NAMELOOKUP_TIME_T), connected: easy.offset(CURLINFO_CONNECT_TIME_T),
            tlsDone: easy.offset(CURLINFO_APPCONNECT_TIME_T), firstByte: easy.offset(CURLINFO_STARTTRANSFER_TIME_T),
            total: easy.offset(CURLINFO_TOTAL_TIME_T))
        return all
    }

    private func summary(_ head: TransferHead, isWhole: Bool) -> TransferSummary {
        TransferSummary(
            head: head, receivedBytes: received, isWhole: isWhole, timings: timingsSoFar(),
            remoteAddress: easy.string(CURLINFO_PRIMARY_IP) ?? "", redirects: plan.redirects)
    }
}

/// The callbacks that get the results of a transfer.
@Loop struct TransferReceiver {
    let gate: TransferGate
    let onSent: @Loop (_ sent: Int64) -> Void
    let onHead: @Loop (TransferHead) -> Void
    let onBytes: @Loop (UnsafeRawBufferPointer, _ received: Int64, _ expected: Int64?) -> TransferVerdict
}
