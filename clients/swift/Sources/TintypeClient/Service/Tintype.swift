#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import Synchronization

/// A client of Tintype, the image service.
///
/// ```swift
/// let tintype = try Tintype("tcp://images.internal:7411")
/// let image = try await tintype.image(from: url, .resize(320, 320, fit: .cover), as: .webp(quality: 80))
/// ```
///
/// It connects when it is first used, finds another coordinator when one is lost, and repeats what may be repeated.
/// One client is enough for a program: it may have any number of requests under way.
public final class Tintype: MethodCaller {
    /// The settings of a client.
    public struct Options: Sendable {
        /// The token, where the service requires one; or a function that returns the current one.
        public var token: Token?
        /// Members for every request that does not have them itself, such as `queue`, `deadline` or `cache`.
        public var defaults: ImageRequest?
        /// For a client over TCP: an HTTP port, for URLs of pictures, uploads, and results of more than 8 MiB.
        /// Default: what the coordinator says, at its host.
        public var http: String?
        /// How `tls://` and `https://` are checked.
        public var tls = TLSOptions()
        /// The time for a call that has no deadline of its own, all its tries included.
        public var timeout = Duration.seconds(30)
        /// The time for opening a connection.
        public var connectTimeout = Duration.seconds(5)
        /// The time without an answer after which a coordinator is asked whether it is alive, and the time for that answer.
        public var silence = Duration.seconds(5)
        /// Returns the caller's place in a trace (W3C Trace Context), for each request: `traceparent`, and perhaps `tracestate`.
        public var trace: (@Sendable () -> [String: String])?
        /// Is told of connections that are made and lost. No text has a token.
        public var log: (@Sendable (String) -> Void)?

        public init() {}
    }

    /// The time for the way to the service and back, beside the deadline of a request.
    private static let grace = Duration.seconds(5)
    /// The time for which a receipt goes on without its client (docs/protocol.md, Disconnecting). After it a cancel comes too late.
    private static let receiptGrace = Duration.seconds(30)
    /// The deadline of a request that names none (docs/protocol.md, ImageRequest).
    private static let usualDeadline = 30.0

    let transport: any Transport
    let errands = Errands()
    private let loop: Loop
    private let options: Options
    private let tls: TLSContext?
    private let defaults: JSONObject
    /// The way over HTTP by the caller's address.
    private let web: HTTPTransport?
    /// The way over HTTP that the coordinator in use has named.
    private let found = Mutex<(coordinator: Address, way: HTTPTransport)?>(nil)

    /// - Parameters:
    ///   - addresses: `tcp://HOST:7411`, `tls://HOST:7411`, `unix:///PATH`, `http://HOST:7412` or `https://HOST`. One of several is used;
    ///     the others take over when it is gone.
    ///   - token: The token, where the service requires one.
    ///   - options: Everything else.
    /// - Throws: `invalidURL` when an address cannot be read; `tls` when a file of the TLS options cannot be used.
    public init(_ addresses: String..., token: Token? = nil, options: Options = Options()) throws(TintypeError) {
        let all = try Address.all(addresses)
        var options = options
        if let token { options.token = token }
        let web = try options.http.map { text throws(TintypeError) in try Address(text) }
        if let web, web.kind != .http { throw .local(.invalidURL, "the option http needs an address with http:// or https://") }
        let tls = try TLSContext.make(options.tls, for: all + [web].compactMap { $0 })
        let loop = Loop()
        (self.options, self.loop, self.tls, defaults) = (options, loop, tls, options.defaults?.json.objectValue ?? [:])
        func http(_ addresses: [Address]) -> HTTPTransport {
            HTTPTransport(
                addresses, loop: loop, tls: tls, token: options.token, connectTimeout: options.connectTimeout, silence: options.silence)
        }
        if all[0].kind == .http {
            let way = http(all)
            transport = way
            self.web = way
        } else {
            let connector = Connector(
                all, loop: loop, tls: tls, token: options.token, connectTimeout: options.connectTimeout, silence: options.silence, log: options.log)
            transport = TCPTransport(connector, loop: loop)
            self.web = web.map { http([$0]) }
        }
    }

