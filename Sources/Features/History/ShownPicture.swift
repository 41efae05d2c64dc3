import Coordinator
import TintypeCore
import TintypeQueue
import TintypeTransport

/// A result as `pictures.list` shows it. Its URL has no parts that may be secret.
enum ShownPicture {
    /// Returns the pictures of a success: one for each rendition that is stored here. Results may be saved in another place.
    /// - Parameter event: An event as the public channel of its queue shows it.
    static func all(of event: JSON) -> [JSON] {
        guard let result = event["result"], let source = result["source"] else { return [] }
        return (result["renditions"]?.array ?? []).filter { $0["key"]?.string != nil }.map { json(event, result, source, $0) }
    }

    private static func json(_ event: JSON, _ result: JSON, _ source: JSON, _ rendition: JSON) -> JSON {
        let url = source["url"]?.string ?? ""
        var picture: JSONObject = [
            "receipt": event["receipt"] ?? .null, "queue": event["queue"] ?? .null, "url": .string("\(RedactedURL(url))"), "host": .string(host(of: url)),
            "finishedAt": event["at"] ?? .null, "from": result["from"] ?? .null, "sourceBytes": source["bytes"] ?? .null,
        ]
        add(rendition, result["description"], to: &picture)
        picture["timings"] = result["metrics"]
        return .object(picture)
    }

    /// Returns a result of the index. Nobody knows its receipts any more.
    static func json(_ result: IndexedResult) -> JSON {
        let url = result.source["url"]?.string ?? ""
        var picture: JSONObject = [
            "queue": .string(result.queue), "url": .string("\(RedactedURL(url))"), "host": .string(host(of: url)),
            "finishedAt": result.rendition["storedAt"] ?? .null, "sourceBytes": result.source["bytes"] ?? .null,
        ]
        add(result.rendition, result.description, to: &picture)
        picture["key"] = .string(result.key)
        return .object(picture)
    }

    private static func add(_ rendition: JSON, _ description: JSON?, to picture: inout JSONObject) {
        for name in ["key", "format", "width", "height", "bytes"] { picture[name] = rendition[name] ?? .null }
        for name in ["blurhash", "thumbhash"] { if let hash = description?[name] { picture[name] = hash } }
        picture["color"] = description?["averageColor"] ?? description?["dominantColor"]
    }

    private static func host(of url: String) -> String { (try? WebAddress(url))?.host ?? "" }
}
