package import TintypeCore
package import TintypeImages

/// The meaning of one picture URL: the request for the service, and the terms of the answer. A pure value.
package struct DoorPlan: Sendable, Hashable {
    /// The parameters of `image.load`.
    package let request: JSONObject
    /// The same picture, to be shown until the better one of `request` is there; nil: `request` is shown first.
    package let quick: Quick?
    /// The name in `Content-Disposition`; nil: as the source says.
    package let filename: String?
    package let isAttachment: Bool
    /// The second since 1970 from which on the URL is refused; nil: never.
    package let expires: Int?
    /// The tags of the picture, for caches in front (`Cache-Tag`).
    package let tags: [String]
    /// Whether the URL has a signature. Without one its maker is a stranger.
    package let isSigned: Bool
    /// The headers of a client that can change the picture, so that caches must tell clients apart by them (`Vary`).
    package let varies: [String]

    /// A picture that is made quickly.
    package struct Quick: Sendable, Hashable {
        /// The parameters of `image.load`.
        package let request: JSONObject
        /// The format of the better picture.
        package let next: ImageFormat
    }

    /// Whether the date of the source tells the picture from any other. A quick picture and the better one share that date.
    package var isDated: Bool { quick == nil }

    /// The number by which the priority of a better picture is below that of its request.
    private static let stepBehind = 5

    /// Returns the priority of a better picture, from that of its request.
    package static func priority(behind priority: Int) -> Int { max(priority - stepBehind, -10) }

    /// Returns a request as work that goes on without its client. It has no fallback, because nobody would see that one.
    package static func unattended(_ request: JSONObject, priority: Int) -> JSONObject {
        var request = request
        (request["detached"], request["priority"], request["fallback"]) = (true, JSON(priority), nil)
        return request
    }

    /// Returns the request as the service reads it, with the rules of the operator.
    /// - Throws: `invalidURL` and `denied` for the addresses of source, watermark and fallback.
    package func imageRequest(rules: Rules = .none) throws(TintypeError) -> ImageRequest { try ImageRequest(.object(request), rules: rules) }
}
