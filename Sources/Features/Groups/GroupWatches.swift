import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue

/// Sends events of groups to their listeners here, whichever coordinator drives the group. The events come by the group's public channel. Where one
/// may have been lost, the state is read from Redis.
///
/// A message on the channel never ends a watch, because anybody may publish there. It only causes a read.
@Loop
final class GroupWatches {
    /// Called for each event; the terminal event is the last one.
    typealias Listener = @Loop (_ event: JSONObject, _ isTerminal: Bool) -> Void

    /// The silence after which the state is read. The time doubles with each read while no message arrives.
    private static let silence = Duration.seconds(4)
    /// The longest silence before a read.
    private static let longest = Duration.seconds(32)
    /// The most reads in one second, so that thousands of waiting groups cost Redis no more than this.
    private static let page = 50

    @Loop private final class Watch {
        let group: String
        var subscription: PublicSubscription?
        let confirmed = OneShot<Void>()
        var listeners: [Int: Listener] = [:]
        var seq = 0
        var finished = 0
        var heardAt = ContinuousClock.now
        /// The silence that is allowed from `heardAt` on.
        var patience = GroupWatches.silence
        /// Whether a message arrived while the state is being read.
        var hasHeard = false
        var isReading = false
        var mustReadAgain = false
        /// The number of reads for which Redis did not know the group.
        var misses = 0

        init(_ group: String) { self.group = group }
    }

    private let queue: Queue
    private let channels: RedisChannels
    private let scope: TaskScope
    private let logger: Logger
    private var watches: [String: Watch] = [:]
    private var last = 0
    private var sweeper: LoopTimer?

    init(queue: Queue, channels: RedisChannels, scope: TaskScope, logger: Logger) {
        self.queue = queue
        self.channels = channels
        self.scope = scope
        self.logger = logger
    }

