import TintypeCore
package import TintypeImages
import TintypeQueue

extension MethodCatalog {
    /// A starting group reads each of them as an `ImageRequest`, with closer errors.
    private static let requests = ParameterType.array(of: .map(of: .any), count: 0...GroupRecord.mostItems)
    private static let group = ParameterDescription("group", ImageRequest.receiptType, required: true, "The group's id.")
    private static let hooks = ParameterDescription(
        "hooks", .boolean, default: false,
        "Whether this connection gets `group.hook`.")
    private static let durable = ParameterDescription("durable", .boolean, "See Durable.")
    private static let startErrors: [ErrorName] = [.overloaded, .unavailable, .shuttingDown]

    /// Prefetches, batches and chains.
    package static let groups: FeatureMethods = (groupMethods, "receipt.setPriority")

    private static let groupMethods: [MethodDescription] = [
        MethodDescription(
            "prefetch.start",
            "Loads images into the caches. A failed item does not stop the group. The group ends with `{finished, skipped, errors: [{index, "
                + "error}]}`. `skipped` counts failed and cancelled items. `errors` has at most 4 MiB; from the item `next` on, `group.get` has the others.",
            [
                ParameterDescription(
                    "urls", .array(of: .string(maxLength: 8 << 20), count: 0...GroupRecord.mostItems), "The URLs to load. Either `urls` or `items`."),
                ParameterDescription("items", requests, "ImageRequests to load."),
                ParameterDescription("concurrency", .integer(1...1000), default: 3, "How many items run at once."),
                ParameterDescription("priority", ImageRequest.priorityType, default: "low", "The priority of items that name none."),
                durable, hooks,
            ], role: .load, requests: .items("items"), result: "`{group, durable?}`", errors: startErrors,
            example: MethodExample(#"{"urls":["https://example.org/photo.png","https://example.org/beach.png"]}"#, #"{"group":"g-1"}"#)),
        MethodDescription(
            "batch.start",
            "Loads many images as one group, with results in the order of the items. With failFast, the first failure cancels the other items and fails the "
                + "group. With settleAll, the group succeeds when all items have ended, failed ones too.",
            [
                ParameterDescription("items", requests, required: true, "ImageRequests to load."),
                ParameterDescription("mode", .choice(["failFast", "settleAll"]), default: "failFast", "How the group treats a failed item."),
                ParameterDescription("concurrency", .integer(1...1000), default: 64, "How many items run at once."),
                durable, hooks,
            ], role: .load, requests: .items("items"), result: "`{group, durable?}`", errors: startErrors,
            example: MethodExample(
                #"{"items":[{"url":"https://example.org/photo.png"},{"url":"https://example.org/gone.png"}],"mode":"settleAll"}"#, #"{"group":"g-2"}"#)),
        MethodDescription(
            "chain.start",
            "Loads images one after the other: a step starts after the step before has succeeded. In any text of a step, `${steps[n].source.finalURL}` stands "
                + "for that member of the ImageResult of step n, counted from 0. A text that is only a reference becomes the value itself, with its type. "
                + "Members that `group.get` leaves out cannot be referenced. A step fails if a reference does not resolve, or makes it larger than 4 MiB or "
                + "deeper than 64 levels.",
            [ParameterDescription("steps", requests, required: true, "ImageRequests, in order."), durable, hooks], role: .load, requests: .items("steps"),
            result: "`{group, durable?}`", errors: startErrors,
            example: MethodExample(#"{"steps":[{"url":"https://example.org/photo.png","queue":"thumbs"}]}"#, #"{"group":"g-3"}"#)),
        MethodDescription(
            "chain.append", "Adds steps to a chain that has not ended.",
            [group, ParameterDescription("steps", requests, required: true, "ImageRequests with references."), durable],
            role: .load, requests: .items("steps"),
            result: "`{group, durable?}`", errors: [.unknownGroup] + startErrors,
            example: MethodExample(#"{"group":"g-3","steps":[{"url":"${steps[0].source.finalURL}","as":"bytes"}]}"#, #"{"group":"g-3"}"#)),
        MethodDescription(
            "group.get",
            "Shows the state of a group and the results so far, for 24 hours after its end. `origins` counts results by their `from`. "
                + "One answer has about 4 MiB of items and 8 MiB of inline data. If that, or `limit`, leaves items out, `next` is the `from` of the next call. "
                + "`receipt.get` of an item has the members left out here. Errors come without `headers` and `body`. Results come "
                + "without a `json` or `text` of more than 64 KiB, and without any of these or `userInfo` beyond 8 MiB in all.",
            [
                group,
                ParameterDescription("wait", .number(0...3600), default: 0, "Seconds to wait for the end."),
                ParameterDescription("from", .integer(0...GroupRecord.mostItems), default: 0, "The first item in the answer."),
                ParameterDescription("limit", .integer(1...GroupRecord.mostItems), "The most items in the answer."),
            ],
            role: .load,
            result: "`{group, kind, state, finished, total, origins: {[from]: count}, results: [{index, state, receipt?, result? | error?}], "
                + "failed?: {index, error}, reason?, next?}`; a prefetch has `skipped`, and no `result`", errors: [.unknownGroup, .unavailable],
            example: MethodExample(
                #"{"group":"g-2","wait":10}"#,
                #"{"group":"g-2","kind":"batch","state":"succeeded","finished":2,"total":2,"origins":{"sources":1},"#
                    + #""results":[{"index":0,"state":"succeeded"},{"index":1,"state":"failed","error":{"code":1010}}]}"#,
                isShortened: true)),
        MethodDescription(
            "group.cancel",
            "Ends a group as cancelled and cancels its receipts. Fetches that other receipts want go on. A repeated call answers the same.", [group],
            role: .load,
            result: "`{cancelled, reason?: \"finished\"|\"unknown\"}`", errors: [.unavailable],
            example: MethodExample(#"{"group":"g-3"}"#, #"{"cancelled":true}"#)),
    ]
}

/// The settings of prefetches, batches and chains.
package struct GroupSettings: Sendable {
    /// The most groups that this coordinator drives at once.
    package var most = 1000

    static let settings: [Setting<GroupSettings>] = [
        Setting(
            "max-groups", \.most, .count(1...1_000_000),
            help: "The most groups that this coordinator drives at once. Further groups fail with overloaded, and none is taken over from others.")
    ]
}
