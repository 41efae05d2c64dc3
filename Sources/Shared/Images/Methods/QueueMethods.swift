import TintypeCore

extension MethodCatalogue {
    private static let queue = ParameterDescription("queue", ImageRequest.queueType, required: true, "The queue's name.")
    private static let ids = ParameterDescription("ids", .array(of: .string(maxLength: 64), count: 1...1000), required: true, "Ids of dead letters.")
    private static let info =
        "QueueInfo `{name, order, paused, limits, queued, delayed, running, dead, oldestQueuedSeconds, heldHosts: {host: until}, workers}`"

    static let queueMethods: [MethodDescription] = [
        MethodDescription("queue.list", "Every queue.", role: .admin, result: "`[QueueInfo]`", errors: [.unavailable]),
        MethodDescription("queue.get", "One queue.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "queue.configure",
            "Changes a queue, or creates it: a thousand at the most. When there is no room for another one, some go that have nothing in them, no setting of "
                + "their own and nobody who serves them: last used two days ago, or never since they were made an hour ago. Takes effect at the next claim, everywhere.",
            [
                queue,
                ParameterDescription(
                    "order", .choice(ImageRequest.Order.allCases.map(\.rawValue)), "For requests that name none, those that wait already too."),
                ParameterDescription("maxConcurrent", .integer(1...100_000), "Running fetches at the most."),
                ParameterDescription(
                    "maxConcurrentPerHost", .integer(1...100_000),
                    "Running fetches of one host at the most. A fetch counts for the host it waits for, the first of its URLs that is not held; a mirror that "
                        + "takes over inside a run, and the target of a redirect, are not counted."),
                ParameterDescription(
                    "hostLimits", .map(of: .integer(1...100_000), most: 10_000),
                    "Other limits for single hosts, without port; replaces the map. They win over those of rules, `limits.ruleLimits`."),
                ParameterDescription("maxQueued", .integer(1...10_000_000), "Waiting fetches at the most; more are refused as overloaded."),
            ], role: .admin, result: info, errors: [.limitExceeded, .unavailable]),
        MethodDescription(
            "queue.pause", "Stops new claims; running work goes on.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription("queue.resume", "Ends a pause.", [queue], role: .admin, result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "queue.cancelAll", "Withdraws every receipt of a queue; what runs is stopped.", [queue], role: .admin,
            result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "dead.list", "Fetches that were given up, newest first: used-up transient failures, and those that killed two workers. Kept a week.",
            [
                queue, ParameterDescription("limit", .integer(1...1000), default: 100, "Letters in one answer."),
                ListCursor.parameter,
            ], role: .admin, result: "`{items: [{id, url, error, attempts, at}], cursor?}`", errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "dead.retry",
            "Queues these once more, each under the receipt `retry-ID`, and takes the letters away. Those that are not `retryable` are left: they had "
                + "credentials, a body or headers of their own, which are not kept beyond the end of a fetch.", [queue, ids],
            role: .admin,
            result: "`{retried}`", errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "dead.remove", "Throws these letters away.", [queue, ids], role: .admin, result: "`{removed}`", errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "workers.list", "The workers that were heard of lately. `missingQueues` names queues that a worker serves and nobody has: nothing comes there.",
            role: .admin,
            result: "`[{id, host, slots, running, rssBytes, seenSeconds, state, missingQueues?}]`", errors: [.unavailable]),
        MethodDescription(
            "workers.quiet", "Tells a worker to take nothing new; what it runs goes on. Before it is stopped, or to look into it.",
            [
                ParameterDescription("worker", .string(maxLength: 200), required: true, "Its id, as `workers.list` has it."),
                ParameterDescription("quiet", .boolean, default: true, "`false`: it takes work again."),
            ], role: .admin, result: "`{worker, quiet}`", errors: [.unavailable]),
    ]
}
