import TintypeCore

/// What a receiver's answer to a callback means, and when it is tried again. Pure: the dice are the caller's.
struct CallbackPolicy: Sendable, Hashable {
    enum Verdict: Sendable, Hashable {
        case sent
        case tryAgain
        /// Another try could not end otherwise.
        case giveUp
    }

    /// Tries in all.
    static let tries = 5

    /// The pause after the first try, give or take half.
    let firstPause: Duration

    /// How long to wait once so many tries have failed; nil when that were all.
    /// - Parameter jitter: 0…1.
    func pause(after failures: Int, jitter: Double) -> Duration? {
        guard failures < Self.tries else { return nil }
        return firstPause * (1 << (2 * (failures - 1))) * (0.5 + jitter)
    }

    /// 2xx is what was wanted. 410 says that nobody is there any more.
    static func verdict(status: Int) -> Verdict {
        switch status {
        case 200...299: .sent
        case 410: .giveUp
        default: .tryAgain
        }
    }

    /// How a try went that brought no 2xx: other answers, timeouts and connection errors may pass, a refused address does not.
    static func verdict(_ error: TintypeError) -> Verdict {
        switch error.name {
        case .denied, .invalidURL: .giveUp
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .blacklisted, .httpStatus, .contentType,
            .jsonInvalid, .dns, .connect, .tls, .timeout, .connectionLost, .authFailed, .tooManyRedirects, .badImageData,
            .unsupportedFormat, .limitExceeded, .transformFailed, .encodeFailed, .decryptFailed, .storeFailed, .cacheMiss,
            .cancelled, .superseded, .deadlineExceeded, .workerLost, .overloaded, .unauthenticated, .forbidden, .shuttingDown,
            .unavailable, .unknownReceipt, .unknownGroup, .unknownQueue:
            error.details["status"]?.int.map { verdict(status: $0) } ?? .tryAgain
        }
    }

    /// The headers that go with a body. `Tintype-Signature-V1` signs the time of the try with it, so that a receiver can refuse what somebody has
    /// recorded and sends again; `Tintype-Signature` signs the body alone, and goes with the next release.
    /// - Parameter time: of this try, in epoch seconds.
    static func headers(_ body: [UInt8], secret: String?, at time: Int) -> [(name: String, value: String)] {
        var headers = [(name: "Content-Type", value: "application/json")]
        guard let secret else { return headers }
        let key = Array(secret.utf8)
        headers.append(("Tintype-Signature-V1", "t=\(time),v1=" + Digest.hmacSHA256Hex(key: key, Array("\(time).".utf8) + body)))
        headers.append(("Tintype-Signature", "sha256=" + Digest.hmacSHA256Hex(key: key, body)))
        return headers
    }
}
