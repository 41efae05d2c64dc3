package import TintypeCore

/// The responses that a rendition accepts: a matter of each receipt, even in a shared download. A pure value.
package struct Acceptance: Sendable, Hashable {
    package var status: [ClosedRange<Int>] = [200...299]
    /// nil: any type.
    package var types: [MediaRange]?
    package var maxBytes = 64 << 20
    /// The required shape of the JSON body.
    package var shape: JSONShape?

    package init() {}

    /// Reads validated JSON: the members of `fetch`, or the JSON from `canonical`.
    /// - Throws: `invalidParams` for an invalid shape.
    init(_ json: JSON?, at path: String) throws(TintypeError) {
        maxBytes = json?["maxBytes"]?.int ?? maxBytes
        if let texts = json?["acceptableStatus"]?.array { status = texts.compactMap { $0.string.flatMap { Self.range($0) } } }
        if let texts = json?["acceptableTypes"]?.array { types = texts.compactMap { $0.string.flatMap { MediaRange($0) } } }
        if let shape = json?["jsonShape"], !shape.isNull { self.shape = try JSONShape(shape, at: path + ".jsonShape") }
    }

    static func range(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard let low = ends.first ?? nil, let high = ends.last ?? nil, ends.count <= 2, (100...599).contains(low), (low...599).contains(high) else {
            return nil
        }
        return low...high
    }

    /// The differences from the defaults, for the rendition's key and the worker.
    var canonical: JSONObject {
        let plain = Acceptance()
        var object = JSONObject()
        if status != plain.status { object["acceptableStatus"] = .array(status.map { .string("\($0.lowerBound)-\($0.upperBound)") }) }
        if let types { object["acceptableTypes"] = .array(types.map { .string($0.description) }) }
        if maxBytes != plain.maxBytes { object["maxBytes"] = JSON(maxBytes) }
        object["jsonShape"] = shape?.json
        return object
    }

    /// Returns the acceptance of a shared download, wide enough that each receipt can judge the response. Shapes are left to each receipt.
    package static func maxGenerous(_ all: [Acceptance]) -> Acceptance {
        guard var most = all.first else { return Acceptance() }
        for one in all.dropFirst() {
            most.status += one.status.filter { !most.status.contains($0) }
            most.types = one.types.flatMap { others in most.types.map { $0 + others } }
            most.maxBytes = max(most.maxBytes, one.maxBytes)
        }
        most.shape = nil
        return most
    }

    package func takes(status code: Int) -> Bool { status.contains { $0.contains(code) } }

    /// Whether a type is accepted. A response without a type is.
    package func takes(type: String?) -> Bool {
        guard let types, let type, !type.isEmpty else { return true }
        return types.contains { $0.contains(type) }
    }
}
