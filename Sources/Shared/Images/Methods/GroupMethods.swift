import TintypeCore

extension MethodCatalogue {
    /// Requests a group may have.
    package static let mostGroupItems = 10_000

    /// Each is read as an `ImageRequest` when the group starts, which says more closely what is wrong with one.
    private static let requests = ParameterType.array(of: .map(of: .any), count: 0...mostGroupItems)
    private static let group = ParameterDescription("group", ImageRequest.receiptType, required: true, "The group's id.")
    private static let hooks = ParameterDescription(
        "hooks", .boolean, default: false,
        "Whether `group.hook` tells this connection of the moments around the group: willStart, willStop, didStop, each once.")
    private static let startErrors: [ErrorName] = [.overloaded, .unavailable, .shuttingDown]

    static let groupMethods: [MethodDescription] = [
        MethodDescription(
            "prefetch.start",
            "Loads images into the caches, some at a time. What fails is passed over: the group ends with `{finished, skipped, errors: [{index, error}]}`, "
                + "where `skipped` counts what failed or was withdrawn; where 4 MiB of errors are not all, `next` says from which item on "
                + "`group.get` has the others.",
            [
                ParameterDescription("urls", .array(of: .string(maxLength: 8 << 20), count: 0...mostGroupItems), "What to load; either this or `items`."),
                ParameterDescription("items", requests, "ImageRequests, as of `image.load`."),
                ParameterDescription("concurrency", .integer(1...1000), default: 3, "How many run at once."),
                ParameterDescription("priority", ImageRequest.priorityType, default: "low", "Of the items that name none."),
                hooks,
            ], role: .load, requests: .items("items"), result: "`{group}`", errors: startErrors),
        MethodDescription(
            "batch.start",
            "Loads many images as one group; its results are in the order of the items. failFast: the first failure withdraws the others and ends the "
                + "group as failed; settleAll: it succeeds when all have ended, however they did.",
            [
                ParameterDescription("items", requests, required: true, "ImageRequests, as of `image.load`."),
                ParameterDescription("mode", .choice(["failFast", "settleAll"]), default: "failFast", "What a failure means."),
                ParameterDescription("concurrency", .integer(1...1000), default: 64, "How many run at once."),
                hooks,
            ], role: .load, requests: .items("items"), result: "`{group}`", errors: startErrors),
        MethodDescription(
            "chain.start",
            "Loads images one after the other: a step starts when the one before has succeeded. In any text of a step `${steps[n].source.finalURL}` stands for "
                + "that member of the ImageResult of step n, from 0; a text that is nothing else takes the value as it is. What `group.get` "
                + "leaves out of a result stands for nothing. A reference that does not resolve fails its step, and so do references that make it larger than "
                + "4 MiB or nest it deeper than 64 levels.",
            [ParameterDescription("steps", requests, required: true, "ImageRequests, as of `image.load`."), hooks], role: .load, requests: .items("steps"),
            result: "`{group}`", errors: startErrors),
        MethodDescription(
            "chain.append", "Adds steps to a chain that has not ended.",
            [group, ParameterDescription("steps", requests, required: true, "As of `chain.start`.")],
            role: .load, requests: .items("steps"),
            result: "`{group}`", errors: [.unknownGroup] + startErrors),
        MethodDescription(
            "group.get",
            "How a group stands, and what came of its items so far. Kept 24 hours after its end. One answer has about 4 MiB of items, and 8 MiB of what was "
                + "asked for inline; `next` is there when that, or `limit`, leaves items out: the `from` to ask for them with. Errors "
                + "of items are without `headers` and `body`, results without a `json` of more than 64 KiB, and without any `json` or `userInfo` beyond "
                + "8 MiB of what came of all items: `receipt.get` of the item's receipt has them.",
            [
                group,
                ParameterDescription("wait", .number(0...3600), default: 0, "Seconds to wait for the end; the answer tells how it stands then."),
                ParameterDescription("from", .integer(0...mostGroupItems), default: 0, "The first item to tell of."),
                ParameterDescription("limit", .integer(1...mostGroupItems), "How many items to tell of at most."),
            ],
            role: .load,
            result: "`{group, kind, state, finished, total, results: [{index, state, receipt?, result? | error?}], failed?: {index, error}, "
                + "next?}`; of a prefetch also `skipped`, and no `result`", errors: [.unknownGroup, .unavailable]),
        MethodDescription(
            "group.cancel",
            "Ends a group as cancelled and withdraws its receipts; what others wait for goes on. Repeating it is harmless, and answers the same.", [group],
            role: .load,
            result: "`{cancelled, reason?: \"finished\"|\"unknown\"}`", errors: [.unavailable]),
    ]
}
