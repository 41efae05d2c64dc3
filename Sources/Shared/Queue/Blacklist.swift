package import TintypeCore

/// The failures that put a source on the blacklist, and for how long. Pure.
///
/// Only a failure that repeats soon is blacklisted: a broken picture, a missing file. Never blacklisted are:
/// - failures that may be over in a moment: timeouts, names, connections, handshakes, 408, 429, 5xx;
/// - failures that depend on the client: 401, 403;
/// - failures that are the fault of the request and not of the source.
package struct BlacklistRules: Sendable, Hashable {
    /// Seconds for data that is no picture, redirect loops and invalid certificates.
    package var broken = 900.0
    /// Seconds for 404 and 410.
    package var missing = 60.0

    package init(broken: Double = 900, missing: Double = 60) { (self.broken, self.missing) = (broken, missing) }

    /// Returns the seconds for which the error blacklists its source; nil if the error does not.
    package func seconds(for error: TintypeError) -> Double? {
        // An unknown format in the encoder is the fault of the request.
        let isBroken =
            [.badImageData, .unsupportedFormat].contains(error.name) && error.phase == .decode || error.name == .tooManyRedirects
            || error.name == .tls && error.details["which"] == "certificate"
        let isMissing = error.name == .httpStatus && [404, 410].contains(error.details["status"]?.int)
        let seconds = isBroken ? broken : isMissing ? missing : 0
        return seconds >= 0.001 && !error.isRetryable ? seconds : nil
    }

    /// Returns the blacklist entry for a source that failed; nil if the error does not blacklist it.
    /// - Parameter url: of the source.
    package func listing(of error: TintypeError, url: String) -> BlacklistListing? {
        guard let seconds = seconds(for: error) else { return nil }
        var details: JSONObject = ["cause": .string(error.name.rawValue), "since": 0, "until": 0, "url": .string(RedactedURL(url).description)]
        details["status"] = error.details["status"]
        let refusal = TintypeError(
            .blacklisted, .admission,
            "the source failed before and is not asked again yet: \(error.message); to ask it all the same, send blacklist \"retry\"", details: details)
        let spoilsPicturesOnly = [.badImageData, .unsupportedFormat].contains(error.name)
        return BlacklistListing(seconds: seconds, text: "\(spoilsPicturesOnly ? "pictures" : "all") \(refusal.json.text)")
    }
}

/// An entry on its way into the blacklist.
package struct BlacklistListing: Sendable, Hashable {
    /// How long it stays.
    let seconds: Double
    /// `pictures` or `all`, what it refuses, and the error that refused requests get; the scripts write its times.
    let text: String
}

/// How a receipt uses the blacklist of failed sources.
package enum BlacklistUse: Sendable, Hashable {
    /// The receipt is refused while its source is blacklisted, and its failure may blacklist the source.
    /// - Parameter decodes: false if the receipt can use bytes that are no whole picture. An entry about pictures only does not refuse it then.
    case on(decodes: Bool)
    /// The receipt neither reads the blacklist nor adds to it.
    case off
    /// The receipt does not read the blacklist. Its success removes the source from the blacklist, its failure adds the source.
    case retry

    /// The word for the scripts; nil for the default.
    var word: String? {
        switch self {
        case .on(let decodes): decodes ? nil : "bytes"
        case .off: "off"
        case .retry: "clear"
        }
    }
}
