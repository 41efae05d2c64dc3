/// Changes to the answer of a server before it is judged. Some servers send 200 for a picture that they do not have, or a wrong type or age. The
/// framing of the body, redirects and 304 are never changed. A pure value.
package struct TransferRevision: Sendable, Hashable {
    /// Statuses that are replaced by another.
    package struct Status: Sendable, Hashable {
        package let came: ClosedRange<Int>
        package let taken: Int

        package init(came: ClosedRange<Int>, taken: Int) { (self.came, self.taken) = (came, taken) }
    }

    /// A header that replaces all of its name; nil for none.
    package struct Header: Sendable, Hashable {
        /// The name in lower case.
        package let name: String
        package let value: String?

        package init(name: String, value: String?) { (self.name, self.value) = (name, value) }
    }

    /// The length of a body, and the status that replaces the server's if it differs.
    package struct Length: Sendable, Hashable {
        package let least: Int64
        /// nil for no limit.
        package let most: Int64?
        package let status: Int

        package init(least: Int64, most: Int64?, status: Int) { (self.least, self.most, self.status) = (least, most, status) }

        /// Returns whether a body of this length so far may still have the right length.
        package func mayGrow(to bytes: Int64) -> Bool { most.map { bytes <= $0 } ?? true }
        /// Returns whether a complete body has the right length.
        package func takes(_ bytes: Int64) -> Bool { bytes >= least && mayGrow(to: bytes) }
    }

    /// The first match counts.
    package let statuses: [Status]
    package let headers: [Header]
    package let length: Length?

    package init(statuses: [Status], headers: [Header], length: Length?) {
        (self.statuses, self.headers, self.length) = (statuses, headers, length)
    }
}
