extension MethodCatalogue {
    private static let queue = ParameterDescription("queue", ImageRequest.queueType, required: true, "The queue's name.")
    private static let info = "QueueInfo `{name, order, paused, limits, queued, delayed, running, dead, oldestQueuedSeconds}`"

    static let queueMethods: [MethodDescription] = [
        MethodDescription("queue.list", "Every queue.", result: "`[QueueInfo]`", errors: [.unavailable]),
        MethodDescription("queue.get", "One queue.", [queue], result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "queue.configure", "Changes a queue, or creates it. Takes effect at the next claim, everywhere.",
            [
                queue,
                ParameterDescription(
                    "order", .choice(ImageRequest.Order.allCases.map(\.rawValue)), "For requests that name none; what is queued keeps its place."),
                ParameterDescription("maxConcurrent", .integer(1...100_000), "Running fetches at the most."),
                ParameterDescription("maxConcurrentPerHost", .integer(1...100_000), "Running fetches of one host at the most."),
                ParameterDescription("hostLimits", .map(of: .integer(1...100_000)), "Other limits for single hosts, without port; replaces the map."),
                ParameterDescription("maxQueued", .integer(1...10_000_000), "Waiting fetches at the most; more are refused as overloaded."),
            ], result: info, errors: [.unavailable]),
        MethodDescription("queue.pause", "Stops new claims; running work goes on.", [queue], result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription("queue.resume", "Ends a pause.", [queue], result: info, errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "workers.list", "The workers that were heard of lately.",
            result: "`[{id, host, slots, running, rssBytes, seenSeconds, state}]`", errors: [.unavailable]),
    ]
}
