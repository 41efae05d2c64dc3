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
