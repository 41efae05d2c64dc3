import TintypeCore
import TintypeTransport

/// Fetches that do nothing: a distinct `data:` URL that is passed through and stored nowhere. Everything except the download and the pixels is
/// real.
enum Noop {
    static func params(_ number: Int, _ run: String) -> [UInt8] {
        Array(
            #"{"url":"data:,\#(run)-\#(number)","as":"bytes","deliver":"none","cache":{"read":[],"write":[],"ttl":0},"receipt":"\#(run)-\#(number)","deadline":600}"#
                .utf8)
    }

    /// Returns the number in `"receipt":"run-number"` of a terminal event; nil for any other event.
    static func number(ofTerminal event: [UInt8]) -> (number: Int, succeeded: Bool)? {
        guard let json = try? JSON(parsing: event), let params = json["params"], let type = params["type"]?.string,
            ["succeeded", "failed", "cancelled"].contains(type), let receipt = params["receipt"]?.string,
            let number = receipt.split(separator: "-").last.flatMap({ Int($0) })
        else { return nil }
        return (number, type == "succeeded")
    }
}

/// Submits at an even rate, and times each receipt from its submit to its terminal event.
@Loop
final class PacedLoad {
    private let address: SocketAddress
    private let perSecond: Int
    private let seconds: Int

    init(_ address: SocketAddress, _ options: Options) {
        self.address = address
        perSecond = max(1, options.number("rate", 100))
        seconds = options.number("seconds", 10)
    }

    func run() async throws -> String {
        let peer = try await LoadConnection.connect(address)
        let run = Digest.randomHex(bytes: 4)
        let total = perSecond * seconds
        var sent: [Int: ContinuousClock.Instant] = [:]
        var latencies = Latencies()
        var failures = 0
        let done = OneShot<Void>()
        peer.onNotification = { text in
            // The clock is read before the event is parsed, because this program's parser is not measured.
            let arrived = ContinuousClock.now
            guard let (number, succeeded) = Noop.number(ofTerminal: text), let start = sent.removeValue(forKey: number) else { return }
            if succeeded { latencies.add(arrived - start) } else { failures += 1 }
            if latencies.count + failures == total { done.complete(.success(())) }
        }
        let start = ContinuousClock.now
        for number in 0..<total {
            let due = start + .seconds(Double(number) / Double(perSecond))
            let wait = due - .now
            if wait > .zero { try await Loop.sleep(wait) }
            let params = Noop.params(number, run)
            sent[number] = .now
            peer.send(number, "image.submit", params)
        }
        try await done.wait()
        peer.close()
        return "mode=paced rate=\(perSecond) count=\(total) failures=\(failures) \(latencies.words)"
    }
}

/// Submits as fast as answers arrive, with a window, and times until all receipts are done.
@Loop
final class FlatLoad {
    private let address: SocketAddress
    private let total: Int
    private let window: Int

    init(_ address: SocketAddress, _ options: Options) {
        self.address = address
        total = options.number("count", 5000)
        window = options.number("pipeline", 64)
    }

    func run() async throws -> String {
        let peer = try await LoadConnection.connect(address)
        let run = Digest.randomHex(bytes: 4)
        var next = 0
        var answered = 0
        var ended = 0
        var failures = 0
        let submitted = OneShot<ContinuousClock.Instant>()
        let done = OneShot<ContinuousClock.Instant>()
        let total = total
        peer.onAnswer = { _, text in
            if text.count < 60 { failures += 1 }
            answered += 1
            if answered == total { submitted.complete(.success(.now)) }
            guard next < total else { return }
            peer.send(next, "image.submit", Noop.params(next, run))
            next += 1
        }
        peer.onNotification = { text in
            guard let (_, succeeded) = Noop.number(ofTerminal: text) else { return }
            if !succeeded { failures += 1 }
            ended += 1
            if ended == total { done.complete(.success(.now)) }
        }
        let start = ContinuousClock.now
        while next < min(window, total) {
            peer.send(next, "image.submit", Noop.params(next, run))
            next += 1
        }
        let allSubmitted = try await submitted.wait() - start
        let allDone = try await done.wait() - start
        peer.close()
        return "mode=flat count=\(total) failures=\(failures) submits_per_s=\(rate(total, allSubmitted)) done_per_s=\(rate(total, allDone))"
    }
}
