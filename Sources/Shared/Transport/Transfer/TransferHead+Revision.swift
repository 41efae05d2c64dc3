import TintypeCore

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
        TransferHead(
            status: status, headers: headers ?? self.headers, url: url, host: host, expectedBytes: expectedBytes, hops: hops, resumedFrom: resumedFrom)
    }
}
