/// The meaning of an error that Redis, or a script of ours, answers: its first word says it.
package enum RedisErrorReply: Sendable, Hashable {
    /// Its memory is full.
    case outOfMemory
    /// It is a replica.
    case readOnly
    /// It loads its data, has lost its primary, or serves none of a cluster.
    case loading, primaryDown, clusterDown
    /// Whoever was blocked has been let go, for it is a replica now.
    case unblocked
    /// It cannot write to its disk.
    case diskFailed
    /// It has fewer replicas than it is to write to.
    case tooFewReplicas
    /// A script of somebody holds it up.
    case busy
    /// It is moving keys to another server.
    case tryAgain
    /// It has forgotten the script.
    case unknownScript
    /// The user may not do this.
    case notPermitted
    /// A script has found keys of this schema; of one queue alone, if it is named.
    case schema(String, queue: String?)
    case other

    package init(_ text: String) {
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
            case "TRYAGAIN": .tryAgain
            case "NOSCRIPT": .unknownScript
            case "NOPERM": .notPermitted
            case "SCHEMA": .schema(words.count > 1 ? words[1] : "", queue: words.count == 3 ? words[2] : nil)
            case _: .other
            }
    }
}
