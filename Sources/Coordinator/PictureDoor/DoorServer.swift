import TintypeCore
import TintypeDoor
import TintypeTransport

/// The port of the picture door: pictures by GET, under URLs in the form of imgproxy, and nothing else.
///
/// The signature of a URL is its right, so no token is asked for. Any `Host` is answered, because CDNs and pages use names of their own. Only a door
/// that answers unsigned URLs looks at the name, as the HTTP port without tokens does.
@Loop
final class DoorServer {
    /// The label of the port in metrics of HTTP.
    nonisolated static let route = "door"

    /// The keys, the presets and the policy. A change applies to later requests.
    var door: PictureDoor { didSet { plans.forget() } }
    private let plans = DoorPlans()
    /// The requests that wait for work.
    let calls = DoorCalls()
    private let hosts: AllowedHosts
    private let headers: DoorHeaders
    private let metrics: Metrics
    private let counters: WebCounters
    private let tracer: Tracer?
    private let tools: DoorVisit.Tools
    private var server: HTTPServer?

    /// - Parameters:
    ///   - headers: The header fields of its answers.
    ///   - hosts: The names that a door without signatures answers to.
    init(_ door: PictureDoor, services: Services, sender: ImageSender, headers: DoorHeaders, hosts: AllowedHosts) {
        (self.door, self.hosts, self.headers, metrics) = (door, hosts, headers, services.metrics)
        (counters, tracer) = (WebCounters(services.metrics), services.tracer)
        tools = DoorVisit.Tools(
            admission: services.admission, memory: services.memory, receipts: services.receipts, sender: sender, scope: services.scope, headers: headers,
            calls: calls, better: DoorBackground(.better, services), async: DoorBackground(.async, services), metrics: services.metrics, logger: services.logger
        )
    }

    /// Listens and returns the address.
    /// - Parameters:
    ///   - transport: The carrier of the bytes.
    ///   - limits: The number of connections that may be open.
    /// - Throws: `HTTPServer.BindError` when it cannot listen on the address.
    func start(_ address: SocketAddress, over transport: any Transport, limits: ConnectionLimits) throws(HTTPServer.BindError) -> SocketAddress {
        let places = ConnectionRoom(limits) { [metrics] in metrics.add(.connectionsRefused, labels: "images", $0.rawValue) }
        let server = try HTTPServer(address, over: transport, maxBody: 0, door: DoorLimiter(headers, metrics), places: places) { [weak self] in self?.take($0) }
        self.server = server
        return server.address
    }

    /// Answers the requests that wait for work with `shuttingDown`, and sends the current answers to the last byte, but for at most `limit`.
    /// Work that no client waits for goes on without this coordinator.
    func close(within limit: Duration) async {
        calls.giveUp()
        tools.better.close()
        tools.async.close()
        await server?.close(within: limit)
        server = nil
    }

    private func take(_ exchange: HTTPExchange) {
        let start = Seconds.monotonic
        let trace = HTTPTrace(exchange, route: Self.route, tracer)
        serve(exchange, trace?.context) { [metrics, counters] outcome, answer in
            if let trace {
                trace.note("tintype.outcome", .string(outcome.rawValue))
                trace.end(status: answer?.status)
            }
            metrics.add(.doorRequests, labels: outcome.rawValue)
            guard let answer else { return }
            let bytes = exchange.method == "HEAD" ? 0 : answer.count
            counters.count(Self.route, status: answer.status, bytes: bytes, seconds: Seconds.monotonic - start)
            exchange.respond(answer.status, lines: answer.allLines, body: answer.body, file: answer.file, holding: answer.held)
        }
    }

    private func serve(_ exchange: HTTPExchange, _ trace: TraceContext?, _ end: @escaping @Loop (DoorOutcome, WebAnswer?) -> Void) {
        let showsPictures = DoorFailure.showsPictures(exchange.list("Accept"))
        guard exchange.method == "GET" || exchange.method == "HEAD" else {
            var answer = WebAnswer.methodNotAllowed("GET, HEAD")
            answer.headers.append(("Cache-Control", "no-store"))
            return end(.refused, answer)
        }
        if door.signature.unsigned == .named, !hosts.answers(to: exchange.header("Host")) {
            return end(.refused, DoorFailure.foreignHost.answer(asPicture: showsPictures, headers))
        }
        do throws(DoorRefusal) {
            let hints = ClientHints(
                width: exchange.header("Sec-CH-Width"), dpr: exchange.header("Sec-CH-DPR"), savesData: exchange.header("Save-Data"))
            let visit = DoorVisit(exchange, try plan(exchange, hints), trace, tools, end)
            TraceContext.within(trace) { visit.begin() }
        } catch {
            end(.refused, DoorFailure(error).answer(asPicture: showsPictures, headers))
        }
    }

    private func plan(_ exchange: HTTPExchange, _ hints: ClientHints) throws(DoorRefusal) -> PlannedPicture {
        let (accept, now) = (exchange.list("Accept"), WallClock.now)
        let key = DoorPlans.Key(
            target: Array(exchange.target), accept: AcceptClass(accept, detecting: door.policy.detected), hints: door.policy.heedsHints ? hints : .none)
        if let known = plans.plan(key, now: now) { return known }
        let picture = PlannedPicture(try door.plan(key.target, accept: accept, hints: hints, now: Int(now)))
        plans.keep(picture, for: key)
        return picture
    }
}
