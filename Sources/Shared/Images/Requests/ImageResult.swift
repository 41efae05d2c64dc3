package import TintypeCore

/// The result of a request, with access to its JSON members by name.
///
/// The value is the JSON itself: members without a name here stay, and all keep their order, so that a result passes through unchanged.
package struct ImageResult: Sendable, Hashable {
    package var object: JSONObject

    package init(_ object: JSONObject) { self.object = object }

    /// Reads a result; JSON that is no object gives a result without members.
    package init(json: JSON) { self.init(json.object ?? JSONObject()) }

    /// A result that needed no work.
    /// - Parameter from: the place of origin.
    package init(_ renditions: [Rendition], source: JSON, from: String) {
        object = [
            "receipt": .null, "from": .string(from), "state": "succeeded", "notModified": false, "source": source,
            "renditions": .array(renditions.map(\.json)), "description": [:], "attempts": 0, "worker": .null, "metrics": ResultTimes.none,
        ]
    }

    package var json: JSON { .object(object) }

    package var receipt: String? {
        get { object["receipt"]?.string }
        set { object["receipt"] = newValue.map { .string($0) } }
    }

    /// The place of origin: the remote origin, a tier of the cache, or a fallback.
    package var from: String? {
        get { object["from"]?.string }
        set { object["from"] = newValue.map { .string($0) } }
    }

    /// Whether its source was purged while it was made, so that nothing keeps it.
    package var isPurged: Bool { object["purged"]?.bool == true }

    package var attempts: Int? { object["attempts"]?.int }
    /// Seconds from the request to the end.
    package var total: Double? { object["metrics"]?["total"]?.double }
    /// The SourceInfo; nil without one.
    package var source: JSON? { object["source"] }
    /// The requested description of the source.
    package var description: JSON? { object["description"] }

    /// The reason for a fallback.
    package var error: JSON? {
        get { object["error"] }
        set { object["error"] = newValue }
    }

    /// The document of a request with `as: json`, `as: text` or `as: xml`.
    package subscript(_ kind: DocumentKind) -> JSON? {
        get { object[kind.member] }
        set { object[kind.member] = newValue }
    }

    package var renditions: [Rendition] {
        get { (object["renditions"]?.array ?? []).map { Rendition(json: $0) } }
        set { object["renditions"] = .array(newValue.map(\.json)) }
    }

    /// Returns this result with the bytes of its renditions in base64, in their order.
    package func carrying(_ data: [JSON]) -> ImageResult {
        guard object["renditions"]?.array != nil else { return self }
        var whole = self
        whole.renditions = zip(renditions, data).map { rendition, text in
            var rendition = rendition
            rendition.data = text
            return rendition
        }
        return whole
    }
}

extension ImageResult {
    /// A SourceInfo, read from JSON.
    package struct Source: Sendable, Hashable {
        private let json: JSON

        package init(json: JSON) { self.json = json }

        package var url: String? { json["url"]?.string }
        package var bytes: Int? { json["bytes"]?.int }
        /// The name of the format, perhaps unknown to this build.
        package var format: String? { json["format"]?.string }
        package var width: Int? { json["width"]?.int }
        package var height: Int? { json["height"]?.int }
        package var frames: Int? { json["frames"]?.int }
        package var hasAlpha: Bool? { json["hasAlpha"]?.bool }
        package var orientation: Int? { json["orientation"]?.int }
        package var sha256: String? { json["sha256"]?.string }
        /// The end of the fresh time, in epoch seconds.
        package var expiresAt: Double? { json["expiresAt"]?.double }
    }
}

extension SourceInfo {
    /// Takes the picture's properties that a decoder has found in the same bytes before.
    package mutating func takePicture(from source: ImageResult.Source) {
        format = source.format.flatMap { ImageFormat(rawValue: $0) }
        (width, height, frames) = (source.width, source.height, source.frames)
        (hasAlpha, orientation) = (source.hasAlpha, source.orientation)
    }
}

/// The `metrics` of an ImageResult: seconds by phase.
package enum ResultTimes {
    /// All members. `PhaseTimes` of the worker writes all but the first and the last, which the queue adds.
    package static let names = ["queued", "dns", "connect", "tls", "firstByte", "download", "decode", "transform", "encode", "store", "total"]

    /// The metrics of a result that existed already.
    package static let none = JSON.object(JSONObject(names.map { ($0, 0) }))
}

/// One finished rendition, with everything needed to serve it again. A value that may move between threads.
package struct StoredImage: Sendable, Hashable {
    /// The digest of the rendition: the key in `/images/{key}`.
    package var key: String
    /// The `Content-Type` of the bytes.
    package var contentType: String
    /// The RenditionInfo as JSON.
    package var info: JSON
    /// The SourceInfo as JSON.
    package var source: JSON
    /// The operations that made it, for operators (`Rendition.shownOperations`); nil: nobody knows.
    package var operations: JSON?
    package var bytes: [UInt8]
    /// The SHA-256 of the bytes in hexadecimal, if known; nil: the store computes the hash when it writes.
    package var sha256: String?
    /// Seconds since 1970.
    package var storedAt: Double
    /// Seconds since 1970; nil lets the store decide. A store never returns an image after this moment.
    package var expiresAt: Double?

    package init(
        key: String, contentType: String, info: JSON, source: JSON, operations: JSON? = nil, bytes: [UInt8], sha256: String? = nil, storedAt: Double,
        expiresAt: Double? = nil
    ) {
        (self.key, self.contentType, self.info, self.source, self.operations) = (key, contentType, info, source, operations)
        (self.bytes, self.sha256, self.storedAt, self.expiresAt) = (bytes, sha256, storedAt, expiresAt)
    }

    /// Whether the image is a spill: no tier of the cache has it, and its URL works for a minute.
    package var isHeld: Bool { rendition.isHeld }

    /// Whether it may still be used at `moment` (seconds since 1970).
    package func isFresh(at moment: Double) -> Bool {
        expiresAt.map { moment < $0 } ?? true
    }
}
