import TintypeCore

extension MethodCatalog {
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
                "`{items: [{id, queue, url, cause, status?, refuses, since, until}], cursor?}`. `refuses`: all requests of the queue, or only pictures.",
            errors: [.unknownQueue, .unavailable],
            example: MethodExample(
                #"{"queue":"default"}"#,
                #"{"items":[{"id":"b-1","queue":"default","url":"https://example.org/gone.png","cause":"httpStatus","status":404,"#
                    + #""refuses":"all","since":1764100000,"until":1764100060}]}"#)),
        MethodDescription(
            "blacklist.remove",
            "Removes sources from the blacklist, by id or by ImageRequest. Only `url`, `urls`, `fetch`, `cache.scope` and `queue` of the request count.",
            [
                ParameterDescription("id", .string(maxLength: 64), "The id of an entry."),
                ParameterDescription("ids", .array(of: .string(maxLength: 64), count: 1...1000), "Several ids, instead of `id`."),
            ] + ImageRequest.parameters.map { $0.name == "queue" ? queue : $0.optional }, role: .admin, result: "`{removed}`",
            errors: [.invalidURL, .denied, .unknownQueue, .unavailable],
            example: MethodExample(#"{"url":"https://example.org/gone.png"}"#, #"{"removed":1}"#)),
        MethodDescription(
            "blacklist.clear", "Empties the blacklist.", [queue], role: .admin, result: "`{removed}`", errors: [.unknownQueue, .unavailable],
            example: MethodExample("{}", #"{"removed":0}"#)),
    ]
}
