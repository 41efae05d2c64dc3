package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// A client: a connection, or one HTTP request. Owns its requests in flight, its receipts and its subscriptions, and releases them when it ends.
@Loop
package final class Session: AnswerOrder {
    /// The client's address, for log lines.
    package let peer: String
    /// Whether its receipts are canceled when it ends. Over HTTP a receipt is independent of its connection.
    package let ownsReceipts: Bool
    package private(set) var isOpen = true
    /// The digest of the token that authenticated it (`AccessControl`).
    package var token: [UInt8]?
    /// The end of the browser's session whose cookie stands for the token, in seconds since 1970; nil for the token itself.
    package var until: Double?
    /// Returns the names in the client's certificate; nil without one. They authenticate a client that has sent no token.
    var certificate: @Loop () -> CertificateNames?
    /// The grant of the token or certificate at the latest request; nil for an unauthenticated client.
    package var grant: AccessGrant? { didSet { knownSharer = nil } }
    /// The client of these requests, for log lines and receipts.
    package var client: ClientIdentity { grant?.client ?? .anyone }
    /// Identifies the client where permits are shared: the client of its token, else its address without the port. A token that is not required does
    /// not make another client. It is a digest, so that no list shows the address.
    package var sharer: String {
        if let knownSharer { return knownSharer }
        let client = grant?.client ?? .anyone
        let sharer = client == .anyone ? Digest.sha256Hex("address \(network ?? address)".utf8, digits: 12) : client.sharer
        knownSharer = sharer
        return sharer
    }
    private var knownSharer: String?
    private let address: String
    /// The unit by which its attempts are limited (`ConnectionPeer.network`).
    package var network: String? { ConnectionPeer(address: address).network }
    /// The place of an HTTP request in the trace of its client.
    package var trace: TraceContext?
    /// The error of the latest request that failed.
    package var failure: TintypeError?
    /// The ends of receipts that were sent last.
    private(set) var recentlyDelivered = RecentlyDelivered()
    /// Whether the client has closed its sending side, and perhaps has gone. No work begins that only it would wait for.
    private(set) var isClosing = false
    private var calls: [ObjectIdentifier: Call] = [:]
    /// Each attachment stores its index in this array: a dictionary with a million entries would stop the loop when it grows.
    private var holds: [(waiter: ReceiptWaiter, receipt: PendingReceipt)] = []
    /// The number of attachments that end at once when the client closes its sending side.
    private var boundToConnection = 0
    private var subscriptions: [String: @Loop () -> Void] = [:]
    private var endings: [String: @Loop () -> Void] = [:]
    /// The order of large answers and their places; nil for sessions that get none.
    package var turns: AnswerScheduler?
    /// Cancels a request that was not taken yet (`Connection`).
    var cancelWaiting: (@Loop (JSON) -> Void)?
    private let send: (@Loop (_ notification: [UInt8], _ type: String) -> Void)?

    /// - Parameters:
    ///   - address: The client's address without its port; nil: the address in `peer`.
    ///   - certificate: Returns the names in the client's certificate, which a connection knows only after its handshake.
    ///   - send: Sends a notification; nil where none can be sent.
    package init(
        peer: String, ownsReceipts: Bool, address: String? = nil, certificate: @escaping @Loop () -> CertificateNames? = { nil },
        send: (@Loop (_ notification: [UInt8], _ type: String) -> Void)?
    ) {
        self.peer = peer
        self.address = address ?? String((peer.lastIndex(of: ":").map { peer[..<$0] } ?? peer[...]).filter { $0 != "[" && $0 != "]" })
        self.ownsReceipts = ownsReceipts
        self.certificate = certificate
        self.send = send
    }

    /// The client of one HTTP request, without a proof (`AccessControl.identify`). Its receipts outlive the request.
    /// - Parameter peer: The name of the port in log lines.
    package convenience init(_ exchange: HTTPExchange, peer: String) {
        self.init(peer: peer, ownsReceipts: false, address: exchange.peer.address, send: nil)
    }

    /// Whether notifications reach the client.
    package var canNotify: Bool { send != nil }

    /// Records that the client is told of the end of a receipt.
    func tells(endOf receipt: String) {
        if canNotify { recentlyDelivered.add(receipt, at: Seconds.monotonic) }
    }

    /// Sends a notification as whole JSON, if the client is connected and can receive it.
    package func notify(_ notification: [UInt8], type: String) {
        guard isOpen else { return }
        send?(notification, type)
    }

    package func inTurn<T>(
        _ bytes: Int, isKnown: Bool, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard let turns else { return try await body() }
        return try await turns.run(bytes, isKnown: isKnown, body)
    }

    // MARK: Requests in flight

    var callsInFlight: Int { calls.count }

    package func began(_ call: Call) { calls[ObjectIdentifier(call)] = call }
    package func ended(_ call: Call) { calls[ObjectIdentifier(call)] = nil }

    /// Cancels the requests in flight with this id (`$/cancelRequest`). An unknown id is ignored.
    package func cancel(_ id: JSON) {
        let meant = calls.values.filter { $0.id == id }
        for call in meant { call.cancel() }
        if meant.isEmpty { cancelWaiting?(id) }
    }

    // MARK: Receipts

    func holds(_ waiter: ReceiptWaiter, of receipt: PendingReceipt) {
        if isHeld(waiter) { return holds[Int(waiter.place)] = (waiter, receipt) }
        waiter.place = Int32(holds.count)
        holds.append((waiter, receipt))
        if waiter.cancelsOnDisconnect { boundToConnection += 1 }
    }

    func releases(_ waiter: ReceiptWaiter) {
        guard isHeld(waiter) else { return }
        if waiter.cancelsOnDisconnect { boundToConnection -= 1 }
        let last = holds.removeLast()
        guard last.waiter !== waiter else { return }
        last.waiter.place = waiter.place
        holds[Int(waiter.place)] = last
    }

    private func isHeld(_ waiter: ReceiptWaiter) -> Bool {
        holds.indices.contains(Int(waiter.place)) && holds[Int(waiter.place)].waiter === waiter
    }

    // MARK: Subscriptions

    /// Subscriptions that wait for Redis to confirm them.
    var openingSubscriptions = 0
    /// The subscriptions, including those that are being opened, so that simultaneous requests count each other.
    var subscriptionCount: Int { subscriptions.count + openingSubscriptions }

    package func add(subscription id: String, end: @escaping @Loop () -> Void) { subscriptions[id] = end }

    /// Ends a subscription; returns whether there was one.
    package func remove(subscription id: String) -> Bool {
        guard let end = subscriptions.removeValue(forKey: id) else { return false }
        end()
        return true
    }

    // MARK: Activities

    private var activities: Set<String> = []
    private var lastActivity = 0

    /// Records work of the client's own.
    /// - Parameter end: Called once, when the work ends or the client disconnects.
    /// - Returns: The name of the work; nil if there are too many.
    package func beginActivity(most: Int, end: @escaping @Loop () -> Void) -> String? {
        guard activities.count < most else { return nil }
        lastActivity += 1
        let id = "a\(lastActivity)"
        activities.insert(id)
        atEnd("activity \(id)", end)
        return id
    }

    /// - Returns: Whether there was work of that name.
    package func end(activity id: String) -> Bool {
        guard activities.remove(id) != nil, let end = endings.removeValue(forKey: "activity \(id)") else { return false }
        end()
        return true
    }

    // MARK: Actions at the end

    /// Runs `body` when the client disconnects, unless the key is forgotten before.
    package func atEnd(_ key: String, _ body: @escaping @Loop () -> Void) { endings[key] = body }

    package func forget(_ key: String) { endings[key] = nil }

    /// Handles a client that has closed its sending side. Work that only it wanted is canceled and answered so; other requests may still be answered.
    func beginClosing(_ receipts: ReceiptTable) {
        isClosing = true
        guard boundToConnection > 0 else { return }
        for hold in holds where hold.waiter.cancelsOnDisconnect {
            releases(hold.waiter)
            receipts.disconnected(hold.waiter, from: hold.receipt)
            hold.waiter.leave(hold.receipt) {
                hold.waiter.complete?(Outcome(failing: Outcome.cancellation(reason: "disconnected", phase: nil)))
            }
        }
    }

    /// Ends the session of a disconnected client. Its requests in flight get no answer, and receipts that only it wanted are released.
    package func end(_ receipts: ReceiptTable) {
        guard isOpen else { return }
        isOpen = false
        let (calls, holds, subscriptions, endings) = (calls.values, holds, subscriptions.values, endings.values)
        (self.calls, self.holds, self.subscriptions, self.endings) = ([:], [], [:], [:])
        turns?.end()
        for call in calls { call.abandon() }
        receipts.disconnected(holds)
        for end in subscriptions { end() }
        for end in endings { end() }
    }
}
