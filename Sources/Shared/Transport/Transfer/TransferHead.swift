/// Status and headers of the response a transfer delivers. A pure value.
package struct TransferHead: Sendable {
    package let status: Int
    /// Names in lower case, in the order they came; at most 64 KiB and 256 of them.
    package let headers: [(name: String, value: String)]
    /// Where it came from: after redirects, without user and password.
    package let url: String
    /// The host that has answered, as queues know it; nil for what no server has sent.
    package let host: String?
    /// The length of the body as the server declared it; nil when it did not, or declared a compressed length.
    package let expectedBytes: Int64?
    /// The redirects that led there, in their order.
    package var hops: [TransferHop] = []
    /// How many bytes were there already, where the server goes on with them. Status and headers are those of the whole.
    package var resumedFrom: Int64?

    package init(
        status: Int, headers: [(name: String, value: String)], url: String, host: String? = nil, expectedBytes: Int64?, hops: [TransferHop] = [],
        resumedFrom: Int64? = nil
    ) {
        (self.status, self.headers, self.url, self.host, self.expectedBytes) = (status, headers, url, host, expectedBytes)
        (self.hops, self.resumedFrom) = (hops, resumedFrom)
    }

    /// The value of the first header of that name (in lower case).
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// A redirect that was followed. A pure value.
package struct TransferHop: Sendable {
    package let status: Int
    /// As those of a head.
    package let headers: [(name: String, value: String)]

    package init(status: Int, headers: [(name: String, value: String)] = []) { (self.status, self.headers) = (status, headers) }
}

/// How a transfer went. A pure value.
package struct TransferSummary: Sendable {
    package let head: TransferHead
    /// Bytes of body delivered, after decompression.
    package let receivedBytes: Int64
    /// Whether the body ended by itself; false when the receiver had enough.
    package let isWhole: Bool
    package let timings: TransferTimings
    /// The address connected to; empty when curl did not say.
    package let remoteAddress: String
    /// How many redirects were followed.
    package let redirects: Int
}

/// Where the time of a transfer went, in seconds, redirects added up; 0 for what a kept connection made unnecessary.
package struct TransferTimings: Sendable, Hashable {
    package var dns = 0.0
    package var connect = 0.0
    package var tls = 0.0
    /// From the beginning to the first byte of the last response.
    package var firstByte = 0.0
    /// From the beginning to the end.
    package var total = 0.0

    package init() {}

    /// Adds one hop, given curl's counters of that hop in microseconds since its beginning.
    mutating func add(nameLookup: Int64, connected: Int64, tlsDone: Int64, firstByte first: Int64, total all: Int64) {
        firstByte = total + Double(first) / 1e6
        total += Double(all) / 1e6
        dns += Double(nameLookup) / 1e6
        connect += Double(max(connected - nameLookup, 0)) / 1e6
        tls += Double(max(tlsDone - connected, 0)) / 1e6
    }
}
