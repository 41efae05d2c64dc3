import TintypeTransport

/// The last lines that a child process wrote.
@Loop
final class LastLines {
    private(set) var kept: [String] = []
    private static let limit = 20

    func append(_ line: String) {
        if kept.count == Self.limit { kept.removeFirst() }
        kept.append(line)
    }
}
