import TintypeCore

/// How rules describe changes to responses.
extension TransferRevision {
    private static let maxHeaders = 64

    static let parameters: [ParameterDescription] = [
        ParameterDescription(
            "status", .map(of: .union([.integer(200...299), .integer(400...599)]), most: 32),
            "Statuses to replace, by the received status or a range: {\"404\": 200, \"500-599\": 404}. The first match counts; redirects and 304 stay."
        ),
        ParameterDescription(
            "type", .pattern(expectation: "a content type such as image/jpeg") { isType($0) }, "The new Content-Type, in any case."),
        ParameterDescription(
            "headers", .map(of: .union([FetchOptions.token, .null]), most: maxHeaders),
            "Response headers to set; null removes one. Cache-Control, Expires and Vary then decide how long the source is fresh."),
        ParameterDescription(
            "length",
            .object([
                ParameterDescription("min", .integer(0...(1 << 40)), default: 0, "The fewest bytes."),
                ParameterDescription("max", .integer(1...(1 << 40)), "The most bytes. Default: the limit of the request."),
                ParameterDescription(
                    "status", .integer(400...599), default: 502, "The status for a body of another length: 404 is not retried, 502 is."),
            ]), "The accepted length of the body, unpacked."),
    ]

    private static func isType(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 256 && parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Reads validated JSON; nil for nothing.
    /// - Throws: `invalidParams` for invalid statuses and names.
    init?(_ json: JSON?, at path: String) throws(TintypeError) {
        guard let json, !json.isNull else { return nil }
        var statuses: [Status] = []
        for (came, taken) in json["status"]?.object?.members ?? [] where !taken.isNull {
            guard let range = Acceptance.range(came), !range.overlaps(300...399), range.lowerBound >= 200 else {
                throw .invalidParams(
                    path: path + ".status", value: .string(came),
                    expected: "statuses or ranges such as \"404\" or \"500-599\", none below 200 and no redirects")
            }
            statuses.append(Status(came: range, taken: taken.int ?? 0))
        }
        var headers: [Header] = []
        for (name, value) in json["headers"]?.object?.members ?? [] {
            let plain = name.lowercased()
            guard RequestHeader.isName(name), plain != "content-type", !headers.contains(where: { $0.name == plain }) else {
                throw .invalidParams(
                    path: path + ".headers", shown: RequestHeader.shown(name), expected: "names of headers, each once, and type for Content-Type")
            }
            headers.append(Header(name: plain, value: value.string))
        }
        if let type = json["type"]?.string { headers.append(Header(name: "content-type", value: type)) }
        var length: Length?
        if let said = json["length"]?.object, !said.isEmpty {
            length = Length(least: Int64(said["min"]?.int ?? 0), most: said["max"]?.int.map { Int64($0) }, status: said["status"]?.int ?? 502)
            if let length, let most = length.most, most < length.least {
                throw .invalidParams(path: path + ".length.max", value: .int(most), expected: "at least min, \(length.least)")
            }
        }
        self.init(statuses: statuses, headers: headers, length: length)
    }

    /// The form that `init` reads.
    var json: JSON {
        var object = JSONObject()
        if !statuses.isEmpty {
            object["status"] = .object(JSONObject(statuses.map { ("\($0.came.lowerBound)-\($0.came.upperBound)", JSON($0.taken)) }))
        }
        let others = headers.filter { $0.name != "content-type" }
        if !others.isEmpty { object["headers"] = .object(JSONObject(others.map { ($0.name, $0.value.map { .string($0) } ?? .null) })) }
        object["type"] = headers.first { $0.name == "content-type" }?.value.map { .string($0) }
        if let length {
            var said: JSONObject = ["min": .int(length.least), "status": JSON(length.status)]
            said["max"] = length.most.map { .int($0) }
            object["length"] = .object(said)
        }
        return .object(object)
    }
}
