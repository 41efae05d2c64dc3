import TintypeCore
import TintypeTransport

/// Keeps work in flight while processes are killed, repeats lost requests by their receipt ids, and accounts for every receipt and every picture.
@Loop
final class SoakLoad {
    private let addresses: [SocketAddress]
    private let origin: String
    private let seconds: Int
    private let window: Int
    private let run = "soak-" + Digest.randomHex(bytes: 3)
    private var account: SoakAccount
    /// Whether the Redis may lose the last writes that it has acknowledged, because a replica takes its place.
    private let forgets: Bool
    /// nil if no picture doors are named.
    private let browsers: SoakBrowsers?
    private let scope = TaskScope()
    private var isOver = false
    /// The time for the remaining receipts once nothing new is submitted.
    private static let patience = 180
    /// Added to the id of a request that submits a receipt's id to a second queue.
    private static let elsewhere = 1_000_000_000

    init(_ options: Options) throws {
        addresses = try options.text("coordinator", "127.0.0.1:7411").split(separator: ",").map { try SocketAddress(String($0)) }
        origin = options.text("origin", "")
        seconds = options.number("seconds", 60)
        window = options.number("window", 32)
        forgets = options.text("forgets", "no") == "yes"
        account = SoakAccount(forgets: forgets)
        browsers = try options.values["images"].map { [origin, run] in try SoakBrowsers($0, keys: options.text("keys", ""), origin: origin, run: run) }
    }

    func run() async throws -> String {
        let start = ContinuousClock.now
        for index in addresses.indices { scope.run("client \(index)") { [self] in await client(index) } }
        let groups = SoakGroups(addresses, origin: origin, run: run, forgets: forgets)
        let beginner = TaskScope()
        beginner.run("groups") { await groups.begin() }
        browsers?.begin()
        while ContinuousClock.now - start < .seconds(seconds) {
            try await Loop.sleep(.seconds(10))
            StandardStream.printError("soak \(Int((ContinuousClock.now - start) / .seconds(1))) s: \(words)")
        }
        isOver = true
        browsers?.stop()
        beginner.cancelAll()
        let limit = ContinuousClock.now + .seconds(Self.patience)
        while !account.open.isEmpty, ContinuousClock.now < limit { try await Loop.sleep(.milliseconds(100)) }
        scope.cancelAll()
        try await askAgain()
        for fault in await groups.faults() { account.breach(fault) }
        for fault in await browsers?.faults() ?? [] { account.breach(fault) }
        for what in account.violations.prefix(20) { StandardStream.printError("loadgen: \(what)") }
        for number in account.open.keys.sorted().prefix(20) { StandardStream.printError("loadgen: receipt \(run)-\(number) never ended") }
        guard account.isBalanced else { throw Unbalanced(description: words) }
        return "mode=soak seconds=\(seconds) groups=\(groups.count) forgottenGroups=\(groups.forgotten.count) \(words)"
    }

    private var words: String { account.words + (browsers.map { " " + $0.account.words } ?? "") }

    /// Asks each coordinator about every receipt. The answer must be the end that the client got.
    private func askAgain() async throws {
        for address in addresses {
            let peer = try await LoadConnection.connect(address)
            var waiting = account.ended
            var rest = Array(account.ended.keys)[...]
            let done = OneShot<Void>()
            func ask() {
                guard let number = rest.popFirst() else { return }
                peer.send(number, "receipt.get", JSON.object(["receipt": .string("\(run)-\(number)")]).bytes())
            }
            peer.onAnswer = { [self] number, text in
                let answer = try? JSON(parsing: text)
                let state = answer?["result"]?["state"]?.string ?? answer?["error"]?["data"]?["name"]?.string ?? "nothing"
                if let end = waiting.removeValue(forKey: number), end != state {
                    account.asked(number, again: state, end, at: "\(address)")
                }
                if waiting.isEmpty { done.complete(.success(())) } else { ask() }
            }
            peer.onEnd = { done.complete(.failure(Unbalanced(description: "\(address) closed the connection"))) }
            for _ in 0..<window { ask() }
            if !waiting.isEmpty { try await done.wait() }
            peer.close()
        }
    }

    private struct Unbalanced: Error, CustomStringConvertible { let description: String }

