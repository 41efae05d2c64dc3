import TintypeCore
import TintypeTransport

/// Repeats the same `image.load`, pipelined over several connections, to measure the rate of cached answers.
@Loop
final class CachedLoad {
    private let address: SocketAddress
    private let params: [UInt8]
    private let connections: Int
    private let pipeline: Int
    private let seconds: Int

    init(_ address: SocketAddress, _ options: Options) throws {
        self.address = address
        let url = JSON.string(options.text("url", "data:,cached")).text
        params = Array(options.text("request", #"{"url":\#(url),"transform":[{"op":"resize","width":64}],"output":{"format":"jpeg"}}"#).utf8)
        connections = options.number("connections", 4)
        pipeline = options.number("pipeline", 64)
        seconds = options.number("seconds", 5)
    }

    func run() async throws -> String {
        var peers: [LoadConnection] = []
        for _ in 0..<connections { peers.append(try await LoadConnection.connect(address)) }
        // The first load makes the result, the second one shows that it is cached.
        let warm = OneShot<[UInt8]>()
        peers[0].onAnswer = { _, text in warm.complete(.success(text)) }
        peers[0].send(0, "image.load", params)
        let first = try JSON(parsing: try await warm.wait())
        guard first["result"]?["state"] == "succeeded" else { throw TintypeError(json: first["error"] ?? .null) }
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        var latencies = Latencies()
        var count = 0
        var failures = 0
        var left = connections * pipeline
        let done = OneShot<Void>()
        for peer in peers {
            var sent = [ContinuousClock.Instant](repeating: start, count: pipeline)
            peer.onAnswer = { [params] id, text in
                let now = ContinuousClock.now
                count += 1
                if count % 16 == 0 { latencies.add(now - sent[id]) }
                if text.count < 200 { failures += 1 }
                guard now < end else {
                    left -= 1
                    if left == 0 { done.complete(.success(())) }
                    return
                }
                sent[id] = now
                peer.send(id, "image.load", params)
            }
            for id in 0..<pipeline { peer.send(id, "image.load", params) }
        }
        try await done.wait()
        let time = ContinuousClock.now - start
        for peer in peers { peer.close() }
        return
            "mode=rpc connections=\(connections) pipeline=\(pipeline) answers=\(count) failures=\(failures) answers_per_s=\(rate(count, time)) \(latencies.words)"
    }
}
