import TintypeCore
import TintypeTransport

/// Reads the list of workers each second while a client subscribes to it, and reports changes.
@Loop
final class WorkerWatch {
    /// Called for a change, with a function that makes the notification for a subscription's id.
    typealias Listener = @Loop (_ notification: (String) -> [UInt8]) -> Void

    private let registry: QueueRegistry
    private let scope: TaskScope
    private var listeners: [Int: Listener] = [:]
    private var last = 0
    private var known: [String: String]?
    private var timer: LoopTimer?
    private var isLooking = false

    init(registry: QueueRegistry, scope: TaskScope) {
        self.registry = registry
        self.scope = scope
    }

    func add(_ listener: @escaping Listener) -> Int {
        last += 1
        listeners[last] = listener
        if timer == nil {
            timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.look() }
            look()
        }
        return last
    }

    func remove(_ id: Int) {
        listeners[id] = nil
        guard listeners.isEmpty else { return }
        timer = nil
        known = nil
    }

    private func look() {
        guard !isLooking else { return }
        isLooking = true
        scope.run("watch workers") { [weak self] in
            guard let self else { return }
            if let workers = try? await WorkerList.read(self.registry) { self.compare(workers) }
            self.isLooking = false
        }
    }

    private func compare(_ workers: [JSON]) {
        guard !listeners.isEmpty else { return }
        let now = Dictionary(workers.map { ($0["id"]?.string ?? "", $0["state"]?.string ?? "") }, uniquingKeysWith: { $1 })
        if let known {
            for worker in workers where known[worker["id"]?.string ?? ""] != worker["state"]?.string { notify(worker) }
            for id in known.keys.sorted() where now[id] == nil { notify(["id": .string(id), "state": "gone"]) }
        }
        known = now
    }

    private func notify(_ worker: JSON) {
        for listener in listeners.values {
            listener { id in RPCAnswer.notification("workers.changed", params: (["subscription": .string(id), "worker": worker] as JSON).bytes()) }
        }
    }
}
