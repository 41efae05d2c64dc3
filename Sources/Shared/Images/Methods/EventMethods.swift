import TintypeCore

extension MethodCatalog {
    static let eventMethods: [MethodDescription] = [
        MethodDescription(
            "events.subscribe",
            "Sends events of other clients to this connection: `image.event`, `group.event`, `workers.changed` and `activity.changed`.",
            [
                ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these receipts."),
                ParameterDescription("groups", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these groups."),
                ParameterDescription("queue", ImageRequest.queueType, "The terminal events of this queue's receipts."),
                ParameterDescription("workers", .boolean, default: false, "Whether to report workers whose state changes."),
                ParameterDescription("activity", .boolean, default: false, "Whether to report changes of `active`, see `activity.get`."),
            ], role: .admin, result: "`{subscription}`", errors: [.unknownQueue, .unknownGroup, .limitExceeded, .unavailable],
            example: MethodExample(#"{"queue":"default","workers":true}"#, #"{"subscription":"s-1"}"#)),
        MethodDescription(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [ParameterDescription("subscription", .string(maxLength: 64), required: true, "The id from `events.subscribe`.")],
            role: .load,
            result: "`{removed}`", example: MethodExample(#"{"subscription":"s-1"}"#, #"{"removed":true}"#)),
        MethodDescription(
            "activity.get",
            "Shows whether this coordinator has work, for an activity indicator. `running` counts accepted receipts that have not ended and still have a "
                + "client, and work from `activity.begin`. Answers from a cache, requests with `activity: false` and the contents of paused queues (noticed "
                + "after at most 2 s) do not count. `fleet` is this number for all coordinators, up to 4 s old for the others; a stopped one counts until "
                + "its lease ends. By default, `active` becomes true 1 s after the first work, if there is work then, and false 0.17 s after the last. "
                + "`activity.changed` reports each change once.",
            role: .load,
            result: "`{active, running, fleet}`", example: MethodExample("{}", #"{"active":false,"running":0,"fleet":0}"#)),
        MethodDescription(
            "activity.begin",
            "Counts the client's own work as work of this coordinator, until `activity.end` or the end of the connection: at most 100 at once.",
            role: .load, result: "`{activity}`, the id for `activity.end`", errors: [.invalidRequest, .limitExceeded],
            example: MethodExample("{}", #"{"activity":"a-1"}"#)),
        MethodDescription(
            "activity.end", "Ends work that this connection began with `activity.begin`.",
            [ParameterDescription("activity", .string(maxLength: 64), required: true, "The id from `activity.begin`.")],
            role: .load, result: "`{ended}`: false if there is no work with that id",
            example: MethodExample(#"{"activity":"a-1"}"#, #"{"ended":true}"#)),
    ]
}
