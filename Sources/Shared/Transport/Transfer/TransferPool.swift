import CCurl
import Glibc
package import TintypeCore

/// All HTTP transfers of a process: curl's multi handle on the event loop, with kept and shared connections.
///
/// Thousands may be under way at once. Each is one easy handle that never blocks, and no thread is needed besides the loop's (curl's own threads
/// resolve names). Every socket is checked against the address policy.
@Loop package final class TransferPool {
    private let policy: AddressPolicy
    private let proxy: TransferProxy?
    private var multi: UnsafeMutableRawPointer
    private let keptConnections: Int
    private let idleTime: Duration
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    private var watches: [Int32: DescriptorWatch] = [:]
    private var timer: LoopTimer?
    /// Runs while no transfer is under way.
    private var idle: LoopTimer?

    /// - Parameters:
    ///   - policy: the addresses that may be connected to.
    ///   - proxy: the proxy to connect to instead.
    ///   - keptConnections: the number of connections kept for the next transfer to the same server.
    ///   - idleTime: how long they are kept while no transfer is under way.
    package init(policy: AddressPolicy, proxy: TransferProxy? = nil, keptConnections: Int = 256, idleTime: Duration = .seconds(60)) {
        (self.policy, self.proxy, self.keptConnections, self.idleTime) = (policy, proxy, keptConnections, idleTime)
        _ = Self.globalInit
        multi = Self.makeMulti()
        configure()
    }

    private static func makeMulti() -> UnsafeMutableRawPointer {
        guard let multi = curl_multi_init() else { fatalError("curl_multi_init: out of memory") }
        return multi
    }

    private func configure() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        tintype_multi_set_long(multi, CURLMOPT_MAXCONNECTS, keptConnections)
        tintype_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        tintype_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        tintype_multi_set_socket(multi) { _, descriptor, what, context, _ in
            TransferPool.from(context) { $0.watch(descriptor, what) }
        }
        tintype_multi_set_timer(multi) { _, milliseconds, context in
            TransferPool.from(context) { $0.schedule(milliseconds) }
        }
    }

    // The tasks of transfers keep the pool alive, so none is left here.
    isolated deinit { Self.cleanUp(multi) }

    /// Frees the multi handle. curl closes its kept sockets without calling back.
    private static func cleanUp(_ multi: UnsafeMutableRawPointer) {
        tintype_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, nil)
        tintype_multi_set_pointer(multi, CURLMOPT_TIMERDATA, nil)
        curl_multi_cleanup(multi)
    }

    /// Closes the kept connections, whose descriptors others may need. curl checks the age of a connection only when it opens another one. A new multi
    /// handle is the only way to close them all.
    private func closeKept() {
        guard transfers.isEmpty else { return }
        for watch in watches.values { watch.cancel() }
        (watches, timer, idle) = ([:], nil, nil)
        Self.cleanUp(multi)
        multi = Self.makeMulti()
        configure()
    }

    private static let globalInit: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The number of transfers under way.
    package var count: Int { transfers.count }

    /// Makes one exchange, redirects included, and returns when its body has ended or the receiver has stopped it.
    ///
    /// Cancelling the task aborts the exchange at once.
    /// - Parameters:
    ///   - gate: resumes the transfer after `onBytes` answered `.pause`.
    ///   - cookies: the cookies to send. It gets the cookies afterwards, also after a failure. nil: none are sent or kept.
    ///   - onRedirect: called with each URL of a redirect before it is requested. An error that it throws ends the exchange.
    ///   - onSent: called with the number of bytes sent of the request's body, as they are sent.
    ///   - onHead: called once with the head of the response that will be delivered, before its bytes.
    ///   - onBytes: called with bytes that are valid during the call, the count received with them and the count expected. It is called from within
    ///     curl, so it must not start or end transfers.
    /// - Throws: invalidURL, denied, dns, connect, tls, timeout (`which`), connectionLost, tooManyRedirects, httpStatus, authFailed, limitExceeded,
    ///   cancelled; all of phase download.
    package func run(
        _ request: TransferRequest, gate: TransferGate? = nil, cookies: TransferCookies? = nil,
        onRedirect: @Loop (TransferURL) async throws(TintypeError) -> Void = { _ in },
        onSent: @escaping @Loop (_ sent: Int64) -> Void = { _ in },
        onHead: @escaping @Loop (TransferHead) -> Void,
        onBytes: @escaping @Loop (UnsafeRawBufferPointer, _ received: Int64, _ expected: Int64?) -> TransferVerdict
    ) async throws(TintypeError) -> TransferSummary {
        var plan = try RedirectPlan(request)
        let receiver = TransferReceiver(gate: gate ?? TransferGate(), onSent: onSent, onHead: onHead, onBytes: onBytes)
        let end = ContinuousClock.now + request.timeouts.total
        var timings = TransferTimings()
        while true {
            do throws(TintypeError) {
                let deadlines = TransferDeadlines(limits: request.timeouts, lowestRate: request.lowestRate, started: .now, end: end)
                let host = plan.url.plainHost ?? plan.url.host
                let proxy = proxy.flatMap { $0.serves(host) ? $0 : nil }
                if proxy != nil, let refused = policy.refusal(ofProxied: host) {
                    throw TransferFailure.deniedAddress(refused.address.description, reason: refused.reason)
                }
                let transfer = Transfer(
                    plan, request, policy: policy, receiver: receiver, deadlines: deadlines, timings: timings, proxy: proxy, cookies: cookies)
                switch try await perform(transfer) {
                case .delivered(let summary): return summary
                case .redirect(let hop, let location):
                    timings = transfer.timingsSoFar()
                    try plan.follow(hop, location: location)
                    try await onRedirect(plan.url)
                }
            } catch {
                throw TransferFailure.placed(error, at: plan.url, of: request)
            }
        }
    }

    private func perform(_ transfer: Transfer) async throws(TintypeError) -> Transfer.End {
        transfers[ObjectIdentifier(transfer)] = transfer
        idle = nil
        curl_multi_add_handle(multi, transfer.easy.pointer)
        transfer.leave = { [unowned self, unowned transfer] in remove(transfer) }
        transfer.watchTime()
        do {
            return try await transfer.end.wait()
        } catch let error as TintypeError {
            throw error
        } catch {
            // The task was cancelled. curl is not on the call stack here.
            transfer.finish(TransferFailure.cancelled())
            throw TransferFailure.cancelled()
        }
    }

    private func remove(_ transfer: Transfer) {
        guard transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
        curl_multi_remove_handle(multi, transfer.easy.pointer)
        if transfers.isEmpty { idle = LoopTimer(after: idleTime) { [weak self] in self?.closeKept() } }
    }

    // MARK: curl and the loop

    private func watch(_ descriptor: Int32, _ what: Int32) {
        var interest: DescriptorWatch.Interest = []
        switch what {
        case CURL_POLL_IN: interest = .read
        case CURL_POLL_OUT: interest = .write
        case CURL_POLL_INOUT: interest = [.read, .write]
        default:
            watches.removeValue(forKey: descriptor)?.cancel()
            return
        }
        if let watch = watches[descriptor] {
            watch.update(interest)
        } else {
            watches[descriptor] = DescriptorWatch(descriptor, interest) { [unowned self] ready in
                let bits = (ready.contains(.read) ? CURL_CSELECT_IN : 0) | (ready.contains(.write) ? CURL_CSELECT_OUT : 0)
                act(descriptor, bits)
            }
        }
    }

    private func schedule(_ milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = LoopTimer(after: .milliseconds(milliseconds)) { [unowned self] in act(CURL_SOCKET_BAD, 0) }
    }

    private func act(_ descriptor: Int32, _ ready: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, descriptor, ready, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = tintype_message_result(message)
            var context: UnsafeMutableRawPointer?
            tintype_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            let transfer = Transfer.from(context) { $0 }
            transfer.finish(result)
        }
    }

    private nonisolated static func from(_ context: UnsafeMutableRawPointer?, _ body: @Loop (TransferPool) -> Void) -> Int32 {
        // Without a context, the pool is being released.
        Loop.callback(context, TransferPool.self, body)
        return 0
    }
}
