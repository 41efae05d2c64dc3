package import TintypeCore

extension ImageResult {
    /// A finished rendition: a RenditionInfo with its name. The value is the JSON itself, as in `ImageResult`.
    package struct Rendition: Sendable, Hashable, ExpressibleByDictionaryLiteral {
        package var object: JSONObject

        package init(_ object: JSONObject) { self.object = object }

        /// Reads a rendition; JSON that is no object gives a rendition without members.
        package init(json: JSON) { self.init(json.object ?? JSONObject()) }

        package init(dictionaryLiteral elements: (String, JSON)...) { self.init(JSONObject(elements)) }

        package var json: JSON { .object(object) }

        package var name: String? { object["name"]?.string }
        /// The name of the format, perhaps unknown to this build.
        package var format: String? { object["format"]?.string }
        package var width: Int? { object["width"]?.int }
        package var height: Int? { object["height"]?.int }
        package var frames: Int? { object["frames"]?.int }
        package var quality: Int? { object["quality"]?.int }
        /// The hash of the bytes, in hexadecimal.
        package var sha256: String? { object["sha256"]?.string }
        /// The path that serves the result.
        package var url: String? { object["url"]?.string }
        /// The end of the fresh time, in epoch seconds.
        package var expiresAt: Double? { object["expiresAt"]?.double }
        /// The time at which the contents came from their origins, in epoch seconds.
        package var storedAt: Double? { object["storedAt"]?.double }
        /// The `cache.version` of the request; nil: 0.
        package var version: Int? { object["version"]?.int }
        /// The limits for caches between the service and its clients.
        package var limits: CacheLimits { CacheLimits(object) }
        /// The kind of document that a worker has checked the bytes as; nil without a check.
        package var document: DocumentKind? {
            object["validated"]?.bool == true ? .json : object["validated"]?.string.flatMap { DocumentKind(rawValue: $0) }
        }
        /// Whether operations were applied.
        package var isApplied: Bool { object["applied"]?.bool == true }
        /// Whether no tier keeps the result (a spill).
        package var isHeld: Bool { object["stored"]?.array?.isEmpty == true }

        /// The metadata from the request.
        package var metadata: ResultMetadata? {
            get { ResultMetadata(kept: object["metadata"]) }
            set { object["metadata"] = newValue?.json }
        }

        package var key: String? {
            get { object["key"]?.string }
            set { object["key"] = newValue.map { .string($0) } }
        }

        package var contentType: String? {
            get { object["contentType"]?.string }
            set { object["contentType"] = newValue.map { .string($0) } }
        }

        /// The number of bytes; nil for a number that no picture has.
        package var bytes: Int? {
            get { object["bytes"]?.int.flatMap { (0...Int(WireNumber.most)).contains($0) ? $0 : nil } }
            set { object["bytes"] = newValue.map { JSON($0) } }
        }

        /// The tiers that keep the result.
        package var stored: JSON? {
            get { object["stored"] }
            set { object["stored"] = newValue }
        }

        /// The bytes in base64 as a JSON string, if they come with the result.
        package var data: JSON? {
            get { object["data"] }
            set { object["data"] = newValue }
        }
    }
}

extension StoredImage {
    /// The rendition in `info`, if the image is a result.
    package var rendition: ImageResult.Rendition { ImageResult.Rendition(json: info) }
}
