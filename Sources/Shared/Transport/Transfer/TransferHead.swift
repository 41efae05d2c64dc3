import TintypeCore

/// Status and headers of the response that a transfer delivers. A pure value.
package struct TransferHead: Sendable {
    package let status: Int
    /// Names are in lower case and in their original order. At most 64 KiB and 256 headers.
    package let headers: [(name: String, value: String)]
    /// The URL of the response after redirects, without user and password.
    package let url: String
    /// The host that has answered, in the form of the queues; nil if no server has answered.
    package let host: String?
    /// The length of the body that the server declared; nil if it declared none, or a compressed length.
    package let expectedBytes: Int64?
    /// The redirects on the way, in order.
    package var hops: [TransferHop] = []
    /// The number of bytes that were already there, if the server continues them. Status and headers are those of the whole.
    package var resumedFrom: Int64?

    package init(
        status: Int, headers: [(name: String, value: String)], url: String, host: String? = nil, expectedBytes: Int64?, hops: [TransferHop] = [],
        resumedFrom: Int64? = nil
    ) {
        (self.status, self.headers, self.url, self.host, self.expectedBytes) = (status, headers, url, host, expectedBytes)
        (self.hops, self.resumedFrom) = (hops, resumedFrom)
    }

    /// Returns the value of the first header of that name (in lower case).
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Whether the body was sent in a content coding.
    package var isEncoded: Bool { ContentDecoder.encoding(headers) != nil }
}

/// A redirect that was followed. A pure value.
package struct TransferHop: Sendable {
    package let status: Int
    /// As the headers of a head.
    package let headers: [(name: String, value: String)]

    package init(status: Int, headers: [(name: String, value: String)] = []) { (self.status, self.headers) = (status, headers) }
}

/// The result of a transfer. A pure value.
package struct TransferSummary: Sendable {
    package let head: TransferHead
    /// The bytes of the body delivered, after decompression.
    package let receivedBytes: Int64
    /// Whether the body ended by itself; false if the receiver stopped it.
    package let isWhole: Bool
    package let timings: TransferTimings
    /// The address connected to; empty if curl did not report it.
    package let remoteAddress: String
    /// The number of followed redirects.
    package let redirects: Int
}

/// The parts of the time of a transfer in seconds, added up over redirects; 0 for steps that a kept connection made unnecessary.
package struct TransferTimings: Sendable, Hashable {
    package var dns = 0.0
    package var connect = 0.0
    package var tls = 0.0
    /// From the beginning to the first byte of the last response.
    package var firstByte = 0.0
    /// From the beginning to the end.
    package var total = 0.0

    package init() {}

    /// Adds one hop, with curl's counters in microseconds since the beginning of the hop.
    mutating func add(nameLookup: Int64, connected: Int64, tlsDone: Int64, firstByte first: Int64, total all: Int64) {
        firstByte = total + Double(first) / 1e6
        total += Double(all) / 1e6
        dns += Double(nameLookup) / 1e6
        connect += Double(max(connected - nameLookup, 0)) / 1e6
        tls += Double(max(tlsDone - connected, 0)) / 1e6
    }
}

extension TransferHead {
    /// The headers that clients may see. Headers with credentials are left out, a challenge is reduced to its scheme, and URLs lose the values of their
    /// queries. At most 64 headers, none longer than 1,024 bytes.
    package var shownHeaders: [(name: String, value: String)] {
        headers.lazy.compactMap { name, value in Self.shown(name, value).map { (name: name, value: $0) } }.prefix(64).map(\.self)
    }

    /// The maximum size of the headers in an error, names and values, in bytes.
    static let maxFailureBytes = 8 << 10

    /// The headers in an error: the shown ones without challenges, 8 KiB in all. All headers from the first that does not fit on are left out.
    var failureHeaders: [(name: String, value: String)] {
        var left = Self.maxFailureBytes
        return shownHeaders.filter { $0.name != "www-authenticate" && $0.name != "proxy-authenticate" }.prefix { header in
            left -= header.name.utf8.count + header.value.utf8.count
            return left >= 0
        }.map(\.self)
    }

    private static func shown(_ name: String, _ value: String) -> String? {
        switch name {
        case "www-authenticate", "proxy-authenticate": value.split(whereSeparator: { $0 == " " || $0 == "," }).first.map { String($0.prefix(64)) }
        case _ where SecretNames.holds(name): nil
        case "location", "content-location": RedactedURL(String(value.prefix(8192))).description
        default: String(RedactedText(String(value.prefix(1024))).description.prefix(1024))
        }
    }
}

extension TransferRevision {
    /// Returns the head with the changes.
    func revised(_ head: TransferHead) -> TransferHead {
        let names = Set(headers.map(\.name))
        let kept = names.isEmpty ? head.headers : head.headers.filter { !names.contains($0.name) }
        return head.taken(
            for: statuses.first { $0.came.contains(head.status) }?.taken ?? head.status,
            headers: kept + headers.compactMap { header in header.value.map { (header.name, $0) } })
    }
}

extension TransferHead {
    /// Returns the head with another status, and other headers.
    func taken(for status: Int, headers: [(name: String, value: String)]? = nil) -> TransferHead {
        TransferHead(status: status, headers: headers ?? self.headers, url: url, host: host, expectedBytes: expectedBytes, hops: hops, resumedFrom: resumedFrom)
    }
}