    deinit {
        close()
    }

    /// Ends the connection. Calls that have no answer yet fail; receipts and groups go on in the service, as after a lost connection.
    public func close() {
        errands.close()
        transport.close()
        web?.close()
        found.withLock { $0 }?.way.close()
        loop.stop()
    }

    /// The address of the coordinator in use, such as "tcp://10.0.0.7:7411".
    public var coordinator: String { transport.address.description }

    // MARK: - Images

    /// Loads an image.
    ///
    /// When the connection is lost, the request is repeated: the service shares a download that still runs, and answers from its caches.
    /// When the Swift task is cancelled, the request is withdrawn.
    ///
    /// - Parameters:
    ///   - source: A URL, its text, or several mirrors.
    ///   - transform: Operations, in the order in which they apply.
    ///   - output: The format. Default: that of the source.
    public func image(from source: some ImageSource, _ transform: ImageTransform..., as output: ImageOutput? = nil) async throws(TintypeError) -> LoadedImage {
        try await image(for: ImageRequest(source: source, transform, output))
    }

    /// Loads an image.
    public func image(for request: ImageRequest) async throws(TintypeError) -> LoadedImage {
        var request = request
        if request.receipt == nil, request.hasEffects || defaultsHaveEffects { request.receipt = ReceiptID.make() }
        let params = params(request)
        let json: JSON
        do throws(TintypeError) {
            json = try await transport.call("image.load", params, until: until(params))
        } catch {
            // A receipt goes on for a while without its client: over HTTP, and where its connection was lost before.
            if Task.isCancelled, let receipt = request.receipt { withdraw(receipt) }
            throw error.of(request.receipt)
        }
        return LoadedImage(try Self.read(json, "image.load"), client: self)
    }

    /// Submits an image and returns at once.
    ///
    /// - Parameter progress: Whether events of the progress come, and how often. Default: as the request says.
    public func submit(
        from source: some ImageSource, _ transform: ImageTransform..., as output: ImageOutput? = nil, progress: ImageRequest.ProgressReports? = nil
    ) -> ImageTask {
        submit(ImageRequest(source: source, transform, output), progress: progress)
    }

    /// Submits an image and returns at once.
    ///
    /// The request has a receipt, which is taken up again after a lost connection: nothing is asked twice.
    ///
    /// - Parameter progress: Whether events of the progress come, and how often. Default: as the request says.
    public func submit(_ request: ImageRequest, progress: ImageRequest.ProgressReports? = nil) -> ImageTask {
        var request = request
        request.receipt = request.receipt ?? ReceiptID.make()
        if let progress { request.progress = progress }
        let params = params(request)
        let work = Followed(receipt: request.receipt!, request: params, until: until(params))
        return ImageTask(work, client: self, isDetached: params["detached"] == true)
    }

    /// Takes up a receipt that this or another client has submitted. When its Swift task is cancelled, the receipt goes on.
    ///
    /// - Parameter timeout: After this time the task gives up.
    public func task(_ receipt: String, timeout: Duration = .seconds(600)) -> ImageTask {
        ImageTask(Followed(receipt: receipt, request: nil, until: .now + timeout), client: self, isDetached: true)
    }

    /// Describes a source: its size, format and what `describe` asks for. Reads no more of it than that needs.
    public func probe(_ source: some ImageSource, describe: [ImageRequest.Trait]? = nil) async throws(TintypeError) -> ProbeResult {
        var request = ImageRequest(source: source, [], nil)
        request.describe = describe
        return try await probe(request)
    }

    /// Describes a source.
    public func probe(_ request: ImageRequest) async throws(TintypeError) -> ProbeResult {
        let params = params(request)
        return try Self.read(try await transport.call("image.probe", params, until: until(params)), "image.probe")
    }

    // MARK: - Many images

