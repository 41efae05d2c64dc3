import TintypeCore

/// A parsed request head.
struct OriginRequest {
    let target: String
    let method: String
    let lines: [String]
    let body: [UInt8]
    let script: Script

    init(target: String, method: String, lines: [String], body: [UInt8]) {
        self.target = target
        self.method = method
        self.lines = lines
        self.body = body
        // A proxy gets whole URLs (RFC 9112, section 3.2.2): of all hosts, so that a service may have many.
        let path = target.hasPrefix("http://") ? target.dropFirst(7).drop { $0 != "/" } : target[...]
        let parts = path.split(separator: "?", maxSplits: 1)
        var query: [String: String] = [:]
        for pair in (parts.count == 2 ? parts[1] : "").split(separator: "&") {
            let words = pair.split(separator: "=", maxSplits: 1)
            query[String(words[0])] = words.count == 2 ? PercentText.decoded(words[1]) : ""
        }
        script = Script(path: PercentText.decoded(parts.first ?? "/"), query: query)
    }

    /// Returns the value of a header; the name is in lower case.
    func header(_ name: String) -> String? {
        for line in lines {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2, pair[0].lowercased() == name { return String(pair[1].drop { $0 == " " }) }
        }
        return nil
    }

    /// The whole request as JSON.
    var echo: [UInt8] {
        let headers = lines.compactMap { line -> (String, JSON)? in
            let pair = line.split(separator: ":", maxSplits: 1)
            return pair.count == 2 ? (pair[0].lowercased(), .string(String(pair[1].drop { $0 == " " }))) : nil
        }
        let all: JSON = [
            "method": .string(method), "target": .string(target), "headers": .object(JSONObject(headers)),
            "body": .string(String(decoding: body, as: UTF8.self)),
        ]
        return all.bytes()
    }
}
