import TintypeCore

extension MethodCatalogue {
    static let eventMethods: [MethodDescription] = [
        MethodDescription(
            "events.subscribe",
            "Sends events of others to this connection: `image.event` of receipts or of a whole queue (terminal ones), `group.event`, `workers.changed`, "
                + "`activity.changed`.",
            [
                ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these receipts."),
                ParameterDescription("groups", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these groups."),
                ParameterDescription("queue", ImageRequest.queueType, "The terminal events of this queue."),
                ParameterDescription("workers", .boolean, default: false, "When a worker comes, goes or changes its state."),
                ParameterDescription("activity", .boolean, default: false, "When work at this coordinator begins and ends to be shown: `activity.get`."),
            ], role: .admin, result: "`{subscription}`", errors: [.unknownQueue, .unknownGroup, .limitExceeded, .unavailable]),
        MethodDescription(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [ParameterDescription("subscription", .string(maxLength: 64), required: true, "What `events.subscribe` answered.")],
            role: .load,
            result: "`{removed}`"),
        MethodDescription(
            "activity.get",
            "Whether this coordinator works on something, as an indicator would show it. `running` counts the receipts in flight here: taken by "
                + "the queue, not ended, and not left by their client; and what clients have begun by `activity.begin`. Not counted is what a cache "
                + "answers, a request that says `activity: false`, and what waits in a paused queue, as it was up to 2 s ago. `fleet` is the same of all "
                + "coordinators, those of the others up to 4 s old; one that has stopped counts until it was silent for a lease. `active` follows `running` with two delays, by default "
                + "1 s after the first work, if there is work then, and 0.17 s after the last; `activity.changed` says each change once.",
            role: .load,
            result: "`{active, running, fleet}`"),
        MethodDescription(
            "activity.begin",
            "Counts work of the client's own as work of this coordinator, until `activity.end` or the end of the connection. "
                + "A connection has at most 100 at once.",
            role: .load, result: "`{activity}`, which `activity.end` takes", errors: [.invalidRequest, .limitExceeded]),
        MethodDescription(
            "activity.end", "Ends work that this connection has begun by `activity.begin`.",
            [ParameterDescription("activity", .string(maxLength: 64), required: true, "What `activity.begin` answered.")],
            role: .load, result: "`{ended}`: false if there was none of that name"),
    ]
}
