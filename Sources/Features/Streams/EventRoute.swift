import Coordinator
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `GET /events`: the events of a receipt or a queue as server-sent events.
///
/// A stream only watches: it takes no receipt over, and keeps no work going.
@Loop
final class EventRoute {
    private let feeds: EventFeeds
    private let registry: QueueRegistry
    private let lookup: ReceiptLookup
    private let answers: LongAnswerBudget
    private let access: AccessControl
    private let process: CoreProcess
    /// Has the statistics.
    private let events: CoreEvents
    private var streams: [ObjectIdentifier: (stream: EventStream, kind: Kind)] = [:]
    private var isClosed = false
    /// The limits of streams that begin from now on.
    var limits = EventStream.Limits()

    init(_ core: Core) {
        (registry, lookup, answers) = (core.queues.registry, core.receipts.lookup, core.receipts.answers)
        (access, process, events) = (core.access.control, core.process, core.events)
        feeds = EventFeeds(channels: core.queues.channels, scope: process.scope, coordinator: registry.coordinator)
    }

    /// The subject of a stream, as metrics name it.
    private enum Kind: String, CaseIterable { case receipt, queue, statistics }

    /// The number of streams that are being sent.
    var count: Int { streams.count }

    /// Sets the numbers of open streams.
    func sample() {
        let counts = Dictionary(grouping: streams.values, by: \.kind).mapValues(\.count)
        for kind in Kind.allCases { process.metrics.set(.eventStreams, Double(counts[kind] ?? 0), labels: kind.rawValue) }
    }

    /// - Parameter answer: Called once.
    func serve(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let session = Session(exchange, peer: "http")
        access.identify(session, by: exchange)
        session.grant = access.grant(session)
        do throws(TintypeError) {
            guard let grant = session.grant else { return answer(.unauthenticated) }
            guard !isClosed else { throw .stopping }
            let question = try EventQuestion(exchange.query, header: exchange.header(EventQuestion.header))
            switch question.subject {
            case .feed(let feed):
                // A queue has receipts of everybody.
                if case .queue = feed { try grant.check(MethodCatalog.eventsSubscribe.role, for: "\(exchange.method) /events of a queue") }
                process.scope.run("events") { [self] in await begin(feed, after: question.lastEventID, session, exchange, answer) }
            case .statistics:
                guard let statistics = events.statistics else { return answer(.notFound("this coordinator keeps no statistics")) }
                try grant.check(statistics.role, for: "\(exchange.method) /events of statistics")
                answer(stream(statistics, after: question.lastEventID, session))
            }
        } catch {
            answer(Self.failure(error))
        }
    }

    /// Ends all streams behind what waits for their clients, and refuses new ones.
    func close() {
        isClosed = true
        for (stream, _) in streams.values { stream.finish() }
    }

    /// Ends the streams of tokens that permit something else by now. Their clients come back, and are judged anew.
    func expel() { for (stream, _) in streams.values { stream.check() } }

    private func stream(for session: Session) -> EventStream {
        let stream = EventStream(session, limits) { [access] in access.grant(session) == session.grant }
        let network = session.network ?? ""
        session.turns = AnswerScheduler(in: answers, of: network, for: stream)
        return stream
    }

    private static func failure(_ error: TintypeError) -> WebAnswer {
        if error.name == .invalidParams { return .failure(400, error) }
        if error.name == .forbidden { return .failure(403, error) }
        return .failure(error.name == .unknownReceipt || error.name == .unknownQueue ? 404 : 503, error)
    }

    private func begin(
        _ asked: EventQuestion.Feed, after id: String?, _ session: Session, _ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void
    ) async {
        do throws(TintypeError) {
            let (subject, read) = try await subject(of: asked, for: session)
            guard exchange.method == "GET" else {
                return answer(
                    Self.streaming { exchange in
                        exchange.begin(200, headers: EventStream.headers)
                        exchange.end()
                    })
            }
            let feed = feeds.enter(subject, read: read)
            let stream = stream(for: session)
            let beginning: EventFeed.Beginning?
            do throws(TintypeError) {
                beginning = try await feed.join(after: id) { [weak stream] in stream?.take($0) }
            } catch {
                feeds.leave(feed)
                throw error
            }
            guard case .events(let first, let listener) = beginning else {
                feeds.leave(feed)
                if beginning == nil { throw Self.unknown(asked) }
                // A browser connects again after each end, until it is told that there is nothing more.
                return answer(WebAnswer(status: 204, headers: [("Cache-Control", "no-store")]))
            }
            // The tokens may have changed while Redis was asked, and `expel` knows only the streams that are stored.
            guard access.grant(session) == session.grant else {
                feed.leave(listener)
                feeds.leave(feed)
                return answer(.unauthenticated)
            }
            let kind: Kind = if case .queue = asked { .queue } else { .receipt }
            streams[ObjectIdentifier(stream)] = (stream, kind)
            answer(
                Self.streaming { [self] exchange in
                    stream.begin(exchange, first) { [weak self] in self?.ended(stream, $0, feed, listener) }
                    if isClosed { stream.finish() }
                })
        } catch {
            answer(Self.failure(error))
        }
    }