    /// Loads images into the caches, a few at a time and behind all other work. Failed ones are skipped.
    ///
    /// - Parameter concurrency: How many run at once.
    public func prefetch(
        _ sources: [some ImageSource], _ transform: ImageTransform..., as output: ImageOutput? = nil, concurrency: Int? = nil,
        priority: ImageRequest.Priority? = nil
    ) -> Prefetch {
        prefetch(sources.map { ImageRequest(source: $0, transform, output) }, concurrency: concurrency, priority: priority)
    }

    /// Loads images into the caches, a few at a time and behind all other work. Failed ones are skipped.
    public func prefetch(_ requests: [ImageRequest], concurrency: Int? = nil, priority: ImageRequest.Priority? = nil) -> Prefetch {
        var params = MemberWriter()
        params.add("items", requests.map { item($0) })
        params.add("concurrency", concurrency)
        params.add("priority", priority)
        return Prefetch(Group(self, "prefetch.start", .object(params.object), total: requests.count))
    }

    /// Loads many images as one group, of at most 10,000.
    ///
    /// A group is not begun again once it may have arrived: after a lost answer the error is `connectionLost`.
    ///
    /// - Parameters:
    ///   - mode: With `.failFast` the first failure ends the batch; with `.settleAll` each item has its own end.
    ///   - concurrency: How many run at once.
    public func batch(_ requests: [ImageRequest], mode: BatchMode = .failFast, concurrency: Int = 64, durable: Bool? = nil) -> Batch {
        var params = MemberWriter()
        params.add("items", requests.map { item($0) })
        params.add("mode", mode)
        params.add("concurrency", concurrency)
        params.add("durable", durable)
        return Batch(Group(self, "batch.start", .object(params.object), total: requests.count), concurrency: concurrency)
    }

    /// Loads images one after the other. A text such as `${steps[0].source.finalURL}` in a step stands for that member of an earlier result.
    public func chain(_ steps: [ImageRequest], durable: Bool? = nil) -> Chain {
        var params = MemberWriter()
        params.add("steps", steps.map { item($0) })
        params.add("durable", durable)
        return Chain(Group(self, "chain.start", .object(params.object), total: steps.count))
    }

    // MARK: - The service

    /// The caches of the service. Nothing there asks an origin.
    public var cache: Caches { Caches(client: self) }

    /// Returns the handle of a queue.
    public func queue(_ name: String = "default") -> Queue {
        Queue(name: name, client: self)
    }

    /// Every method of the service with its types, for what has no word here.
    public var methods: ServiceMethods { ServiceMethods(self) }

    /// Returns the time that the coordinator takes to answer.
    public func ping() async throws(TintypeError) -> Duration {
        let begin = ContinuousClock.now
        _ = try await call("system.ping", [:])
        return .now - begin
    }

    /// Keeps bytes as a source for a while, over HTTP.
    ///
    /// - Returns: The upload. Its `url` stands wherever a request names a URL.
    public func upload(_ bytes: Data) async throws(TintypeError) -> Upload {
        try Self.read(try await http().upload(Array(bytes)), "PUT /uploads")
    }

    /// Calls any method of the protocol, with the names of the wire.
    public func call(_ method: String, _ params: JSON) async throws(TintypeError) -> JSON {
        try await call(method, params, timeout: nil)
    }

    /// Calls any method of the protocol, with the names of the wire.
    ///
    /// - Parameter timeout: The time for all tries together. Default: the deadline in the parameters, else the option `timeout`.
    public func call(_ method: String, _ params: JSON, timeout: Duration?) async throws(TintypeError) -> JSON {
        let params = traced(params)
        return try await transport.call(method, params, until: timeout.map { .now + $0 } ?? until(params))
    }

    // MARK: - Within

    /// Cancels a receipt that nobody waits for any more, on the next connection if there is none.
    private func withdraw(_ receipt: String) {
        if transport.withdraw(receipt) { return }
        errands.run { [weak self] in _ = try? await self?.call("receipt.cancel", ["receipt": .string(receipt)], timeout: Self.receiptGrace) }
    }

