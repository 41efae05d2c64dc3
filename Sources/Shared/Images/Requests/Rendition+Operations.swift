package import TintypeCore

extension Rendition {
    /// The most bytes of `shownOperations` with their values.
    package static let mostShownBytes = 2048

    /// The operations in their canonical form, for operators: URLs have no parts that may be secret. With more bytes than that, only their names.
    package var shownOperations: JSON {
        let shown = JSON.array(steps.map { .object(Self.shown($0.object ?? [:])) })
        guard shown.text.utf8.count > Self.mostShownBytes else { return shown }
        return .array(steps.map { ["op": $0["op"] ?? .null] })
    }

    /// The members of operations that name other pictures (`Layer`).
    private static let addresses: Set<String> = ["url", "urls", "mask"]

    private static func shown(_ step: JSONObject) -> JSONObject {
        JSONObject(step.members.map { name, value in (name, addresses.contains(name) ? shown(address: value) : value) })
    }

    /// Returns the URL of a layer, which may have options such as headers beside it.
    private static func shown(address: JSON) -> JSON {
        if let addresses = address.array { return .array(addresses.map { shown(address: $0) }) }
        return .string((address.string ?? address["url"]?.string).map { RedactedURL($0).description } ?? "***")
    }
}
