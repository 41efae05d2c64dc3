import TintypeCore
package import TintypeImages

extension MethodCatalog {
    /// The work of the fleet, of the past and of this moment.
    package static let history: FeatureMethods = (historyMethods, nil)

    /// `GET /events` of the statistics asks for the same role.
    package static let statsSeries = MethodDescription(
        "stats.series",
        "Shows what all coordinators and workers did. A point is a second of the last 15 minutes, or 15 seconds or a minute of the last day. "
            + "The `time` of a point is the whole second before its end, in seconds since 1970. Its `seconds` is the covered time; "
            + "it differs from `step` after a change of the clock or a pause of the coordinator. Its `counts` and `errors` are by name; errors of 0 are left out. Its `phases` have "
            + "`count`, `sum`, `p50`, `p95` and `p99` in seconds, by the histograms of all processes together. Their `buckets` are that histogram: the place "
            + "of the first bucket that is not 0, then the counts from there on. The `bounds` are the upper ends of all buckets; a time above the last one is in "
            + "`count` alone. Histograms of several points add up, and quantiles do not. The `formats` have `bytes` of results, and the bytes "
            + "`ofSources` from which these were made. Numbers may have fractions: totals come every 3 s, and are spread. A coordinator knows nothing "
            + "from before its start. A process tells nothing of its first seconds, before its first heartbeat.",
        [
            ParameterDescription("step", .integer(1...60), default: 1, "The seconds of a point: 1, 15 or 60."),
            ParameterDescription(
                "since", .integer(0...9_999_999_999), default: 0,
                "Only points that end after this time. The `time` of a known point may leave out a second."),
        ], role: .admin, result: "`{step, bounds, points: [{time, seconds, counts, phases, errors, formats}]}`",
        example: MethodExample(#"{"since":9999999999}"#, #"{"step":1,"bounds":[0.001,0.0025,0.005],"points":[]}"#, isShortened: true))

    private static let historyMethods: [MethodDescription] = [
        statsSeries,
        MethodDescription(
            "runs.list",
            "Lists the fetches that run, with their last known phase. Progress is there if a client wants progress. URLs have no parts that may be secret.",
            [
                ParameterDescription("queue", ImageRequest.queueType, "One queue. Default: all queues."),
                ParameterDescription("limit", .integer(1...1000), default: 100, "The most fetches."),
            ], role: .admin,
            result: "`{items: [{fetch, queue, url, host, worker, attempt, phase, startedSeconds, receivedBytes?, expectedBytes?, fraction?}]}`",
            errors: [.unknownQueue, .unavailable], example: MethodExample("{}", #"{"items":[]}"#)),
        MethodDescription(
            "hosts.list",
            "Lists the hosts with running fetches, those that are held until a time, and those with failures that `failures.list` knows. "
                + "The busiest come first.",
            [
                ParameterDescription("queue", ImageRequest.queueType, "One queue. Default: all queues."),
                ParameterDescription("limit", .integer(1...1000), default: 100, "The most hosts."),
            ], role: .admin, result: "`{items: [{host, queue, running, limit, heldUntil?, failed}]}`", errors: [.unavailable],
            example: MethodExample("{}", #"{"items":[]}"#)),
        MethodDescription(
            "pictures.list",
            "Lists the latest 1,000 results, the newest first. The coordinator begins to listen with the first call, and stops two minutes after the last one. "
                + "Some are left out where more than 20 results come in a second. The page's own requests have the `tag` "
                + "`dashboard`, and are left out here and in `failures.list`. With `tag` it lists all results with this tag of `cache.tags` that the index of "
                + "any queue still has, those that may stay longest first. These have no `receipt`, `from` and `timings`. No index is by host, so `host` only "
                + "chooses among these results: a page may be empty and have a `cursor` all the same.",
            [
                ParameterDescription("limit", .integer(1...400), default: 50, "The most results. Those of one receipt come together, even above it."),
                ParameterDescription("host", .string(maxLength: 255), "Only results of sources at this host."),
                ParameterDescription("after", ImageRequest.receiptType, "The receipt of a result: only older ones. Not with `tag`."),
                ParameterDescription("tag", CacheTag.type, "Only results with this tag."),
                ParameterDescription("scope", ImageRequest.scope, "The scope of `tag`."),
                ListCursor.parameter,
            ], role: .admin,
            result:
                "`{items: [{receipt?, queue, url, host, finishedAt, from?, sourceBytes, key, format, width, height, bytes, blurhash?, thumbhash?, color?, timings?}], "
                + "cursor?}`",
            errors: [.unavailable], example: MethodExample("{}", #"{"items":[]}"#)),
        MethodDescription(
            "pictures.get",
            "Shows the operations that made a result in a cache, in their canonical form. URLs have no parts that may be secret. With more than "
                + "\(Rendition.mostShownBytes) bytes, only their names are there. Null: the bytes came as they are, or an earlier version has made them.",
            [ParameterDescription("key", CacheTier.keyType, required: true, "The key of a result.")], role: .admin,
            result: "`{key, operations}`", errors: [.cacheMiss, .storeFailed, .unavailable],
            example: MethodExample(#"{"key":"dot"}"#, #"{"key":"dot","operations":null}"#)),
        MethodDescription(
            "failures.list",
            "Lists the latest failures by error, status and host, the latest first. The coordinator listens as for `pictures.list`. The `sample` is the last of them. "
                + "If no decoder could read the source, `received` shows what came. A download whose type is refused ends at its head, before any byte. Its `start` has the first 64 bytes in hexadecimal digits, "
                + "and its `format` is what they look like. No bytes of a source with credentials are there. The `crashes` are the latest 10 pictures that killed a pixel "
                + "process, with their digests. Clients find `received` in the data of the error too.",
            [ParameterDescription("limit", .integer(1...200), default: 50, "The most groups.")], role: .admin,
            result:
                "`{items: [{error, status?, host, queue, count, lastAt, sample: {receipt, url, message, status?, received?: {start?, format?, sha256?}}, "
                + "crashes?: [{sha256, url, at}]}]}`",
            example: MethodExample("{}", #"{"items":[]}"#)),
        MethodDescription(
            "failures.retry",
            "Asks again for the sources of one group of `failures.list`. Its dead letters are queued as by `dead.retry`, the latest first. Its other sources "
                + "leave the blacklist, so that the next request for them asks their origin: Redis keeps no fetch of them. At most 2,000 entries of "
                + "the blacklist of each queue are looked at.",
            [
                ParameterDescription("error", .string(maxLength: 64), required: true, "The name of the error."),
                ParameterDescription("host", .string(maxLength: 255), required: true, "The host."),
                ParameterDescription("status", .integer(100...599), "The HTTP status. Default: any, or none."),
                ParameterDescription("queue", ImageRequest.queueType, "One queue. Default: all queues."),
                ParameterDescription("limit", .integer(1...1000), default: 100, "The most sources."),
            ], role: .admin, result: "`{retried, pardoned}`", errors: [.unknownQueue, .unavailable],
            example: MethodExample(#"{"error":"httpStatus","host":"example.org"}"#, #"{"retried":0,"pardoned":0}"#)),
    ]
}
