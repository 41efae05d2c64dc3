package import TintypeCore

extension ImageResult {
    /// A finished rendition: RenditionInfo as others have written it, with its name in a result. It is its JSON, as `ImageResult` is.
    package struct Rendition: Sendable, Hashable, ExpressibleByDictionaryLiteral {
        package var object: JSONObject

        package init(_ object: JSONObject) { self.object = object }

        /// A rendition without members is made of what is no object.
        package init(json: JSON) { self.init(json.object ?? JSONObject()) }

        package init(dictionaryLiteral elements: (String, JSON)...) { self.init(JSONObject(elements)) }

        package var json: JSON { .object(object) }

        package var name: String? { object["name"]?.string }
        /// The name of its format, which may be one that is not known here.
        package var format: String? { object["format"]?.string }
        package var width: Int? { object["width"]?.int }
        package var height: Int? { object["height"]?.int }
        package var frames: Int? { object["frames"]?.int }
        package var quality: Int? { object["quality"]?.int }
        /// Of its bytes, in hexadecimal.
        package var sha256: String? { object["sha256"]?.string }
        /// The path it is served at.
        package var url: String? { object["url"]?.string }
        /// Until when it is fresh, in epoch seconds.
        package var expiresAt: Double? { object["expiresAt"]?.double }
        /// When what is in it came from its origins, in epoch seconds.
        package var storedAt: Double? { object["storedAt"]?.double }
        /// `cache.version` of its request; nil: 0.
        package var version: Int? { object["version"]?.int }
        /// Whether it is not for everybody.
        package var isPrivate: Bool { object["private"]?.bool == true }
        /// Whether a worker has seen that its bytes are JSON.
        package var isJSON: Bool { object["validated"]?.bool == true }
        /// Whether operations were applied.
        package var isApplied: Bool { object["applied"]?.bool == true }
        /// Whether it says that no tier keeps it.
        package var isHeld: Bool { object["stored"]?.array?.isEmpty == true }

        /// Words of the client that it was made for.
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

        /// How many they are.
        package var bytes: Int? {
            get { object["bytes"]?.int }
            set { object["bytes"] = newValue.map { JSON($0) } }
        }

        /// The tiers that keep it.
        package var stored: JSON? {
            get { object["stored"] }
            set { object["stored"] = newValue }
        }

        /// Its bytes in base64, where they come with it.
        package var data: String? {
            get { object["data"]?.string }
            set { object["data"] = newValue.map { .string($0) } }
        }
    }
}

extension StoredImage {
    /// What its `info` says of it, where it is a result.
    package var rendition: ImageResult.Rendition { ImageResult.Rendition(json: info) }
}
