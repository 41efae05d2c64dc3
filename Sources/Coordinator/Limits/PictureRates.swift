package import TintypeCore
package import TintypeSettings
package import TintypeTransport

/// The rates of all addresses at the ports that show pictures to strangers: the picture door, and HTTP without tokens. Both ports count together.
///
/// The counts belong to this coordinator alone, so no request asks Redis about them.
@Loop
package final class PictureRates {
    /// Seconds of a clock that never goes back.
    package var clock: @Loop () -> Double = { Seconds.monotonic }
    private var rates: AddressRates
    private let metrics: Metrics
    private let logger: Logger
    private var logThrottle = LogThrottle()

    package init(_ rate: PictureRate, metrics: Metrics, logger: Logger) { (rates, self.metrics, self.logger) = (AddressRates(rate), metrics, logger) }

    /// Counts a request, or a picture that has to be made.
    /// - Throws: `overloaded` if the address asks for too many.
    package func take(_ kind: PictureRate.Kind, by peer: ConnectionPeer) throws(TintypeError) {
        guard let network = peer.network, let wait = rates.take(kind, by: network, at: clock()) else { return }
        metrics.add(.picturesLimited, labels: kind.rawValue)
        if logThrottle.shouldLog(kind.rawValue) {
            logger.notice("an address is refused: it asks for more than --images-rate", ["peer": network, "limit": kind.rawValue])
        }
        // bounded: by the burst and the rate, which are settings.
        let (seconds, allowed) = (max(1, Int(wait.rounded(.up))), rates.rate[kind])
        let what = kind == .requests ? "requests" : "pictures that have to be made"
        throw TintypeError(
            .overloaded, .admission, "your address asks for more than \(allowed) \(what) a second: try again in \(seconds) s",
            details: ["limit": "imagesRate", "allowed": JSON(allowed), "retryAfter": JSON(seconds)])
    }

    /// Takes back a picture that was there after all.
    package func giveBackPicture(to peer: ConnectionPeer) {
        if let network = peer.network { rates.giveBack(.pictures, to: network) }
    }
}
