import Coordinator
import TintypeContracts
import TintypeCore
import ImgproxyURLs
import TintypeSettings
import TintypeTransport

/// The port of the picture door: pictures by GET, under URLs in the form of imgproxy, and nothing else.
///
/// The signature of a URL is its right, so no token is asked for. Any `Host` is answered, because CDNs and pages use names of their own. Only a door
/// that answers unsigned URLs looks at the name, as the HTTP port without tokens does.
@Loop
final class DoorServer: FeaturePort {
    /// The keys, the presets and the policy. A change applies to later requests.
    var door: PictureDoor { didSet { plans.forget() } }
    private let plans = DoorPlans()
    private var hosts: RepeatedHost
    private let counters: DoorCounters
    private let tracer: (any Tracer)?
    private let tools: PictureRequestHandler.Tools
    private let unsent: AnswerBudget
    private var server: HTTPServer?

    let name = "images"
    let asked: SocketAddress?
    let proxies: TrustedProxies
    var inFlight: Int { tools.work.calls.count }
    var onIdle: (@Loop () -> Void)? {
        get { tools.work.calls.onIdle }
        set { tools.work.calls.onIdle = newValue }
    }

    init(_ door: PictureDoor, _ core: Core, _ settings: PictureDoorSettings, proxies: TrustedProxies) {
        let (process, http) = (core.process, core.http)
        (self.door, asked, self.proxies) = (door, settings.address, proxies)
        (hosts, unsent) = (RepeatedHost(core.access.hosts), http.unsent)
        (counters, tracer) = (DoorCounters(process.metrics), process.tracer)
        let headers = DoorHeaders(cors: settings.cors, namesSource: settings.namesSource)
        tools = PictureRequestHandler.Tools(
            work: DoorWork(core), kept: MemoryHits(core.storage.memory, http.sender, headers, process.metrics), sender: http.sender, headers: headers,
            scope: process.scope, logger: process.logger)
    }

    /// Listens and returns the address.
    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - limits: The number of connections that may be open.
    ///   - proxies: The proxies that may name their clients.
    /// - Throws: `HTTPServer.BindError` when it cannot listen on the address.
    func start(_ address: SocketAddress, over transport: any Transport, limits: ConnectionLimits, proxies: TrustedProxies) throws -> SocketAddress {
        let connectionLimiter = ConnectionLimiter(limits) { [counters] in counters.count(refused: $0) }
        let limiter = DoorLimiter(counters)
        let server = try HTTPServer(
            address, over: transport, maxBody: 0, bodyLimiter: limiter, connectionLimiter: connectionLimiter, proxies: proxies, unsent: unsent
        ) { [weak self] in
            self?.take($0)
        }
        self.server = server
        return server.address
    }

    /// Answers the requests that wait for work with `shuttingDown`, and sends the current answers to the last byte, but for at most `limit`.
    /// Work that no client waits for goes on without this coordinator.
    func close(within limit: Duration) async {
        tools.work.close()
        await server?.close(within: limit)
        server = nil
    }

    private func take(_ exchange: HTTPExchange) {
        let start = Seconds.monotonic
        let trace = RequestTrace(exchange, route: DoorCounters.route, tracer)
        do throws(Refusal) {
            try count(exchange.peer)
            try check(exchange)
            let picture = try plan(exchange)
            if let (outcome, answer) = tools.kept.end(picture, rules: tools.work.admission.generation, exchange) {
                return end(exchange, trace, start, outcome, answer)
            }
            let handler = PictureRequestHandler(exchange, picture, trace?.context, tools) { [self] in end(exchange, trace, start, $0, $1) }
            TraceContext.within(trace?.context) { handler.begin() }
        } catch {
            end(exchange, trace, start, .refused, error.answer(asPicture: DoorFailure.showsPictures(exchange.list("Accept")), tools.headers))
        }
    }

    /// Ends a request.
    /// - Parameters:
    ///   - start: Monotonic seconds.
    ///   - answer: nil if the client has gone.
    private func end(_ exchange: HTTPExchange, _ trace: RequestTrace?, _ start: Double, _ outcome: DoorOutcome, _ answer: WebAnswer?) {
        trace?.span?["tintype.outcome"] = .string(outcome.rawValue)
        trace?.end(status: answer?.status)
        let (seconds, hasBody) = (Seconds.monotonic - start, exchange.method != "HEAD")
        counters.count(outcome, answer, hasBody: hasBody, seconds: seconds, trace?.context)
        guard let answer else { return }
        exchange.respond(answer.status, lines: answer.allLines, body: answer.body, file: answer.file, holding: answer.held)
    }

    /// The reason for which no plan is made.
    private enum Refusal: Error {
        case method
        case failure(DoorFailure)

        func answer(asPicture showsPictures: Bool, _ headers: DoorHeaders) -> WebAnswer {
            switch self {
            case .method:
                var answer = WebAnswer.methodNotAllowed("GET, HEAD")
                answer.headers.append(("Cache-Control", "no-store"))
                return answer
            case .failure(let failure): return failure.answer(asPicture: showsPictures, headers)
            }
        }
    }

    /// - Throws: The refusal of a method, and of a host that a door without signatures does not answer to.
    private func check(_ exchange: HTTPExchange) throws(Refusal) {
        guard exchange.method == "GET" || exchange.method == "HEAD" else { throw .method }
        guard door.signature.unsigned != .named || hosts.answers(to: exchange.header("Host")) else { throw .failure(.foreignHost) }
    }

    /// - Throws: The refusal of an address that asks too often.
    private func count(_ peer: ConnectionPeer) throws(Refusal) {
        do throws(TintypeError) {
            try tools.work.count(peer)
        } catch {
            throw .failure(DoorFailure(error, now: 0))
        }
    }

    private func plan(_ exchange: HTTPExchange) throws(Refusal) -> PlannedPicture {
        let (accept, now) = (exchange.list("Accept"), WallClock.now)
        let hints =
            door.policy.heedsHints
            ? ClientHints(width: exchange.header("Sec-CH-Width"), dpr: exchange.header("Sec-CH-DPR"), savesData: exchange.header("Save-Data")) : .none
        let key = DoorPlans.Key(target: exchange.target, accept: AcceptClass(accept, detecting: door.policy.detected), hints: hints)
        if let known = plans.plan(key, now: now) { return known }
        do throws(DoorRefusal) {
            let picture = PlannedPicture(try door.plan(Array(key.target), accept: accept, hints: hints, now: Int(now)))
            plans.keep(picture, for: key)
            return picture
        } catch {
            throw .failure(DoorFailure(error))
        }
    }
}
