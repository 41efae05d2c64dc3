import TintypeCore

/// A Redis whose primary its sentinels know, and may change.
///
/// - Each connection begins with a question to all sentinels that can be reached. The latest switch counts, and then the server's own `ROLE`: a server that
///   is not the primary is not used.
/// - All connections lead to one server. A sentinel may announce another one, or its answer may lead there. Then all connections to the old one are closed
///   at once, those that wait or listen too. Their owners open new ones. Without that an old primary would take writes for seconds, and lose them.
/// - Announcements may be lost, so the sentinels are asked each second too.
///
/// Lives on the loop. It has two connections to each sentinel for all clients of a process (`RedisTopologies`).
@Loop
package final class SentinelTopology: RedisTopology {
    package nonisolated let redacted: String
    package nonisolated let timeout: Duration
    private let url: SentinelURL
    private let name: String
    private let logger: Logger
    private let scope = TaskScope()
    private var watches: [SentinelWatch] = []
    /// Signaled when a sentinel can be asked.
    private let connected = Condition()
    private var users = 0
    private var timer: LoopTimer?
    private var ticks = 0
    private var isChecking = false
    private var primary: SocketAddress?
    private var switches = 0
    private var latest = LatestSwitch()
    /// The connections that were opened to the primary, some of which may be closed since.
    private var connections: [RedisConnection] = []
    private var logThrottle = LogThrottle()

    /// The interval of questions that make up for lost announcements.
    private static let interval = Duration.seconds(1)
    /// The longest wait for the answers of all sentinels.
    private static let patience = Duration.seconds(1)
    /// The number of intervals between two questions for further sentinels.
    private static let learning = 10

    /// - Parameter name: the name of the connections to sentinels in `CLIENT LIST`, without spaces.
    init(_ url: SentinelURL, name: String, logger: Logger) {
        (self.url, self.name, redacted, timeout) = (url, name, url.redacted, url.server.timeout)
        self.logger = logger
    }

    package var primaryStatus: PrimaryStatus {
        PrimaryStatus(primary: primary, switches: switches, changes: switches, sentinels: watches.count { $0.isConnected && $0.isListening })
    }

    package func begin() {
        users += 1
        guard users == 1 else { return }
        for address in url.sentinels { watch(address) }
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.tick() }
    }

    package func end() {
        users -= 1
        guard users == 0 else { return }
        timer = nil
        scope.cancelAll()
        for watch in watches { watch.stop() }
        watches = []
    }

    // MARK: Connections

    package func open(name: String) async throws(RedisError) -> RedisConnection {
        let asked = switches
        let address = try await find()
        let opened = try await RedisConnection.open(url.server.at(address), name: name) { [weak self] in self?.keep($0) }
        do throws(RedisError) {
            let role = RedisRole(try await opened.commands([["ROLE"]], timeout: timeout)[0].get())
            guard role == .primary else { throw RedisError.unavailable("the sentinels name \(address) as the primary, which says that it is \(role)") }
            // Another server may be the primary since the question.
            guard switches == asked || primary == address else { throw RedisError.unavailable("\(address) is no longer the primary") }
        } catch {
            opened.close("\(error)")
            throw error
        }
        use(address)
        guard !opened.closed.isComplete else { throw .unavailable("the connection to \(address) broke") }
        return opened
    }

    private func keep(_ connection: RedisConnection) {
        connections.removeAll { $0.closed.isComplete }
        connections.append(connection)
    }

    /// Makes a server the primary, and closes all connections to others.
    private func use(_ address: SocketAddress) {
        guard primary != address else { return }
        if let old = primary {
            switches += 1
            logger.notice("another Redis is the primary", ["redis": redacted, "old": old, "new": address])
        }
        primary = address
        close { $0 != address }
    }

    private func close(_ isOld: (SocketAddress) -> Bool) {
        let old = connections.filter { isOld($0.address) }
        connections.removeAll { isOld($0.address) || $0.closed.isComplete }
        for connection in old { connection.close("another Redis is the primary") }
    }

    // MARK: Sentinels

    /// Asks the sentinels for the primary.
    /// - Throws: `.unavailable` if none of them knows it.
    private func find() async throws(RedisError) -> SocketAddress {
        if !watches.contains(where: \.isConnected) { await connected.wait(within: timeout) }
        let answers = await answers()
        let heard = answers.compactMap { try? $0.get() }
        if let address = named(by: heard) { return address }
        guard heard.isEmpty else { throw .unavailable("the sentinels of \(url.name) that answer have not heard of the latest switch; repeating") }
        let failures = answers.compactMap { if case .failure(let error) = $0 { "\(error)" } else { nil } }
        if let failure = failures.first {
            throw .unavailable("no sentinel names a primary for \(url.name): \(failure). Compare the name with `sentinel monitor`")
        }
        throw .unavailable("no sentinel of \(url.name) can be reached; repeating")
    }

    /// Returns the primary that answers of sentinels name; nil if none of them counts.
    private func named(by answers: [SentinelAnswer]) -> SocketAddress? {
        SentinelAnswer.primary(among: latest.counting(answers, at: .now), present: primary)
    }

    /// Asks all sentinels that are connected.
    private func answers() async -> [Result<SentinelAnswer, RedisError>] {
        let patience = min(Self.patience, timeout)
        return await ask(watches.filter(\.isConnected), patience: patience, within: patience) { [timeout] watch throws(RedisError) in
            try await watch.ask(within: timeout)
        }.map(\.answer)
    }

    private func watch(_ address: SocketAddress) {
        let watch = SentinelWatch(url.sentinel.at(address), of: url.name, connection: "\(name)-sentinel", scope: scope, logger: logger) {
            [weak self] message in
            self?.heard(message)
        }
        watch.onConnected = { [weak self] in self?.connected.signal() }
        watch.onPeers = { [weak self] in self?.follow() }
        watches.append(watch)
        watch.start()
    }

    /// Begins to watch sentinels that others have listed, and stops to watch those that are no longer listed.
    private func follow() {
        guard users > 0 else { return }
        let named = url.sentinels.map { address in (address, watches.first { $0.address == address }?.identifier) }
        let known = SentinelPeer.known(named: named, lists: watches.filter(\.isConnected).map(\.peers))
        for gone in watches where !known.contains(gone.address) { gone.stop() }
        watches.removeAll { !known.contains($0.address) }
        for address in known where !watches.contains(where: { $0.address == address }) {
            logger.info("a further sentinel is watched", ["sentinel": url.name, "address": address])
            watch(address)
        }
    }

    private func heard(_ message: SwitchMessage) {
        switch message.step(for: url.name, primary: primary) {
        case .nothing: return
        case .leave:
            logger.info("a sentinel has announced a switch", ["redis": redacted, "old": message.old, "new": message.new])
            close { $0 == message.old }
        case .ask: break
        }
        check()
    }

    private func tick() {
        ticks += 1
        if ticks % Self.learning == 0 { for watch in watches where watch.isConnected { watch.learnSoon() } }
        check()
    }

    /// Asks the sentinels, and follows them if they name another server that says itself that it is the primary.
    private func check() {
        guard !isChecking, primary != nil else { return }
        isChecking = true
        scope.run("check the primary") { [weak self] in
            await self?.followSentinels()
            self?.isChecking = false
        }
    }

    private func followSentinels() async {
        let answers = await answers().compactMap { try? $0.get() }
        guard let named = named(by: answers), named != primary else { return logThrottle.end() }
        do throws(RedisError) {
            try await open(name: "\(name)-check").close("checked")
        } catch {
            if logThrottle.shouldLog("\(error)") { logger.info("the sentinels name another Redis that cannot be used yet", ["error": error]) }
        }
    }
}
