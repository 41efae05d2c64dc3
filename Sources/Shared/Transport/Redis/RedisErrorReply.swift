/// The meaning of an error reply from Redis or from one of our scripts, given by its first word.
package enum RedisErrorReply: Sendable, Hashable {
    /// Its memory is full.
    case outOfMemory
    /// The server is a replica.
    case readOnly
    /// The server loads its data, has lost its primary, or its cluster is down.
    case loading, primaryDown, clusterDown
    /// A blocking command was ended because the server has become a replica.
    case unblocked
    /// The server cannot write to its disk.
    case diskFailed
    /// The server has fewer replicas than it needs to accept writes.
    case tooFewReplicas
    /// A script blocks the server.
    case busy
    /// Another server of the cluster has the keys, or they are on their way.
    case redirect(ClusterRedirect)
    /// The keys of the command or script are not in one slot of the cluster.
    case crossSlot
    /// The server has forgotten the script.
    case unknownScript
    /// The user's ACL forbids the command.
    case notPermitted
    /// A script has found keys of this schema; only in one queue, if it is named.
    case schema(String, queue: String?)
    case other

    package init(_ text: String) {
        if let redirect = ClusterRedirect(text) {
            self = .redirect(redirect)
            return
        }
        let words = text.split(separator: " ").map(String.init)
        self =
            switch words.first {
            case "OOM": .outOfMemory
            case "READONLY": .readOnly
            case "LOADING": .loading
            case "MASTERDOWN": .primaryDown
            case "CLUSTERDOWN": .clusterDown
            case "UNBLOCKED": .unblocked
            case "MISCONF": .diskFailed
            case "NOREPLICAS": .tooFewReplicas
            case "BUSY": .busy
            case "CROSSSLOT": .crossSlot
            case "NOSCRIPT": .unknownScript
            case "NOPERM": .notPermitted
            case "SCHEMA": .schema(words.count > 1 ? words[1] : "", queue: words.count == 3 ? words[2] : nil)
            case _: .other
            }
    }
}
