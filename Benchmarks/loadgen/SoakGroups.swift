import TintypeCore
import TintypeTransport

/// The groups of a soak: one is started every few seconds at one of the coordinators. At the end, every coordinator is asked about all of them.
@Loop
final class SoakGroups {
    private enum Kind: CaseIterable { case batch, prefetch, chain }

    private let addresses: [SocketAddress]
    private let origin: String
    private let run: String
    /// Whether the Redis may lose the last writes that it has acknowledged.
    private let forgets: Bool
    /// The groups that every coordinator has lost so.
    private(set) var forgotten: Set<String> = []
    private var begun: [(id: String, kind: Kind, total: Int)] = []
    private var number = 0
    private static let pause = Duration.seconds(2)
    /// The time for the end of a group once nothing new is started.
    private static let patience = 60

    init(_ addresses: [SocketAddress], origin: String, run: String, forgets: Bool) {
        (self.addresses, self.origin, self.run, self.forgets) = (addresses, origin, run, forgets)
    }

    /// The number of known groups. The answer to a start may be lost with its coordinator; its group ends all the same.
    var count: Int { begun.count }

    /// Starts groups until the task is canceled.
    func begin() async {
        while !Task.isCancelled {
            number += 1
            let kind = Kind.allCases[number % Kind.allCases.count]
            let items = items(kind)
            let (method, params): (String, JSONObject) =
                switch kind {
                case .batch: ("batch.start", ["items": .array(items), "mode": "settleAll", "concurrency": 3])
                case .prefetch: ("prefetch.start", ["items": .array(items)])
                case .chain: ("chain.start", ["steps": .array(items)])
                }
            let answer = await ask(addresses[number / Kind.allCases.count % addresses.count], method, .object(params), within: .seconds(15))
            if let id = answer?["result"]?["group"]?.string { begun.append((id, kind, items.count)) }
            try? await Loop.sleep(Self.pause)
        }
    }

    private func items(_ kind: Kind) -> [JSON] {
        (0..<5).map { index in
            let path =
                switch (kind, index) {
                case (.batch, 1): "status/404?n=\(run)-g\(number)"
                case (_, 2): "status/503?times=1&n=\(run)-g\(number)"
                default: "slow/picture.png?size=96x64&rate=60000&n=\(run)-g\(number)-\(index)"
                }
            let url = kind == .chain && index == 4 ? "${steps[3].source.finalURL}" : "\(origin)/\(path)"
            return [
                "url": .string(url), "receipt": .string("\(run)-g\(number)-\(index)"), "deadline": 300,
                "transform": [["op": "resize", "width": 16]], "fetch": ["retry": ["attempts": 5, "base": 0.2, "max": 2]],
            ]
        }
    }

    /// Returns the faults of the started groups: each must have ended as expected, and every coordinator must report the same.
    func faults() async -> [String] {
        var faults: [String] = []
        for group in begun {
            var said: Set<String> = []
            for address in addresses {
                let params: JSON = ["group": .string(group.id), "wait": JSON(Self.patience)]
                let answer = await ask(address, "group.get", params, within: .seconds(Self.patience + 10))
                guard let result = answer?["result"] else {
                    if forgets, answer?["error"]?["data"]?["name"]?.string == ErrorName.unknownGroup.rawValue {
                        forgotten.insert(group.id)
                        said.insert("unknown")
                        continue
                    }
                    faults.append("group \(group.id): no answer from \(address)")
                    continue
                }
                let states = (result["results"]?.array ?? []).map { $0["state"]?.string ?? "none" }
                let words = "\(result["state"]?.string ?? "none") \(result["finished"]?.int ?? -1)/\(group.total) \(states.joined(separator: ","))"
                said.insert(words)
                let isWhole = result["state"] == "succeeded" && result["finished"]?.int == group.total
                // As for a receipt: a chain ends when two workers are lost under one step, or several drivers one after the other.
                let isLost = result["state"] == "failed" && result["failed"]?["error"]?["data"]?["name"] == "workerLost"
                if !isWhole && !isLost { faults.append("group \(group.id) (\(group.kind)) at \(address): \(words)") }
            }
            if said.count > 1 { faults.append("group \(group.id) is reported in several ways: \(said.sorted().joined(separator: "; "))") }
        }
        return faults
    }

    private func ask(_ address: SocketAddress, _ method: String, _ params: JSON, within time: Duration) async -> JSON? {
        guard let peer = try? await LoadConnection.connect(address) else { return nil }
        defer { peer.close() }
        let answer = OneShot<JSON?>()
        peer.onAnswer = { _, text in answer.complete(.success(try? JSON(parsing: text))) }
        peer.onEnd = { answer.complete(.success(nil)) }
        let timer = LoopTimer(after: time) { answer.complete(.success(nil)) }
        defer { timer.cancel() }
        peer.send(1, method, params.bytes())
        return (try? await answer.wait()) ?? nil
    }
}
