import TintypeCore

extension MethodCatalogue {
    private static let queue = ParameterDescription("queue", ImageRequest.queueType, "Of one queue; default: of all.")

    static let blacklistMethods: [MethodDescription] = [
        MethodDescription(
            "blacklist.list", "Sources that are not asked again yet because they failed before, those who stay longest first.",
            [
                queue, ParameterDescription("limit", .integer(1...1000), default: 100, "Entries in one answer."),
                ListCursor.parameter,
            ],
            role: .admin,
            result:
                "`{items: [{id, queue, url, cause, status?, refuses, since, until}], cursor?}`, times in epoch seconds; `refuses`: all uses of it in its queue, or pictures alone",
            errors: [.unknownQueue, .unavailable]),
        MethodDescription(
            "blacklist.remove",
            "Takes sources off the blacklist: by id, or the source of an ImageRequest, of which only `url`, `urls`, `fetch`, `cache.scope` and `queue` count.",
            [
                ParameterDescription("id", .string(maxLength: 64), "An entry's id."),
                ParameterDescription("ids", .array(of: .string(maxLength: 64), count: 1...1000), "Or many."),
            ] + ImageRequest.parameters.map { $0.name == "queue" ? queue : $0.optional }, role: .admin, result: "`{removed}`",
            errors: [.invalidURL, .denied, .unknownQueue, .unavailable]),
        MethodDescription(
            "blacklist.clear", "Empties the blacklist.", [queue], role: .admin, result: "`{removed}`", errors: [.unknownQueue, .unavailable]),
    ]
}
