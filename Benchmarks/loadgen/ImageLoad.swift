import TintypeCore
import TintypeTransport
import TintypeImages

/// Loads distinct URLs, a few at a time, to measure the pictures per second of the whole service.
@Loop
final class ImageLoad {
    private let address: SocketAddress
    private let url: String
    private let request: JSONObject
    private let total: Int
    private let inFlight: Int

    init(_ address: SocketAddress, _ options: Options) throws {
        self.address = address
        url = options.text("url", "")
        request = try JSON(parsing: options.text("request", "{}")).object ?? [:]
        total = options.number("count", 100)
        inFlight = options.number("pipeline", 2)
    }

    func run() async throws -> String {
        let peer = try await LoadConnection.connect(address)
        let run = Digest.randomHex(bytes: 4)
        var latencies = Latencies()
        var sent: [Int: ContinuousClock.Instant] = [:]
        var next = 0
        var bytes = 0
        var failure: JSON?
        let done = OneShot<Void>()
        let total = total
        func send() {
            guard next < total else { return }
            var params = request
            params["url"] = .string("\(url)\(url.contains("?") ? "&" : "?")n=\(run)-\(next)")
            params["deadline"] = 120
            sent[next] = .now
            peer.send(next, "image.load", JSON.object(params).bytes())
            next += 1
        }
        peer.onAnswer = { id, text in
            if let start = sent.removeValue(forKey: id) { latencies.add(.now - start) }
            let answer = try? JSON(parsing: text)
            if let error = answer?["error"] { failure = error }
            bytes += ImageResult(json: answer?["result"] ?? .null).renditions.first?.bytes ?? 0
            if latencies.count == total { done.complete(.success(())) } else { send() }
        }
        let start = ContinuousClock.now
        for _ in 0..<inFlight { send() }
        try await done.wait()
        let time = ContinuousClock.now - start
        peer.close()
        if let failure { throw TintypeError(json: failure) }
        return "mode=images count=\(total) in_flight=\(inFlight) images_per_s=\(rate(total, time)) mean_bytes=\(bytes / max(1, total)) \(latencies.words)"
    }
}