    /// One client that connects to one coordinator after another.
    private func client(_ index: Int) async {
        var turn = index
        while !Task.isCancelled {
            let address = addresses[turn % addresses.count]
            turn += 1
            guard let peer = try? await LoadConnection.connect(address) else {
                try? await Loop.sleep(.milliseconds(200))
                continue
            }
            let lost = OneShot<Void>()
            ends[index] = []
            peer.onEnd = { lost.complete(.success(())) }
            peer.onAnswer = { [weak self] id, text in self?.answered(id, text, index, peer) }
            peer.onNotification = { [weak self] text in self?.noticed(text, index, peer) }
            // Open receipts may have been lost on the way, so they are submitted again under the same ids.
            for job in account.open.values where job.number % addresses.count == index { repeated(job, peer) }
            fill(index, peer)
            try? await lost.wait()
            peer.close()
            account.reconnects += 1
        }
    }

    private func fill(_ index: Int, _ peer: LoadConnection) {
        while !isOver, account.open.values.count(where: { $0.number % addresses.count == index }) < window {
            var number = account.submitted
            // Numbers are assigned so that each client can tell its own.
            while number % addresses.count != index || account.open[number] != nil || dealt.contains(number) { number += 1 }
            dealt.insert(number)
            let job = SoakJob(number)
            account.begin(job)
            submit(job, peer)
        }
    }

    private var dealt: Set<Int> = []
    /// The ends that each client got by events on its current connection.
    private var ends: [Int: Set<Int>] = [:]

    private func submit(_ job: SoakJob, _ peer: LoadConnection) {
        peer.send(job.number, "image.submit", job.params(origin, run, waits: forgets).bytes())
        if job.kind == .cancelled {
            peer.send(-1, "receipt.cancel", JSON.object(["receipt": .string("\(run)-\(job.number)")]).bytes())
        }
    }

    /// Asks for a receipt that was answered as durable, and submits any other again.
    private func repeated(_ job: SoakJob, _ peer: LoadConnection) {
        if account.isKept(job.number) {
            peer.send(job.number, "receipt.get", JSON.object(["receipt": .string("\(run)-\(job.number)")]).bytes())
        } else {
            account.resubmitted += 1
            submit(job, peer)
        }
    }

    private func answered(_ number: Int, _ text: [UInt8], _ index: Int, _ peer: LoadConnection) {
        if number >= Self.elsewhere { return refused(number - Self.elsewhere, text) }
        guard number >= 0, let job = account.open[number], let answer = try? JSON(parsing: text) else { return }
        if let error = answer["error"] {
            let name = error["data"]?["name"]?.string ?? "unknown"
            // A cancellation that overtakes its submit, while Redis is away, leaves no receipt behind.
            if name == ErrorName.unknownReceipt.rawValue, account.isKept(number) {
                account.lose(number)
                return repeated(job, peer)
            }
            let isOvertaken = job.kind == .cancelled && name == "cancelled"
            guard isOvertaken || Self.passing.contains(name) else { return account.breach("submit of \(number): \(name)") }
            // The request is repeated in a moment, or after the reconnect.
            scope.run("again") { [weak self] in
                try? await Loop.sleep(.milliseconds(500))
                guard let self, account.open[number] != nil, !peer.isClosed else { return }
                repeated(job, peer)
            }
            return
        }
        guard let state = answer["result"]?["state"]?.string else { return }
        if answer["result"]?["durable"]?.bool == true { account.keep(number) }
        // The receipt's own queue has it now, and keeps it after its end.
        if job.isAskedElsewhere { peer.send(Self.elsewhere + number, "image.submit", job.params(origin, run, isElsewhere: true).bytes()) }
        guard ["succeeded", "failed", "cancelled"].contains(state) else { return }
        end(number, state, answer["result"]?["error"]?["data"]?["name"]?.string, index, peer)
    }

    /// Records the answer to an id in a second queue. If the coordinator was not available, the next repetition asks again, if there is one.
    private func refused(_ number: Int, _ text: [UInt8]) {
        let error = try? JSON(parsing: text)["error"]
        if let name = error?["data"]?["name"]?.string, Self.passing.contains(name) { return }
        account.asked(elsewhere: number, error)
    }

    private static let passing = ["unavailable", "overloaded", "shuttingDown"]

    private func noticed(_ text: [UInt8], _ index: Int, _ peer: LoadConnection) {
        guard let params = try? JSON(parsing: text)["params"], let type = params["type"]?.string,
            ["succeeded", "failed", "cancelled"].contains(type),
            let number = params["receipt"]?.string?.split(separator: "-").last.flatMap({ Int($0) })
        else { return }
        if ends[index]?.insert(number).inserted == false { account.breach("receipt \(number) got its end twice on one connection") }
        end(number, type, params["error"]?["data"]?["name"]?.string, index, peer)
    }

    private func end(_ number: Int, _ state: String, _ error: String?, _ index: Int, _ peer: LoadConnection) {
        account.end(number, state, error)
        fill(index, peer)
    }
}