    /// Returns the URL of a rendition, if an HTTP port is known.
    func url(of info: RenditionInfo) -> URL? {
        guard !info.url.isEmpty, let base = web?.address else { return nil }
        return URL(string: "\(base)\(info.url)")
    }

    func bytes(of info: RenditionInfo) async throws(TintypeError) -> [UInt8] {
        if let web { return try await web.bytes(info.url.isEmpty ? "/images/\(info.key)" : info.url) }
        if info.key.isEmpty { throw .local(.cacheMiss, "the result has no key: its request keeps no bytes") }
        if info.bytes <= 6 << 20 {
            let answer = try await call("cache.get", ["key": .string(info.key), "deliver": "inline"])
            let result: ImageResult = try Self.read(answer, "cache.get")
            if let data = result.renditions.first?.data { return data }
        }
        return try await http().bytes(info.url.isEmpty ? "/images/\(info.key)" : info.url)
    }

    /// The way over HTTP. Without an address of the caller it is the port that the coordinator in use names.
    /// The host is that of JSON-RPC, for a coordinator may listen at 0.0.0.0.
    private func http() async throws(TintypeError) -> HTTPTransport {
        if let web { return web }
        let named = try await methods.systemInfo().http
        let coordinator = transport.address
        guard let port = named.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw .local(.connect, "the coordinator \(coordinator) names no HTTP port: give one as the option http")
        }
        let host = coordinator.isUnix ? "127.0.0.1" : coordinator.hostInURL
        let address = try Address("\(coordinator.isSecure ? "https" : "http")://\(host):\(port)")
        let (way, old) = found.withLock { found -> (HTTPTransport, HTTPTransport?) in
            if let found, found.coordinator == coordinator { return (found.way, nil) }
            let way = HTTPTransport(
                [address], loop: loop, tls: tls, token: options.token, connectTimeout: options.connectTimeout, silence: options.silence)
            defer { found = (coordinator, way) }
            return (way, found?.way)
        }
        old?.retire()
        return way
    }

    static func read<Value: JSONDecodable>(_ json: JSON, _ method: String) throws(TintypeError) -> Value {
        do throws(AnswerFault) {
            return try Value(json: json)
        } catch {
            throw TintypeError(.internal, "the answer of \(method) is not understood: \(error)", isRetryable: false)
        }
    }

    private var defaultsHaveEffects: Bool { options.defaults?.hasEffects == true }

    /// The parameters of a request, with the defaults of the client and the caller's place in a trace.
    private func params(_ request: ImageRequest) -> JSON {
        traced(withDefaults(request.json))
    }

    private func withDefaults(_ json: JSON) -> JSON {
        guard !defaults.isEmpty, case .object(var members) = json else { return json }
        let hasOutputs = members["renditions"] != nil
        for (name, value) in defaults
        where members[name] == nil && name != "url" && name != "urls" && !(hasOutputs && (name == "transform" || name == "output")) {
            members.append(name, value)
        }
        return .object(members)
    }

    /// An item of a group has a receipt of the client, by which the service knows it as long as other requests.
    private func item(_ request: ImageRequest) -> JSON {
        var request = request
        request.receipt = request.receipt ?? ReceiptID.make()
        return withDefaults(request.json)
    }

    func traced(_ params: JSON) -> JSON {
        guard let place = options.trace?(), !place.isEmpty, case .object(var members) = params else { return params }
        members["_meta"] = place.json
        return .object(members)
    }

    /// When a call is given up.
    func until(_ params: JSON = [:]) -> ContinuousClock.Instant {
        var time = options.timeout
        if params["url"] != nil || params["urls"] != nil { time = .bounded(params["deadline"]?.doubleValue ?? Self.usualDeadline) + Self.grace }
        if let wait = params["wait"]?.doubleValue { time += .bounded(wait) }
        return .now + time
    }
}
