import Coordinator
import TintypeCore

/// The meaning of a receiver's answer to a callback, and the time of the next try. Pure: the caller passes the random number.
struct CallbackPolicy: Sendable, Hashable {
    enum Verdict: Sendable, Hashable {
        case sent
        case tryAgain
        /// Another try would end the same way.
        case giveUp
    }

    /// The number of tries in total.
    static let tries = 5

    /// The pause after the first try, ±50 %.
    let firstPause: Duration

    /// Returns the pause after this number of failed tries; nil when no try is left.
    /// - Parameter jitter: 0…1.
    func pause(after failures: Int, jitter: Double) -> Duration? {
        guard failures < Self.tries else { return nil }
        return firstPause * (1 << (2 * (failures - 1))) * (0.5 + jitter)
    }

    /// Judges a status. 2xx is success; 410 means that the receiver is gone for good.
    static func verdict(status: Int) -> Verdict {
        switch status {
        case 200...299: .sent
        case 410: .giveUp
        default: .tryAgain
        }
    }

    /// Judges a try without a 2xx answer. Other statuses, timeouts and connection errors may be temporary; a denied address is not.
    static func verdict(_ error: TintypeError) -> Verdict {
        if [.denied, .invalidURL].contains(error.name) { return .giveUp }
        return error.details["status"]?.int.map { verdict(status: $0) } ?? .tryAgain
    }

    /// Returns the headers for a body. `Tintype-Signature-V1` also signs the time of the try, so that a receiver can refuse a replayed message.
    /// `Tintype-Signature` signs only the body, and will be removed in the next release.
    /// - Parameter time: The time of this try, in epoch seconds.
    static func headers(_ body: [UInt8], secret: String?, at time: Int) -> [(name: String, value: String)] {
        var headers = [(name: "Content-Type", value: "application/json")]
        guard let secret else { return headers }
        let key = Array(secret.utf8)
        headers.append(("Tintype-Signature-V1", "t=\(time),v1=" + Digest.hmacSHA256Hex(key: key, Array("\(time).".utf8) + body)))
        headers.append(("Tintype-Signature", "sha256=" + Digest.hmacSHA256Hex(key: key, body)))
        return headers
    }
}
