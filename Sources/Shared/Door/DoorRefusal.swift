package import TintypeCore

/// The refusal of a picture URL: the reason, the option or the place that caused it, and what to do. A pure value.
package struct DoorRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: String, Sendable, CaseIterable, Hashable {
        /// The target is longer than the limit.
        case tooLong
        /// The target has a byte that a URL cannot have.
        case badByte
        /// A part between two slashes is empty, or is a dot segment.
        case badPart
        /// There is no signature, or no source.
        case missingPart
        /// No pair of key and salt made the signature, or the URL has none and needs one.
        case signature
        /// The source is encrypted (`enc/`).
        case encrypted
        /// The source cannot be decoded, or is no text.
        case badSource
        case unknownOption
        case wrongArgument
        case tooManyArguments
        /// There are more options than a URL may have.
        case tooManyOptions
        case unknownPreset
        /// The option, or this use of it, has no operation here.
        case notSupported
        /// The operator does not allow the option.
        case notAllowed
        /// The URL was good until a time that is over.
        case expired
    }

    package let reason: Reason
    /// The whole name of the option.
    package let option: String?
    /// The byte of the target at which the trouble begins, from 0; nil if there is no such place.
    package let position: Int?
    /// A sentence for people: the trouble, and what to do. Never holds a signature.
    package let message: String

    package init(_ reason: Reason, option: String? = nil, at position: Int? = nil, _ message: String) {
        (self.reason, self.option, self.position, self.message) = (reason, option, position, message)
    }

    package var description: String {
        let place = position.map { " (byte \($0))" } ?? ""
        return "\(reason.rawValue)\(option.map { " of \($0)" } ?? ""): \(message)\(place)"
    }

    /// The error for clients of the protocol.
    package var error: TintypeError {
        var details: JSONObject = ["reason": .string(reason.rawValue)]
        details["option"] = option.map { .string($0) }
        details["position"] = position.map { JSON($0) }
        let name: ErrorName =
            switch reason {
            case .signature, .notAllowed, .expired: .forbidden
            case .tooLong, .badByte, .badPart, .missingPart, .badSource, .encrypted: .invalidURL
            case .notSupported, .unknownOption, .wrongArgument, .tooManyArguments, .tooManyOptions, .unknownPreset: .invalidParams
            }
        return TintypeError(name, .admission, message, details: details)
    }

    /// Returns the same refusal with a position, unless it has one.
    func at(_ position: Int) -> DoorRefusal {
        self.position == nil ? DoorRefusal(reason, option: option, at: position, message) : self
    }

    /// A text of a stranger as messages show it: at most 40 characters.
    static func shown(_ text: some StringProtocol) -> String {
        let short = text.prefix(40)
        return "\"\(short)\(short.endIndex == text.endIndex ? "" : "…")\""
    }
}
