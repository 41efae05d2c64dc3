import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import TintypeClient

/// The layers below the connection: addresses, pauses, framing, HTTP and what is tried again.
@Suite struct WayTests {
    @Test(
        arguments: [
            ("tcp://images.internal", Address.Kind.tcp, false, "images.internal", 7411, "tcp://images.internal:7411"),
            ("images.internal:7412", .tcp, false, "images.internal", 7412, "tcp://images.internal:7412"),
            ("tls://images.internal:7443/", .tcp, true, "images.internal", 7443, "tls://images.internal:7443"),
            ("http://127.0.0.1:7412/", .http, false, "127.0.0.1", 7412, "http://127.0.0.1:7412"),
            ("HTTPS://images.example/tintype/", .http, true, "images.example", 443, "https://images.example:443/tintype"),
            ("tcp://[::1]:7411", .tcp, false, "::1", 7411, "tcp://[::1]:7411"),
            ("unix:///run/tintype.sock", .tcp, false, "", 0, "unix:///run/tintype.sock"),
        ] as [(String, Address.Kind, Bool, String, Int, String)])
    func pure_anAddressHasAKindAHostAndAPort(_ text: String, _ kind: Address.Kind, _ isSecure: Bool, _ host: String, _ port: Int, _ whole: String) throws {
        let address = try Address(text)
        #expect((address.kind, address.isSecure, address.host, address.port, address.description) == (kind, isSecure, host, port, whole))
    }

    @Test(arguments: [
        "", "ftp://a", "tcp://a/path", "http://a?x=1", "http://user:secret@a", "tcp://a:0", "tcp://a:99999", "tcp://a:x", "tcp://[::1", "unix://a/b",
    ])
    func pure_whatIsNoAddressIsRefusedAndShowsNoSecret(_ text: String) {
        let error = #expect(throws: TintypeError.self) { try Address(text) }
        #expect(error?.name == .invalidURL && error?.message.contains("secret") == false)
    }

    @Test func pure_clientsBeginAtAddressesByChanceAndKindsAreNotMixed() throws {
        #expect(try Address.all(["tcp://a, tcp://b", "tcp://c"], chance: 0.5).map(\.host) == ["b", "c", "a"])
        #expect(throws: TintypeError.self) { try Address.all(["tcp://a", "http://b"]) }
        #expect(throws: TintypeError.self) { try Address.all([]) }
        #expect(throws: TintypeError.self) { try Tintype() }
    }

    @Test func pure_pausesDoubleUpToTheLongestAndHalfOfEachIsChance() {
        var most = Backoff(first: .milliseconds(100), most: .seconds(1), chance: { 1 })
        let pauses = (0..<6).map { _ in most.next() }
        #expect(pauses == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
        var least = Backoff(first: .milliseconds(100), most: .seconds(1), chance: { 0 })
        let early = [least.next(), least.next()]
        least.reset()
        let again = least.next()
        #expect(early + [again] == [50, 100, 50].map { .milliseconds($0) })
    }

    @Test(arguments: 1...8)
    func pure_aLineMayComeInAnyPiecesAlsoInTheMiddleOfALetter(_ size: Int) {
        var lines = Lines(most: 100)
        var found: [String] = []
        for piece in pieces("{\"a\":\"é😀\"}\n{}\n\nrest", size) {
            let fits = piece.withUnsafeBufferPointer { lines.take($0) { found.append(String(decoding: $0, as: UTF8.self)) } }
            #expect(fits)
        }
        #expect(found == ["{\"a\":\"é😀\"}", "{}", ""])
        var short = Lines(most: 3)
        let fits = Array("abcd".utf8).withUnsafeBufferPointer { short.take($0) { _ in } }
        #expect(!fits)
    }

