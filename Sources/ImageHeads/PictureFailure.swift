/// The reason why a picture could not be opened, changed or written. This is the one error of the header guard and of pixel processes.
package struct PictureFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// The bytes are not recognized, or the picture breaks during decoding.
        case badImageData
        /// The format is recognized, but there is no decoder or encoder for it here, or it is not enabled.
        case unsupportedFormat
        /// A named limit of `ImageLimits` or another, with the found value and the allowed one; nil if the value is unknown.
        case limitExceeded(which: String, value: Int?, limit: Int)
        case transformFailed
        case encodeFailed
        /// The time for this picture was used up.
        case timeout
        /// The job was canceled.
        case cancelled
    }
    /// The phase that the picture had reached.
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

    /// - Parameter limit: the memory limit of a pixel process, in bytes.
    package static func memory(_ limit: Int, _ phase: Phase) -> PictureFailure {
        PictureFailure(
            .limitExceeded(which: "memory", value: nil, limit: limit), phase, "the picture takes more memory than the \(limit) bytes that one picture may have")
    }

    /// Whether the text of a decoder or encoder says that memory was missing.
    package var speaksOfMemory: Bool {
        let text = message.lowercased()
        return ["out of memory", "insufficient memory", "memory error", "memory allocation", "cannot allocate", "failed to allocate", "unable to allocate"]
            .contains { text.contains($0) }
    }

    package var description: String { "\(phase.rawValue): \(message)" }
}
