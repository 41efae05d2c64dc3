/// The requests that the origin has received so far, for the tests to check.
struct Ledger {
    private(set) var order: [String] = []
    private(set) var counts: [String: Int] = [:]
    private(set) var running = 0
    private(set) var maxConcurrent = 0
    private(set) var bytes = 0

    /// Records an arrived request for `target` (path and query).
    mutating func begin(_ target: String) {
        order.append(target)
        counts[target, default: 0] += 1
        running += 1
        maxConcurrent = max(maxConcurrent, running)
    }

    /// Records that a request was answered, or that its client has disconnected.
    mutating func end(sent: Int) {
        running -= 1
        bytes += sent
    }

    /// Forgets everything except the running requests.
    mutating func reset() {
        let now = running
        self = Ledger()
        running = now
        maxConcurrent = now
    }

    /// The ledger as JSON: total, running, maxConcurrent, bytes, counts by target, order of arrival.
    var json: String {
        func quoted(_ text: String) -> String {
            "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" || $0.value < 32 ? "?" : String($0) }.joined() + "\""
        }
        let each = counts.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }.joined(separator: ",")
        return "{\"total\":\(order.count),\"running\":\(running),\"maxConcurrent\":\(maxConcurrent),\"bytes\":\(bytes),"
            + "\"counts\":{\(each)},\"order\":[\(order.map(quoted).joined(separator: ","))]}"
    }
}