    func start() {
        sweeper = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.sweep() }
    }

    func stop() { sweeper = nil }

    /// The number of watched groups.
    var count: Int { watches.count }

    /// Begins to listen. `listener` receives events from this call on: the state is read once the channel is confirmed.
    /// - Returns: The id for `remove`.
    func add(_ group: String, _ listener: @escaping Listener) -> Int {
        last += 1
        let watch = watches[group] ?? open(group)
        watch.listeners[last] = listener
        // A new listener of an existing watch learns the current state at once.
        if watch.confirmed.isComplete { read(watch) }
        return last
    }

    func remove(_ id: Int, of group: String) {
        guard let watch = watches[group], watch.listeners.removeValue(forKey: id) != nil, watch.listeners.isEmpty else { return }
        close(watch)
    }

    /// Waits at most 1 s until Redis has confirmed the channel. Events that were sent before the confirmation are covered by the read after it.
    func untilConfirmed(_ group: String) async {
        guard let watch = watches[group] else { return }
        let timer = LoopTimer(after: .seconds(1)) { watch.confirmed.complete(.success(())) }
        defer { timer.cancel() }
        try? await watch.confirmed.wait()
    }

    /// Begins to listen to a group that is about to start.
    func prepare(_ group: String) async {
        if watches[group] == nil { _ = open(group) }
        await untilConfirmed(group)
    }

    /// Ends the watch of a group that did not start, or that has no listener.
    func discard(_ group: String) {
        if let watch = watches[group], watch.listeners.isEmpty { close(watch) }
    }

    /// Sends a group's events, and its hooks if requested, to the client that started it. This ends with the group or when the client disconnects.
    func notify(_ session: Session, of record: GroupRecord, _ hooks: RequestHooks) {
        let (group, kind) = (record.id, record.kind)
        guard session.isOpen else { return discard(group) }
        let key = "group \(group)"
        var hooks = hooks
        func notify(_ hook: RequestHooks.Hook, _ session: Session?) {
            for hook in hooks.due(upTo: hook) { session?.notify(RequestHooks.notification(hook, group: group, kind: kind), type: "hook") }
        }
        notify(.willStart, session)
        let id = add(group) { [weak session] event, isTerminal in
            if isTerminal { notify(.willStop, session) }
            session?.notify(Self.notification(event), type: "group")
            if isTerminal {
                notify(.didStop, session)
                session?.forget(key)
            }
        }
        session.atEnd(key) { [weak self] in self?.remove(id, of: group) }
    }

    nonisolated static func notification(_ event: JSONObject) -> [UInt8] {
        RPCAnswer.notification("group.event", params: JSON.object(event).bytes())
    }

    private func open(_ group: String) -> Watch {
        let watch = Watch(group)
        watches[group] = watch
        watch.subscription = PublicSubscription(
            QueueKeys.publicEvents(group: group), of: QueueKeys.shared, on: channels,
            confirmed: { [weak self, weak watch] in
                guard let self, let watch else { return }
                watch.confirmed.complete(.success(()))
                read(watch)
            },
            { [weak self, weak watch] payload in
                if let watch { self?.received(payload, watch) }
            })
        return watch
    }

    private func close(_ watch: Watch) {
        watch.subscription?.end()
        watch.subscription = nil
        if watches[watch.group] === watch { watches[watch.group] = nil }
    }

    private func sweep() {
        let now = ContinuousClock.now
        var due = watches.values.filter { now - $0.heardAt > $0.patience }
        // The group with the longest silence comes first. In the order of the dictionary, the same groups would be due again before the last ones are read.
        if due.count > Self.page { due.sort { $0.heardAt < $1.heardAt } }
        for watch in due.prefix(Self.page) {
            watch.heardAt = now
            watch.patience = min(watch.patience * 2, Self.longest)
            read(watch)
        }
    }

    private func received(_ payload: [UInt8], _ watch: Watch) {
        watch.heardAt = .now
        watch.patience = Self.silence
        watch.hasHeard = true
        // Anybody may publish here: any event except the next expected one causes a read.
        guard let event = (try? JSON(parsing: payload))?.object, event["group"] == .string(watch.group), event["type"]?.string.map(EventType.init) == .progress,
            event["seq"] == JSON(watch.seq + 1), event["finished"] == JSON(watch.finished + 1)
        else { return read(watch) }
        notify(event, seq: watch.seq + 1, finished: watch.finished + 1, watch)
    }

    private func notify(_ event: JSONObject, seq: Int, finished: Int, _ watch: Watch) {
        guard seq > watch.seq, finished > watch.finished else { return }
        watch.seq = seq
        watch.finished = finished
        for listener in watch.listeners.values { listener(event, false) }
    }

    /// Reads the state of a group, and reads it again if a read was requested meanwhile.
    private func read(_ watch: Watch) {
        guard !watch.isReading else { return watch.mustReadAgain = true }
        watch.isReading = true
        watch.mustReadAgain = false
        scope.run("read group \(watch.group)") { [self] in
            await look(watch)
            watch.isReading = false
            if watch.mustReadAgain, watches[watch.group] === watch { read(watch) }
        }
    }

    private func look(_ watch: Watch) async {
        watch.hasHeard = false
        do throws(RedisError) {
            guard var record = try await queue.group(watch.group, .state) else {
                // A group is unknown before its start too, so a group with listeners is read once more.
                guard !watch.listeners.isEmpty else { return }
                watch.misses += 1
                if watch.misses > 1 { end(watch, GroupView.lost(watch.group)) } else { watch.mustReadAgain = true }
                return
            }
            guard record.state != .running else {
                // The higher numbers came from a forged message. The numbers of Redis count for the steps to come.
                if !watch.hasHeard, record.seq < watch.seq { (watch.seq, watch.finished) = (record.seq, record.finished) }
                return notify(GroupView(record).event, seq: record.seq, finished: record.finished, watch)
            }
            guard !watch.listeners.isEmpty else { return }
            record = try await queue.group(watch.group, GroupView(record).extentOfEvent) ?? record
            end(watch, GroupView(record).event)
        } catch {
            // The next confirmation of the channel, or the next sweep, reads again.
            logger.refused("reading a group", error)
        }
    }

    private func end(_ watch: Watch, _ event: JSONObject) {
        close(watch)
        let listeners = watch.listeners.sorted { $0.key < $1.key }
        watch.listeners = [:]
        for (_, listener) in listeners { listener(event, true) }
    }
}
