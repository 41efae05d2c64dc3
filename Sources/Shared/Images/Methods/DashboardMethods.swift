import TintypeCore

extension MethodCatalogue {
    /// The methods behind the dashboard. docs/http.md describes them.
    static let dashboardMethods: [MethodDescription] = [
        MethodDescription(
            "stats.series",
            "Shows what all coordinators and workers did. A point stands for a second of the last 15 minutes, or for 15 seconds or a minute of the last day. "
                + "`time` is the end of a point, in seconds since 1970. `counts` and `errors` are by name; errors of 0 are left out. `phases` have `count`, `sum`, "
                + "`p50`, `p95` and `p99` in seconds, of the histograms of all processes added up. `buckets` are that histogram: the place of the first bucket that "
                + "is not 0, and the counts from there on. `bounds` are the upper ends of the buckets in seconds; what is above the last is in `count` alone. Add the "
                + "buckets of several points up for the quantiles of their time. `formats` have `bytes` of results; `bytesOfSources` counts those of their sources. `counts` may have fractions: totals "
                + "come every 3 s, and are spread. A coordinator knows nothing from before its start.",
            [
                ParameterDescription("step", .integer(1...60), default: 1, "The seconds of a point: 1, 15 or 60."),
                ParameterDescription("since", .integer(0...9_999_999_999), default: 0, "Only points that end after this time."),
            ], role: .admin, result: "`{step, bounds, points: [{time, seconds, counts, phases, errors, formats}]}`",
            example: MethodExample(#"{"since":9999999999}"#, #"{"step":1,"bounds":[0.001,0.0025,0.005],"points":[]}"#, isShortened: true)),
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
                + "Some are left out where more than 20 results come in a second. With `tag`, all results with this tag of `cache.tags` are listed that the index "
                + "of any queue still has, those that may stay longest first. These have no `receipt`, `from` and `timings`. There is no list of all results by host: "
                + "`host` chooses among the others. So a page of a tag may be empty and have a `cursor` all the same.",
            [
                ParameterDescription("limit", .integer(1...400), default: 50, "The most results."),
                ParameterDescription("host", .string(maxLength: 255), "Only results of sources at this host."),
                ParameterDescription("after", ImageRequest.receiptType, "The receipt of a result: only older ones. Not with `tag`."),
                ParameterDescription("tag", CacheTag.type, "Only results with this tag."),
                ParameterDescription("scope", ImageRequest.scope, "The scope of `tag`."),
                ListCursor.parameter,
            ], role: .admin,
            result:
                "`{items: [{receipt?, queue, url, host, finishedAt, from?, sourceBytes, key, format, width, height, bytes, blurhash?, thumbhash?, timings?}], "
                + "cursor?}`",
            errors: [.unavailable], example: MethodExample("{}", #"{"items":[]}"#)),
        MethodDescription(
            "failures.list",
            "Lists the latest failures by error and host, the latest first. The coordinator listens as for `pictures.list`. "
                + "`sample` is the last of them. `received` is there if no decoder could read the source or its type was refused. Its `start` has the first 64 "
                + "bytes in hexadecimal digits, and `format` the format that they look like. The bytes of a source with credentials are never there. `crashes` has the "
                + "latest 10 pictures that killed a pixel process, with their digests.",
            [ParameterDescription("limit", .integer(1...200), default: 50, "The most groups.")], role: .admin,
            result:
                "`{items: [{error, host, queue, count, lastAt, sample: {receipt, url, message, status?, received?: {start?, format?, sha256?}}, "
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
                ParameterDescription("queue", ImageRequest.queueType, "One queue. Default: all queues."),
                ParameterDescription("limit", .integer(1...1000), default: 100, "The most sources."),
            ], role: .admin, result: "`{retried, pardoned}`", errors: [.unknownQueue, .unavailable],
            example: MethodExample(#"{"error":"httpStatus","host":"example.org"}"#, #"{"retried":0,"pardoned":0}"#)),
    ]
}
