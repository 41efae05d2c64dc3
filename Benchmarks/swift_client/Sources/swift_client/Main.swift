import Foundation
import TintypeClient

/// Cached loads through the client for Swift, over one TCP connection.
///
///     swift_client COORDINATOR URL SECONDS
///
/// Prints a row for 1 and 64 in flight, and the CPU that the client took for a load.
@main struct Main {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let seconds = Double(words[3]) else {
            print("swift_client COORDINATOR URL SECONDS")
            exit(2)
        }
        let tintype = try Tintype("tcp://\(words[1])")
        let url = words[2]
        _ = try await tintype.image(from: url, .resize(160), as: .jpeg)
        for inFlight in [1, 64] { try await measure(tintype, url, inFlight, seconds) }
    }

    static func measure(_ tintype: Tintype, _ url: String, _ inFlight: Int, _ seconds: Double) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        let before = cpu()
        var times = try await withThrowingTaskGroup { group in
            for _ in 0..<inFlight {
                group.addTask {
                    var times: [Double] = []
                    while true {
                        let begun = ContinuousClock.now
                        if begun >= end { return times }
                        _ = try await tintype.image(from: url, .resize(160), as: .jpeg)
                        times.append((ContinuousClock.now - begun) / .milliseconds(1))
                    }
                }
            }
            return try await group.reduce(into: [Double]()) { $0 += $1 }
        }
        let used = cpu() - before
        times.sort()
        let (p50, p99) = (times[times.count / 2], times[times.count * 99 / 100])
        let name = "the Swift client, 1 connection × \(inFlight) in flight, \(Int((used / Double(times.count) * 1e6).rounded())) µs of its CPU a load"
        print("| \(name) | \(Int((Double(times.count) / seconds).rounded())) | \(String(format: "%.2f", p50)) | \(String(format: "%.2f", p99)) |")
    }

    /// The CPU seconds of this process.
    static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
