package import TintypeCore
package import TintypeImages

extension PictureFailure {
    /// The failure as an error of the protocol. This is the one place where a failed picture gets its error code.
    package var tintypeError: TintypeError {
        let phase = TintypeCore.Phase(rawValue: phase.rawValue) ?? .decode
        switch reason {
        case .badImageData: return TintypeError(.badImageData, phase, message)
        case .unsupportedFormat: return TintypeError(.unsupportedFormat, phase, message)
        case .limitExceeded(let which, let value, let limit):
            var details: JSONObject = ["limit": .string(which), "allowed": JSON(limit)]
            details["value"] = value.map { JSON($0) }
            return TintypeError(.limitExceeded, phase, message, details: details)
        case .transformFailed: return TintypeError(.transformFailed, phase, message)
        case .encodeFailed: return TintypeError(.encodeFailed, phase, message)
        // The same picture would take as long again, so another attempt is useless.
        case .timeout: return TintypeError(.timeout, phase, message, retryable: false, details: ["which": .string(phase.rawValue)])
        case .cancelled: return TintypeError(.cancelled, phase, message, details: ["phase": .string(phase.rawValue)])
        }
    }
}

extension HeaderGuard {
    /// The same as `check` for callers outside, with an error of the protocol.
    package func format(of bytes: [UInt8]) throws(TintypeError) -> ImageFormat {
        do throws(PictureFailure) { return try check(bytes) } catch { throw error.tintypeError }
    }
}
