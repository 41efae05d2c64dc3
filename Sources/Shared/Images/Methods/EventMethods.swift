import TintypeCore

extension MethodCatalogue {
    static let eventMethods: [MethodDescription] = [
        MethodDescription(
            "events.subscribe",
            "Sends events of other clients to this connection: `image.event`, `group.event`, `workers.changed` and `activity.changed`.",
            [
                ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these receipts."),
                ParameterDescription("groups", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these groups."),
                ParameterDescription("queue", ImageRequest.queueType, "The terminal events of this queue's receipts."),
                ParameterDescription("workers", .boolean, default: false, "Whether to report workers that start, stop or change their state."),
                ParameterDescription("activity", .boolean, default: false, "Whether to report changes of `active`, see `activity.get`."),
            ], role: .admin, result: "`{subscription}`", errors: [.unknownQueue, .unknownGroup, .limitExceeded, .unavailable]),
        MethodDescription(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [ParameterDescription("subscription", .string(maxLength: 64), required: true, "The id from `events.subscribe`.")],
            role: .load,
            result: "`{removed}`"),
        MethodDescription(
            "activity.get",
            "Shows whether this coordinator has work, for an activity indicator. `running` counts accepted receipts that have not ended and still have a "
                + "client, and work from `activity.begin`. Answers from a cache, requests with `activity: false` and the contents of paused queues do not "
                + "count; "
                + "the pause may be noticed 2 s late. `fleet` is the same number for all coordinators, up to 4 s old for the others; a stopped coordinator "
                + "counts "
                + "until its lease ends. `active` follows `running` with two delays. By default, it becomes true 1 s after the first work, if there is work "
                + "then, "
                + "and false 0.17 s after the last. `activity.changed` reports each change once.",
            role: .load,
            result: "`{active, running, fleet}`"),
        MethodDescription(
            "activity.begin",
            "Counts the client's own work as work of this coordinator, until `activity.end` or the end of the connection. "
                + "A connection has at most 100 of these at once.",
            role: .load, result: "`{activity}`, the id for `activity.end`", errors: [.invalidRequest, .limitExceeded]),
        MethodDescription(
            "activity.end", "Ends work that this connection began with `activity.begin`.",
            [ParameterDescription("activity", .string(maxLength: 64), required: true, "The id from `activity.begin`.")],
            role: .load, result: "`{ended}`: false if there is no work with that id"),
    ]
}
