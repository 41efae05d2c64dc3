import TintypeCore

extension MethodCatalogue {
    private static let queue = ParameterDescription("queue", ImageRequest.queueType, required: true, "The queue's name.")
    private static let ids = ParameterDescription("ids", .array(of: .string(maxLength: 64), count: 1...1000), required: true, "Ids of dead letters.")
    private static let info =
        "QueueInfo"

    static let queueMethods: [MethodDescription] = [
        MethodDescription("queue.list", "Shows all queues.", role: .admin, result: "`[QueueInfo]`", errors: [.unavailable]),
        MethodDescription("queue.get", "Shows one queue.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "queue.configure",
            "Changes a queue, or creates it. Takes effect at the next claim, everywhere. There are at most 1,000 queues. At the limit, old queues without "
                + "content, settings and workers are removed. Such a queue was made or configured more than an hour ago, and not used for 49 hours or never.",
            [
                queue,
                ParameterDescription(
                    "order", .choice(ImageRequest.Order.allCases.map(\.rawValue)), "The order of requests that name none, waiting ones too."),
                ParameterDescription("maxConcurrent", .integer(1...100_000), "The most running fetches. Default: 64."),
                ParameterDescription(
                    "maxConcurrentPerHost", .integer(1...100_000),
                    "The most running fetches of one host. Default: 6. A fetch counts for the first of its URLs whose host is not throttled. Later mirrors of the run "
                        + "and targets of redirects are not counted."),
                ParameterDescription(
                    "hostLimits", .map(of: .integer(1...100_000), most: 10_000),
                    "Limits for single hosts, without port, instead of `maxConcurrentPerHost`. Replaces the whole map and wins over limits of rules."),
                ParameterDescription(
                    "maxQueued", .integer(1...10_000_000), "The most waiting fetches; further ones fail with overloaded. Default: --max-queued."),
            ], role: .admin, result: info, errors: [.limitExceeded, .unavailable]),
        MethodDescription(
            "queue.pause", "Pauses a queue: no new claims; running fetches go on.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "queue.resume", "Ends the pause of a queue.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "queue.cancelAll", "Cancels every receipt of a queue and stops running fetches.", [queue], role: .admin,
            result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "dead.list",
            "Lists the dead letters of a queue, newest first: fetches without attempts left, and fetches that killed two workers. Kept for a "
                + "week.",
            [
                queue, ParameterDescription("limit", .integer(1...1000), default: 100, "The most entries in one answer."),
                ListCursor.parameter,
            ], role: .admin, result: "`{items: [{id, url, error, attempts, at, retryable}], cursor?}`", errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "dead.retry",
            "Queues dead letters again, each under the receipt `retry-ID`, and removes them from the list. Those that are not `retryable` stay, because "
                + "only their URL is kept. Their fetch had credentials, a body, a header other than Accept, Accept-Language and User-Agent, or a signed URL. "
                + "Or it had more than 64 KiB.", [queue, ids],
            role: .admin,
            result: "`{retried}`", errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "dead.remove", "Removes dead letters.", [queue, ids], role: .admin, result: "`{removed}`", errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "workers.list", "Lists the workers with a recent heartbeat. `missingQueues` names queues that a worker serves and that do not exist.",
            role: .admin,
            result: "`[{id, host, slots, running, rssBytes, seenSeconds, state, missingQueues?}]`", errors: [.unavailable]),
        MethodDescription(
            "workers.quiet", "Makes a worker claim nothing new; its running fetches go on. Useful before a stop or an inspection.",
            [
                ParameterDescription("worker", .string(maxLength: 200), required: true, "The id of the worker, from `workers.list`."),
                ParameterDescription("quiet", .boolean, default: true, "false: the worker claims again."),
            ], role: .admin, result: "`{worker, quiet}`", errors: [.unavailable]),
    ]
}
