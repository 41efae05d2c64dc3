import TintypeCore
import TintypeTransport
import TintypeImages

/// One client: a connection, or one HTTP request. Owns its requests in flight, its receipts and its subscriptions, and gives them up
/// when it ends.
@Loop
final class Session {
    /// Names the client in log lines: its address.
    let peer: String
    /// Whether receipts are withdrawn when it ends. Over HTTP a request and its connection mean nothing to each other.
    let ownsReceipts: Bool
    private(set) var isOpen = true
    /// The digest of the token by which it was let in (`Door`).
    var token: [UInt8]?
    /// What that token let its latest request do; nil for a stranger.
    var grant: AccessGrant? { didSet { knownSharer = nil } }
    /// Whose requests these are: what log lines and receipts go by.
    var client: ClientIdentity { grant?.client ?? .anyone }
    /// By what its requests are told apart from others' where places are shared: by the client whose token it has shown, else by its address without
    /// the port. A word that nobody has asked for makes no other client of it. A digest, so that no list shows the address.
    var sharer: String {
        if let knownSharer { return knownSharer }
        let client = grant?.client ?? .anyone
        let words = client == .anyone ? "address \(ConnectionRoom.network(of: address))" : "client \(client.key)"
        let sharer = Digest.sha256Hex(words.utf8, digits: 12)
        knownSharer = sharer
        return sharer
    }
    private var knownSharer: String?
    private let address: String
    /// The client sends no more, and perhaps has gone: nothing new is begun that only it would wait for.
    private(set) var isDeparting = false
    private var calls: [ObjectIdentifier: Call] = [:]
    /// Each attachment knows its place in it: a dictionary of a million would stop the loop when it grows.
    private var holds: [(attachment: Attachment, receipt: PendingReceipt)] = []
    /// How many of them are withdrawn at once when the client sends no more.
    private var fleeting = 0
    private var subscriptions: [String: @Loop () -> Void] = [:]
    private var endings: [String: @Loop () -> Void] = [:]
    /// Where large answers wait for their turn; nil where nothing has to: over HTTP each request has its own.
    var turns: AnswerTurns?
    /// Withdraws a request that was not taken yet (`Connection`).
    var cancelWaiting: (@Loop (JSON) -> Void)?
    private let send: (@Loop (_ notification: [UInt8], _ type: String) -> Void)?

    /// - Parameters:
    ///   - address: the client's, without its port; nil: as `peer` has it.
    ///   - send: takes a notification; nil where none can be sent.
    init(peer: String, ownsReceipts: Bool, address: String? = nil, send: (@Loop (_ notification: [UInt8], _ type: String) -> Void)?) {
        self.peer = peer
        self.address = address ?? String((peer.lastIndex(of: ":").map { peer[..<$0] } ?? peer[...]).filter { $0 != "[" && $0 != "]" })
        self.ownsReceipts = ownsReceipts
        self.send = send
    }

    /// Whether notifications reach the client.
    var canNotify: Bool { send != nil }

    /// Sends a notification, whole JSON, if the client is there and can take it.
    func notify(_ notification: [UInt8], type: String) {
        guard isOpen else { return }
        send?(notification, type)
    }

    /// Makes an answer of about so many bytes when its turn has come (`AnswerTurns`).
    func inTurn<T>(
        _ bytes: Int, isKnown: Bool = true, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard let turns else { return try await body() }
        return try await turns.run(bytes, isKnown: isKnown, body)
    }

    // MARK: Requests in flight

    var callsInFlight: Int { calls.count }

    func began(_ call: Call) { calls[ObjectIdentifier(call)] = call }
    func ended(_ call: Call) { calls[ObjectIdentifier(call)] = nil }

    /// `$/cancelRequest`: withdraws the requests in flight with this id; an unknown one is nobody's.
    func cancel(_ id: JSON) {
        let meant = calls.values.filter { $0.id == id }
        for call in meant { call.cancel() }
        if meant.isEmpty { cancelWaiting?(id) }
    }

    // MARK: Receipts

    func holds(_ attachment: Attachment, of receipt: PendingReceipt) {
        if isHeld(attachment) { return holds[Int(attachment.place)] = (attachment, receipt) }
        attachment.place = Int32(holds.count)
        holds.append((attachment, receipt))
        if attachment.isFleeting { fleeting += 1 }
    }

    func releases(_ attachment: Attachment) {
        guard isHeld(attachment) else { return }
        if attachment.isFleeting { fleeting -= 1 }
        let last = holds.removeLast()
        guard last.attachment !== attachment else { return }
        last.attachment.place = attachment.place
        holds[Int(attachment.place)] = last
    }

    private func isHeld(_ attachment: Attachment) -> Bool {
        holds.indices.contains(Int(attachment.place)) && holds[Int(attachment.place)].attachment === attachment
    }

    // MARK: Subscriptions

    /// Subscriptions that wait for Redis to confirm them.
    var openingSubscriptions = 0
    /// Those too that are being opened: requests that come together see each other.
    var subscriptionCount: Int { subscriptions.count + openingSubscriptions }

    func add(subscription id: String, end: @escaping @Loop () -> Void) { subscriptions[id] = end }

    /// Ends a subscription; says whether there was one.
    func remove(subscription id: String) -> Bool {
        guard let end = subscriptions.removeValue(forKey: id) else { return false }
        end()
        return true
    }

    // MARK: Activities

    private var activities: Set<String> = []
    private var lastActivity = 0

    /// Notes work of the client's own.
    /// - Parameter end: called once, when it ends or the client leaves.
    /// - Returns: its name; nil if there are too many.
    func beginActivity(most: Int, end: @escaping @Loop () -> Void) -> String? {
        guard activities.count < most else { return nil }
        lastActivity += 1
        let id = "a\(lastActivity)"
        activities.insert(id)
        atEnd("activity \(id)", end)
        return id
    }

    /// - Returns: whether there was one of that name.
    func end(activity id: String) -> Bool {
        guard activities.remove(id) != nil, let end = endings.removeValue(forKey: "activity \(id)") else { return false }
        end()
        return true
    }

    // MARK: What ends with it

    /// Has `body` run when the client leaves, unless it is forgotten before.
    func atEnd(_ key: String, _ body: @escaping @Loop () -> Void) { endings[key] = body }

    func forget(_ key: String) { endings[key] = nil }

    /// The client sends no more: what only it wanted is withdrawn and answered so; other requests may still be answered.
    func depart(_ receipts: ReceiptTable) {
        isDeparting = true
        guard fleeting > 0 else { return }
        for hold in holds where hold.attachment.isFleeting {
            releases(hold.attachment)
            receipts.disconnected(hold.attachment, from: hold.receipt)
            hold.attachment.leave(hold.receipt) {
                hold.attachment.complete?(Outcome(failing: Outcome.cancellation(reason: "disconnected", phase: nil)))
            }
        }
    }

    /// The client has gone. Requests in flight get no answer, receipts only it wanted are given up.
    func end(_ receipts: ReceiptTable) {
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
