package import TintypeTransport

/// Whether the host of a request is a name of this service. The last answer is remembered, because most clients use one name.
package struct RepeatedHost {
    private let hosts: AllowedHosts
    private var last: (host: String?, isOurs: Bool)

    package init(_ hosts: AllowedHosts) {
        self.hosts = hosts
        last = (nil, hosts.answers(to: nil))
    }

    /// As `AllowedHosts.answers`.
    package mutating func answers(to host: String?) -> Bool {
        if host != last.host { last = (host, hosts.answers(to: host)) }
        return last.isOurs
    }
}