    @Test func pure_refusalsByCertificatesAreFinalOnAppleSystems() {
        let refusals: [URLError.Code] = [
            .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
        ]
        for code in refusals { #expect(SystemFault.isRefusal(code.rawValue), "\(code)") }
        let passing: [URLError.Code] = [
            .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .cannotLoadFromNetwork,
        ]
        for code in passing { #expect(!SystemFault.isRefusal(code.rawValue), "\(code)") }
    }

    @Test(arguments: [1, 2, 5, 1000])
    func pure_serverSentEventsAreReadAsBrowsersReadThem(_ size: Int) {
        let text =
            "retry: 2000\n\n: comment\n\nid: 1\nevent: state\ndata: {}\n\nid: 2\r\nevent: progress\r\ndata: a\r\ndata:  b\r\n\r\ndata: c\nid\n\nevent: lost\n\ndata: never"
        var events = ServerEvents()
        var found: [ServerEvent] = []
        for piece in pieces(text, size) { _ = piece.withUnsafeBufferPointer { events.take($0) { found.append($0) } } }
        #expect(
            found == [
                ServerEvent(id: "1", type: "state", data: "{}"), ServerEvent(id: "2", type: "progress", data: "a\n b"),
                ServerEvent(id: "", type: "message", data: "c"),
            ])
    }

    @Test(
        arguments: [1, 3, 1000],
        [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello", 200, "hello", true),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: x\r\n\r\n",
                201, "hello", true
            ),
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 200, "", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false),
        ] as [(String, Int, String, Bool)])
    func pure_anAnswerOfHTTPMayComeInAnyPieces(_ size: Int, _ row: (text: String, status: Int, body: String, isKept: Bool)) {
        var reader = HTTPReader()
        var body: [UInt8] = []
        for piece in pieces(row.text, size) {
            let fault = piece.withUnsafeBufferPointer { reader.take($0) { body += $0 } }
            #expect(fault == nil)
        }
        #expect(reader.isDone && reader.head?.status == row.status && reader.isKept == row.isKept)
        #expect(String(decoding: body, as: UTF8.self) == row.body)
    }

    @Test func pure_anAnswerWithoutALengthEndsWithItsConnection() {
        var reader = HTTPReader()
        var body: [UInt8] = []
        _ = Array("HTTP/1.1 200 OK\r\n\r\nhel".utf8).withUnsafeBufferPointer { reader.take($0) { body += $0 } }
        #expect(!reader.isDone)
        let isWhole = reader.end()
        #expect(isWhole && !reader.isKept && body == Array("hel".utf8))
        var cut = HTTPReader()
        _ = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel".utf8).withUnsafeBufferPointer { cut.take($0) { _ in } }
        let isCut = !cut.end()
        #expect(isCut)
    }

    @Test(arguments: [
        "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nno name\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func pure_whatIsNoHTTPIsAFault(_ text: String) {
        var reader = HTTPReader()
        let fault = Array(text.utf8).withUnsafeBufferPointer { reader.take($0) { _ in } }
        #expect(fault != nil)
    }

    @Test func pure_whatIsTriedAgainAndAfterHowLong() {
        func pause(_ failure: Failure, _ method: String = "image.load") -> Duration? {
            var backoff = Backoff(first: .milliseconds(100), most: .seconds(5), chance: { 1 })
            return Retry.pause(after: failure, method, &backoff)
        }
        func error(_ name: ErrorName, _ data: JSONObject = [:]) -> Failure { .refused(TintypeError(name, "text", data: data)) }
        #expect(pause(.lost("lost", wasSent: true)) == .milliseconds(100))
        for method in ["chain.append", "chain.start", "batch.start", "prefetch.start"] { #expect(pause(.lost("lost", wasSent: true), method) == nil) }
        #expect(pause(.lost("never sent", wasSent: false), "chain.append") == .milliseconds(100))
        #expect(pause(error(.overloaded, ["retryAfter": 3])) == .milliseconds(3100))
        #expect(pause(error(.overloaded)) == .milliseconds(1100))
        #expect(pause(error(.overloaded, ["retryAfter": 3, "limit": "wrongTokens"])) == nil)
        #expect(pause(error(.unavailable, ["retryAfter": 2])) == .seconds(2))
        #expect(pause(error(.shuttingDown)) == .milliseconds(100))
        #expect(pause(error(.httpStatus)) == nil)
        #expect(pause(error(.timeout)) == nil)
        #expect(pause(error(.unauthenticated)) == nil)
        #expect(pause(.cancelled) == nil)
    }

    @Test func aTryThatWouldComeTooLateIsNotMade() async {
        let tries = Shared(0)
        let failure = Failure.refused(TintypeError(.overloaded, "text", data: ["retryAfter": 60]))
        let error = await #expect(throws: TintypeError.self) {
            try await Retry.run("image.load", until: .now + .seconds(1)) { () async -> Result<Int, Failure> in
                tries.change { $0 += 1 }
                return .failure(failure)
            }
        }
        #expect(error?.name == .overloaded && tries.value == 1)
    }

    @Test func aCancelledTaskEndsThePauseBetweenTwoTries() async {
        let waiting = Task {
            try await Retry.run("image.load", until: .now + .seconds(3600)) { () async -> Result<Int, Failure> in
                .failure(.refused(TintypeError(.overloaded, "text", data: ["retryAfter": 600])))
            }
        }
        waiting.cancel()
        let result = await waiting.result
        let error = #expect(throws: TintypeError.self) { try result.get() }
        #expect(error?.name == .cancelled)
    }

    @Test func errandsAreBounded() async throws {
        let errands = Errands()
        for _ in 0..<1100 { errands.run { try? await Task.sleep(for: .seconds(600)) } }
        #expect(errands.count == Errands.most)
        errands.close()
    }

    @Test func turnsLetANumberInInOrderAndLeaveThoseOutThatGiveUp() async {
        let turns = Turns(1)
        #expect(await turns.take())
        let gone = Task { await turns.take() }
        gone.cancel()
        #expect(await !gone.value)
        let second = Task { await turns.take() }
        turns.leave()
        #expect(await second.value)
        turns.leave()
        #expect(await turns.take())
        // One place is taken: who waits gives up by the clock, also where the time was over before.
        let loop = Loop()
        defer { loop.stop() }
        #expect(await !turns.take(until: (.now + .milliseconds(20), loop)))
        #expect(await !turns.take(until: (.now - .seconds(1), loop)))
        turns.leave()
        #expect(await turns.take(until: (.now + .seconds(600), loop)))
    }

    @Test(arguments: [(Double.nan, 0.0), (.infinity, 31_536_000), (-1, 0), (1e300, 31_536_000), (2.5, 2.5)])
    func pure_aTimeFromOutsideIsBounded(_ given: Double, _ seconds: Double) {
        #expect(Duration.bounded(given) == .seconds(seconds))
        var backoff = Backoff()
        let failure = Failure.refused(TintypeError(.overloaded, "full", data: ["retryAfter": .number(given)]))
        #expect(Retry.pause(after: failure, "image.load", &backoff) ?? .zero >= .seconds(seconds))
    }

    @Test func pure_anIDOfAReceiptIsNewEachTime() {
        let ids = (0..<100).map { _ in ReceiptID.make() }
        #expect(Set(ids).count == 100 && ids.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func pure_aFileOfTLSThatIsMissingIsNamed() {
        var options = Tintype.Options()
        options.tls.authorityFile = "/none.pem"
        let error = #expect(throws: TintypeError.self) { try Tintype("tls://127.0.0.1", options: options) }
        #expect(error?.name == .tls && error?.message.contains("/none.pem") == true)
    }

    @Test func pure_noTokenIsShown() throws {
        var options = Tintype.Options()
        options.token = "a-secret"
        let tintype = try Tintype("tcp://127.0.0.1:1", options: options)
        var shown = "\(options) \(String(reflecting: options)) \(tintype)"
        dump(options, to: &shown)
        dump(tintype, to: &shown)
        #expect(!shown.contains("a-secret"))
    }

    private func pieces(_ text: String, _ size: Int) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
