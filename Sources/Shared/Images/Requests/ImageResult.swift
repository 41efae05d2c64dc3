package import TintypeCore

/// The result of a request (PROTOCOL §6), read and changed by the names of its members.
///
/// It is its JSON: members that have no name here stay, and all keep their order, so that what passes through is written as it came.
package struct ImageResult: Sendable, Hashable {
    package var object: JSONObject

    package init(_ object: JSONObject) { self.object = object }

    /// A result without members is made of what is no object.
    package init(json: JSON) { self.init(json.object ?? JSONObject()) }

    /// A result that nobody had to work for.
    /// - Parameter from: where it comes from.
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

    /// Where it comes from: an origin, a tier of the cache, or what stood in for it.
    package var from: String? {
        get { object["from"]?.string }
        set { object["from"] = newValue.map { .string($0) } }
    }

    package var attempts: Int? { object["attempts"]?.int }
    /// Seconds from the request to its end.
    package var total: Double? { object["metrics"]?["total"]?.double }
    /// Its SourceInfo; nil where it has none.
    package var source: JSON? { object["source"] }
    /// What was asked to be told of the source.
    package var description: JSON? { object["description"] }

    /// Why something stood in for it.
    package var error: JSON? {
        get { object["error"] }
        set { object["error"] = newValue }
    }

    /// The document of an `as: json`.
    package var document: JSON? {
        get { object["json"] }
        set { object["json"] = newValue }
    }

    package var renditions: [Rendition] {
        get { (object["renditions"]?.array ?? []).map { Rendition(json: $0) } }
        set { object["renditions"] = .array(newValue.map(\.json)) }
    }

    /// This result with the bytes of its renditions in base64, in their order.
    package func carrying(_ data: [String]) -> ImageResult {
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
