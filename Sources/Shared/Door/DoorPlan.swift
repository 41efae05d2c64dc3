package import TintypeCore
package import TintypeImages

/// The meaning of one picture URL: the request for the service, and the terms of the answer. A pure value.
package struct DoorPlan: Sendable, Hashable {
    /// The parameters of `image.load`.
    package let request: JSONObject
    /// The name in `Content-Disposition`; nil: as the source says.
    package let filename: String?
    package let isAttachment: Bool
    /// The second since 1970 from which on the URL is refused; nil: never.
    package let expires: Int?
    /// The headers of a client that can change the picture, so that caches must tell clients apart by them (`Vary`).
    package let varies: [String]

    /// Returns the request as the service reads it, with the rules of the operator.
    /// - Throws: `invalidURL` and `denied` for the addresses of source, watermark and fallback.
    package func imageRequest(rules: Rules = .none) throws(TintypeError) -> ImageRequest { try ImageRequest(.object(request), rules: rules) }
}
