import Testing
import TintypeTransport

/// The meaning of a Redis error, by its first word.
@Suite struct RedisErrorReplyTests {
    private static let cases: [(text: String, meaning: RedisErrorReply)] = [
        ("OOM command not allowed when used memory > 'maxmemory'.", .outOfMemory), ("READONLY You can't write against a read only replica.", .readOnly),
        ("LOADING Redis is loading the dataset in memory", .loading),
        ("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", .primaryDown),
        ("CLUSTERDOWN The cluster is down", .clusterDown), ("UNBLOCKED force unblock from blocking operation, instance state changed", .unblocked),
        ("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.", .diskFailed),
        ("NOREPLICAS Not enough good replicas to write.", .tooFewReplicas), ("BUSY Redis is busy running a script.", .busy),
        ("MOVED 1", .other), ("NOSCRIPT No matching script. Please use EVAL.", .unknownScript),
        ("NOPERM this user has no permissions to run the 'get' command", .notPermitted), ("SCHEMA 7", .schema("7", queue: nil)),
        ("SCHEMA 7 bulk", .schema("7", queue: "bulk")), ("SCHEMA", .schema("", queue: nil)), ("ERR unknown command", .other), ("WRONGTYPE x", .other),
        ("OOMX", .other), ("x OOM", .other), ("", .other),
    ]

    @Test(arguments: cases) func `an error is known by its first word`(text: String, meaning: RedisErrorReply) {
        #expect(RedisErrorReply(text) == meaning)
    }
}
