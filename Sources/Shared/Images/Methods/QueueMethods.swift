import TintypeCore

extension MethodCatalog {
    private static let queue = ParameterDescription("queue", ImageRequest.queueType, required: true, "The queue's name.")
    private static let ids = ParameterDescription("ids", .array(of: .string(maxLength: 64), count: 1...1000), required: true, "Ids of dead letters.")
    private static let info = "[QueueInfo](#queueinfo)"
    /// The answer of a method of one queue.
    private static func example(_ params: String, _ members: String) -> MethodExample {
        MethodExample(params, #"{"name":"thumbs","order":"fifo",\#(members)}"#, isShortened: true)
    }

    static let queueMethods: [MethodDescription] = [
        MethodDescription(
            "queue.list", "Shows all queues.", role: .admin, result: "an array of \(info)", errors: [.unavailable],
            example: MethodExample("{}", #"[{"name":"default","order":"fifo","paused":false,"heldHosts":{},"workers":1}]"#, isShortened: true)),
        MethodDescription(
            "queue.get", "Shows one queue.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable],
            example: example(#"{"queue":"thumbs"}"#, #""paused":false,"queued":0,"delayed":0,"running":0,"dead":0,"oldestQueuedSeconds":null"#)),
        MethodDescription(
            "queue.configure",
            "Changes a queue, or creates it. Takes effect at the next claim, everywhere. There are at most 1,000 queues. At the limit, old ones "
                + "without content, settings and workers are removed: configured over an hour ago, and not used for 49 hours or never.",
            [
                queue,
                ParameterDescription(
                    "order", .choice(ImageRequest.Order.allCases.map(\.rawValue)), "The order of requests that name none, waiting ones too."),
                ParameterDescription("maxConcurrent", .integer(1...100_000), "The most running fetches. Default: 64."),
                ParameterDescription(
                    "maxConcurrentPerHost", .integer(1...100_000),
                    "The most running fetches of one host. Default: 6. A fetch counts for its first URL whose host is not throttled, not for later mirrors "
                        + "and redirects."),
                ParameterDescription(
                    "hostLimits", .map(of: .integer(1...100_000), most: 10_000),
                    "`maxConcurrentPerHost` for single hosts, without port. Replaces the whole map and wins over limits of rules."),
                ParameterDescription(
                    "maxQueued", .integer(1...10_000_000), "The most waiting fetches; further ones are `overloaded`. Default: --max-queued."),
                ParameterDescription(
                    "shards", .integer(1...64),
                    "The number of its [shards](scale.md#one-queue-over-many-shards), given once. Default: 1."),
            ], role: .admin, result: info, errors: [.invalidParams, .limitExceeded, .unavailable],
            example: example(#"{"queue":"thumbs","maxConcurrentPerHost":2}"#, #""limits":{"maxConcurrent":64,"maxConcurrentPerHost":2}"#)),
        MethodDescription(
            "queue.pause", "Pauses a queue: no new claims; running fetches go on.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable],
            example: example(#"{"queue":"thumbs"}"#, #""paused":true"#)),
        MethodDescription(
            "queue.resume", "Ends the pause of a queue.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable],
            example: example(#"{"queue":"thumbs"}"#, #""paused":false"#)),
        MethodDescription(
            "queue.cancelAll", "Cancels every receipt of a queue and stops running fetches.", [queue], role: .admin,
            result: info, errors: [.unknownQueue, .unavailable],
            example: example(#"{"queue":"thumbs"}"#, #""queued":0,"delayed":0"#)),
        MethodDescription(
            "dead.list",
            "Lists the dead letters of a queue, newest first: fetches without attempts left, and fetches that killed two workers. Kept for a week.",
            [
                queue, ParameterDescription("limit", .integer(1...1000), default: 100, "The most entries in one answer."),
                ListCursor.parameter,
            ], role: .admin, result: "`{items: [{id, url, error, attempts, at, retryable}], cursor?}`", errors: [.unknownQueue, .unavailable],
            example: MethodExample(
                #"{"queue":"default"}"#,
                #"{"items":[{"id":"d-1","url":"https://example.org/broken.png","error":{"code":1010},"attempts":1,"at":1764100000,"retryable":true}]}"#,
                isShortened: true)),
        MethodDescription(
            "dead.retry",
            "Queues dead letters again, each under the receipt `retry-ID`, and removes them from the list. Those that are not `retryable` stay: "
                + "only their URL is kept. Their fetch had more than 64 KiB, credentials, a body, a signed URL, or a header other than Accept, "
                + "Accept-Language and User-Agent.", [queue, ids],
            role: .admin,
            result: "`{retried}`", errors: [.unknownQueue, .unavailable], example: MethodExample(#"{"queue":"default","ids":["d-1"]}"#, #"{"retried":1}"#)),
        MethodDescription(
            "dead.remove", "Removes dead letters.", [queue, ids], role: .admin, result: "`{removed}`", errors: [.unknownQueue, .unavailable],
            example: MethodExample(#"{"queue":"default","ids":["d-2"]}"#, #"{"removed":1}"#)),
        MethodDescription(
            "workers.list", "Lists the workers with a recent heartbeat. `missingQueues` names queues that a worker serves and that do not exist.",
            role: .admin,
            result: "`[{id, host, slots, running, rssBytes, pixels?: {processes, busy, waiting}, seenSeconds, state, missingQueues?}]`", errors: [.unavailable],
            example: MethodExample(
                "{}", #"[{"id":"w-1","host":"h-1","slots":8,"running":0,"rssBytes":90000000,"seenSeconds":0.5,"state":"running"}]"#, isShortened: true)),
        MethodDescription(
            "workers.quiet", "Makes a worker claim nothing new; its running fetches go on.",
            [
                ParameterDescription("worker", .string(maxLength: 200), required: true, "The id of the worker, from `workers.list`."),
                ParameterDescription("quiet", .boolean, default: true, "false: the worker claims again."),
            ], role: .admin, result: "`{worker, quiet}`", errors: [.unavailable],
            example: MethodExample(#"{"worker":"w-1"}"#, #"{"worker":"w-1","quiet":true}"#)),
    ]
}
