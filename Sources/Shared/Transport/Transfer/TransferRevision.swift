/// What the answer of a server is taken for in place of what it says, before it is judged: servers that say 200 for a picture they have not, or nothing true of
/// type and age. What frames the body, redirects and 304 are the server's own word. A pure value.
package struct TransferRevision: Sendable, Hashable {
    /// Statuses that are taken for another.
    package struct Status: Sendable, Hashable {
        package let came: ClosedRange<Int>
        package let taken: Int

        package init(came: ClosedRange<Int>, taken: Int) { (self.came, self.taken) = (came, taken) }
    }

    /// A header in place of all of its name; nil: none.
    package struct Header: Sendable, Hashable {
        /// In lower case.
        package let name: String
        package let value: String?

        package init(name: String, value: String?) { (self.name, self.value) = (name, value) }
    }

    /// How long a body may be, and which status it is taken for if it is not.
    package struct Length: Sendable, Hashable {
        package let least: Int64
        /// nil: any.
        package let most: Int64?
        package let status: Int

        package init(least: Int64, most: Int64?, status: Int) { (self.least, self.most, self.status) = (least, most, status) }

        /// Whether a body that has come so far may still be as it is to be.
        func mayGrow(to bytes: Int64) -> Bool { most.map { bytes <= $0 } ?? true }
        /// Whether a whole body is as it is to be.
        func takes(_ bytes: Int64) -> Bool { bytes >= least && mayGrow(to: bytes) }
    }

    /// The first that fits counts.
    package let statuses: [Status]
    package let headers: [Header]
    package let length: Length?

    package init(statuses: [Status], headers: [Header], length: Length?) {
        (self.statuses, self.headers, self.length) = (statuses, headers, length)
    }

    /// What the head is taken for.
    func revised(_ head: TransferHead) -> TransferHead {
        let names = Set(headers.map(\.name))
        let kept = names.isEmpty ? head.headers : head.headers.filter { !names.contains($0.name) }
        return head.taken(
            for: statuses.first { $0.came.contains(head.status) }?.taken ?? head.status,
            headers: kept + headers.compactMap { header in header.value.map { (header.name, $0) } })
    }
}

extension TransferHead {
    /// The same with another status, and other headers.
    func taken(for status: Int, headers: [(name: String, value: String)]? = nil) -> TransferHead {
        TransferHead(
            status: status, headers: headers ?? self.headers, url: url, host: host, expectedBytes: expectedBytes, hops: hops, resumedFrom: resumedFrom)
    }
}
