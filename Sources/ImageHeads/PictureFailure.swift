/// Why a picture could not be opened, changed or written: the one error of `Guard`, `Pipeline` and the pixel child.
package struct PictureFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// Nothing recognised, or it breaks while it is decoded.
        case badImageData
        /// Recognised, but there is no decoder or encoder for it here, or it is not enabled.
        case unsupportedFormat
        /// A limit of `ImageLimits` or another, named, with the value found and the most that is allowed; nil where nobody knows how much it would have been.
        case limitExceeded(which: String, value: Int?, limit: Int)
        case transformFailed
        case encodeFailed
        /// The time for this picture was used up.
        case timeout
        /// Nobody waits for it any more.
        case cancelled
    }
    /// How far the picture had come.
    package enum Phase: String, Sendable, Hashable { case decode, transform, encode }

    package let reason: Reason
    package let phase: Phase
    package let message: String

    package init(_ reason: Reason, _ phase: Phase, _ message: String) {
        self.reason = reason
        self.phase = phase
        self.message = message
    }

    package static func limit(_ which: String, _ value: Int, _ limit: Int, _ phase: Phase = .decode) -> PictureFailure {
        PictureFailure(.limitExceeded(which: which, value: value, limit: limit), phase, "\(which) \(value) is over the limit of \(limit)")
    }

    /// - Parameter limit: of a pixel process, in bytes.
    package static func memory(_ limit: Int, _ phase: Phase) -> PictureFailure {
        PictureFailure(
            .limitExceeded(which: "memory", value: nil, limit: limit), phase, "it takes more memory than the \(limit) bytes that one picture may have")
    }

    /// Whether a decoder or an encoder says in its own words that there was no memory for it.
    package var speaksOfMemory: Bool {
        let text = message.lowercased()
        return ["out of memory", "insufficient memory", "memory error", "memory allocation", "cannot allocate", "failed to allocate", "unable to allocate"]
            .contains { text.contains($0) }
    }

    package var description: String { "\(phase.rawValue): \(message)" }
}
