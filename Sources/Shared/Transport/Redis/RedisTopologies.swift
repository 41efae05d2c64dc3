package import TintypeCore

/// The topologies of a process: connections to the same Redis share what is known of its primaries.
///
/// A process has several clients of one Redis: for commands, for events, and for stores. Without this class each of them would ask the sentinels, or the cluster.
@Loop
package final class RedisTopologies {
    /// The files for URLs of `rediss:`, `sentinels:` and `clusters:`.
    package let tls: TLSClientFiles
    private var groups: [SentinelURL: SentinelTopology] = [:]
    private var clusters: [ClusterURL: ClusterTopology] = [:]

    package init(tls: TLSClientFiles = TLSClientFiles()) { self.tls = tls }

    /// Returns the topology of a URL, the same one for the same URL.
    /// - Parameter name: the name of the connections that ask for the primaries, in `CLIENT LIST`, without spaces.
    package func topology(of url: RedisURL, name: String, logger: Logger) -> any RedisTopology {
        switch url {
        case .server(let endpoint): return endpoint
        case .sentinels(let url):
            if let known = groups[url] { return known }
            let topology = SentinelTopology(url, name: name, logger: logger)
            groups[url] = topology
            return topology
        case .cluster(let url):
            if let known = clusters[url] { return known }
            let topology = ClusterTopology(url, name: name, logger: logger)
            clusters[url] = topology
            return topology
        }
    }
}
