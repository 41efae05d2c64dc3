package import TintypeCore

/// Which failures put a source on the blacklist, and for how long. Pure.
///
/// Only what will be the same again soon is listed: a broken picture, a missing file. Never what may be over in a moment (timeouts, names,
/// connections, handshakes, 408, 429, 5xx), what depends on who asks (401, 403), and what is the fault of a request and not of the source.
package struct BlacklistRules: Sendable, Hashable {
    /// Seconds for what cannot be read as a picture, redirect loops and certificates that do not hold.
    package var broken = 900.0
    /// Seconds for 404 and 410.
    package var missing = 60.0

    package init(broken: Double = 900, missing: Double = 60) { (self.broken, self.missing) = (broken, missing) }

    /// - Returns: seconds; nil for what is not listed.
    package func seconds(for error: TintypeError) -> Double? {
        let seconds: Double
        switch error.name {
        // The encoder's unknown format is the request's.
        case .badImageData, .unsupportedFormat: seconds = error.phase == .decode ? broken : 0
        case .tooManyRedirects: seconds = broken
        case .tls: seconds = error.details["which"] == "certificate" ? broken : 0
        case .httpStatus: seconds = [404, 410].contains(error.details["status"]?.int) ? missing : 0
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .invalidURL, .denied, .blacklisted,
            .contentType, .jsonInvalid, .dns, .connect, .timeout, .connectionLost, .authFailed, .limitExceeded, .transformFailed,
            .encodeFailed, .decryptFailed, .storeFailed, .cacheMiss, .cancelled, .superseded, .deadlineExceeded, .workerLost,
            .overloaded, .unauthenticated, .forbidden, .shuttingDown, .unavailable, .unknownReceipt, .unknownGroup, .unknownQueue:
            seconds = 0
        }
        return seconds >= 0.001 && !error.isRetryable ? seconds : nil
    }

    /// What the failure of a source writes into the blacklist; nil if nothing.
    /// - Parameter url: of the source.
    package func listing(of error: TintypeError, url: String) -> BlacklistListing? {
        guard let seconds = seconds(for: error) else { return nil }
        var details: JSONObject = ["cause": .string(error.name.rawValue), "since": 0, "until": 0, "url": .string(RedactedURL(url).description)]
        details["status"] = error.details["status"]
        let refusal = TintypeError(
            .blacklisted, .admission,
            "the source failed before and is not asked again yet: \(error.message); blacklist \"retry\" asks all the same", details: details)
        let spoilsPicturesOnly = [.badImageData, .unsupportedFormat].contains(error.name)
        return BlacklistListing(seconds: seconds, text: "\(spoilsPicturesOnly ? "d" : "n") \(refusal.json.text)")
    }
}

/// An entry on its way into the blacklist.
package struct BlacklistListing: Sendable, Hashable {
    /// How long it stays.
    let seconds: Double
    /// `d` or `n`, and the error that refused requests get; the scripts write its times.
    let text: String
}