    /// The points that the client lacks, and from then on each point.
    private func stream(_ statistics: any StatisticsFeed, after id: String?, _ session: Session) -> WebAnswer {
        Self.streaming { [self] exchange in
            guard exchange.method == "GET" else {
                exchange.begin(200, headers: EventStream.headers)
                return exchange.end()
            }
            let stream = stream(for: session)
            let listener = statistics.join { [weak stream] in stream?.take(.event($0)) }
            streams[ObjectIdentifier(stream)] = (stream, .statistics)
            stream.begin(exchange, statistics.events(after: id.flatMap { WireNumber.integer($0).map { Int($0) } })) { [weak self] wasTooSlow in
                statistics.leave(listener)
                self?.ended(stream, wasTooSlow)
            }
            if isClosed { stream.finish() }
        }
    }

    private static func streaming(_ body: @escaping @Loop (HTTPExchange) -> Void) -> WebAnswer {
        var answer = WebAnswer(status: 200, headers: [])
        answer.stream = body
        return answer
    }

    private func ended(_ stream: EventStream, _ wasTooSlow: Bool, _ feed: EventFeed, _ listener: Int) {
        feed.leave(listener)
        feeds.leave(feed)
        ended(stream, wasTooSlow)
    }

    private func ended(_ stream: EventStream, _ wasTooSlow: Bool) {
        streams[ObjectIdentifier(stream)] = nil
        if wasTooSlow {
            process.logger.info("closing a stream of events: its client does not read", ["client": stream.session.client.shown])
        }
    }

    private static func unknown(_ feed: EventQuestion.Feed) -> TintypeError {
        switch feed {
        case .receipt(let id): ReceiptLookup.unknown(id)
        case .queue(let name): QueueRegistry.unknown(name)
        }
    }

    /// Returns the subject of a feed, and a function that reads its state.
    /// - Throws: `unknownReceipt`, also for a receipt of another client; `unknownQueue`; `unavailable`.
    private func subject(of feed: EventQuestion.Feed, for session: Session) async throws(TintypeError) -> (EventSubject, EventFeed.Reader) {
        switch feed {
        case .receipt(let id):
            guard let found = try await lookup.find(id, for: session) else { throw ReceiptLookup.unknown(id) }
            let handle = found.handle
            return (
                .receipt(id, queue: handle.name),
                { () async throws(TintypeError) in
                    let snapshot = try await RedisError.translating { () async throws(RedisError) in try await handle.queue.receipt(id) }
                    return snapshot.map { Self.state($0, handle.queueName) }
                }
            )
        case .queue(let name):
            guard try await registry.names().contains(name) else { throw QueueRegistry.unknown(name) }
            let queue = registry.whole(name)
            return (
                .queue(name, shards: queue.parts.map(\.name)),
                { () async throws(TintypeError) in
                    try await RedisError.translating { () async throws(RedisError) in try await queue.info() }.map { .state($0.json) }
                }
            )
        }
    }

    /// Returns the state of a receipt as an event: the terminal event if it has ended, as Redis has published it.
    private static func state(_ snapshot: ReceiptSnapshot, _ queue: String) -> StreamEvent {
        guard let ending = snapshot.ending else { return .state(ReceiptGet.json(snapshot), number: snapshot.seq) }
        let text = ReceiptEvent(ending).publicText(receipt: snapshot.receipt, queue: queue, meta: snapshot.meta)
        return StreamEvent(id: "\(ending.seq)", type: ending.state.rawValue, data: text, number: ending.seq, isLast: true)
    }
}
