import TintypeCore

extension MethodCatalogue {
    private static let queue = ParameterDescription("queue", ImageRequest.queueType, "One queue. Default: all queues.")

    static let blacklistMethods: [MethodDescription] = [
        MethodDescription(
            "blacklist.list", "Lists the blacklisted sources, those with the latest `until` first.",
            [
                queue, ParameterDescription("limit", .integer(1...1000), default: 100, "The most entries in one answer."),
                ListCursor.parameter,
            ],
            role: .admin,
            result:
                "`{items: [{id, queue, url, cause, status?, refuses, since, until}], cursor?}`, times in epoch seconds. `refuses`: all requests of the "
                + "queue, or only pictures.",
            errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "blacklist.remove",
            "Removes sources from the blacklist, by id or by ImageRequest. Only `url`, `urls`, `fetch`, `cache.scope` and `queue` of the request count.",
            [
                ParameterDescription("id", .string(maxLength: 64), "The id of an entry."),
                ParameterDescription("ids", .array(of: .string(maxLength: 64), count: 1...1000), "Several ids, instead of `id`."),
            ] + ImageRequest.parameters.map { $0.name == "queue" ? queue : $0.optional }, role: .admin, result: "`{removed}`",
            errors: [.invalidURL, .denied, .unknownQueue, .unavailable]),
        MethodDescription(
            "blacklist.clear", "Empties the blacklist.", [queue], role: .admin, result: "`{removed}`", errors: [.unknownQueue, .unavailable]),
    ]
}
