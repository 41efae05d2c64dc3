import TintypeCore
import ImgproxyURLs
import TintypeTransport

/// The browsers of a soak: each asks for one picture after another at the picture door of its coordinator, and goes away now and then.
@Loop
final class SoakBrowsers {
    private let addresses: [SocketAddress]
    private let signature: URLSignature
    private let origin: String
    private let run: String
    private(set) var account = PictureAccount()
    private let scope = TaskScope()
    private var isOver = false
    /// The number of browsers of each coordinator, by which scripts/soak limits the answers that are cut off.
    private static let each = 6
    /// The time between two pictures of a browser. Without a pause, slow pictures fill the places of the one origin. Receipts of a lower priority would
    /// then wait for as long as there are browsers.
    private static let pause = Duration.milliseconds(500)

    /// - Parameters:
    ///   - addresses: the picture doors, with commas between them.
    ///   - keys: the file with the key and the salt.
    init(_ addresses: String, keys: String, origin: String, run: String) throws {
        self.addresses = try addresses.split(separator: ",").map { try SocketAddress(String($0)) }
        signature = URLSignature(pairs: try URLSignature.pairs(in: keys))
        (self.origin, self.run) = (origin, run)
    }

    func begin() {
        for address in addresses {
            for index in 0..<Self.each { scope.run("browser \(index)") { [self] in await browse(address) } }
        }
    }

    /// Lets each browser wait for its present picture, and ask for no more.
    func stop() { isOver = true }

    /// Returns the faults when each browser has its last answer. None waits for longer than its patience.
    func faults() async -> [String] {
        stop()
        await scope.drain()
        return account.faults + account.gaps
    }

    private func browse(_ address: SocketAddress) async {
        var browser: SoakBrowser?
        while !isOver {
            if browser?.isClosed != false { browser = try? await SoakBrowser.connect(address) }
            guard let current = browser else {
                try? await Loop.sleep(.milliseconds(200))
                continue
            }
            let picture = SoakPicture(account.asked)
            let tag = account.begin(picture)
            let outcome = await current.get(picture.path(signature, origin, run), tag: tag, isLeaving: picture.kind == .left)
            account.end(picture, outcome)
            guard case .answered(let answer) = outcome else {
                current.close()
                continue
            }
            if answer.isLast { current.close() }
            try? await Loop.sleep(Self.pause)
        }
        browser?.close()
    }
}

/// A kept connection to a picture door, with one request at a time.
@Loop
final class SoakBrowser {
    private let stream: ByteStream
    private var received: [UInt8] = []
    private var waiting: OneShot<PictureAccount.Outcome>?
    private(set) var isClosed = false
    /// Longer than a deadline, and a coordinator or a Redis that is away meanwhile.
    private static let patience = Duration.seconds(90)

    static func connect(_ address: SocketAddress) async throws -> SoakBrowser {
        SoakBrowser(try await ByteStream.connect(address, timeout: .seconds(10)))
    }

    private init(_ stream: ByteStream) {
        self.stream = stream
        stream.onBytes = { [weak self] bytes in self?.take(bytes) }
        stream.onEnd = { [weak self] _ in
            self?.isClosed = true
            self?.waiting?.complete(.success(.cut))
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        received += bytes
        guard let answer = PictureAnswer(received) else { return }
        waiting?.complete(.success(.answered(answer)))
    }

    /// - Parameters:
    ///   - tag: the entity tag of the picture that the browser has.
    ///   - isLeaving: whether the browser goes away soon, unless the answer comes first.
    func get(_ path: String, tag: String?, isLeaving: Bool) async -> PictureAccount.Outcome {
        let waiting = OneShot<PictureAccount.Outcome>()
        (self.waiting, received) = (waiting, [])
        let condition = tag.map { "If-None-Match: \($0)\r\n" } ?? ""
        stream.write(Array("GET \(path) HTTP/1.1\r\nHost: pictures\r\n\(condition)\r\n".utf8))
        let timer = LoopTimer(after: isLeaving ? .milliseconds(Int.random(in: 0..<400)) : Self.patience) {
            waiting.complete(.success(isLeaving ? .left : .silent))
        }
        defer { timer.cancel() }
        return (try? await waiting.wait()) ?? .cut
    }

    func close() {
        isClosed = true
        stream.close()
    }
}
