import TintypeCore

extension MethodCatalog {
    /// `GET /events` of a queue asks for the same role.
    package static let eventsSubscribe = MethodDescription(
        "events.subscribe",
        "Sends events of other clients to this connection: `image.event`, `group.event`, `workers.changed` and `activity.changed`.",
        [
            ParameterDescription("receipts", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these receipts."),
            ParameterDescription("groups", .array(of: ImageRequest.receiptType, count: 1...1000), "All events of these groups."),
            ParameterDescription("queue", ImageRequest.queueType, "The terminal events of this queue's receipts."),
            ParameterDescription("workers", .boolean, default: false, "Whether to report workers whose state changes."),
            ParameterDescription("activity", .boolean, default: false, "Whether to report changes of `active`, see `activity.get`."),
        ], role: .admin, result: "`{subscription}`", errors: [.unknownQueue, .unknownGroup, .limitExceeded, .unavailable],
        example: MethodExample(#"{"queue":"default","workers":true}"#, #"{"subscription":"s-1"}"#))

    /// Events, and the connection itself.
    static let systemMethods: [MethodDescription] = [
        eventsSubscribe,
        MethodDescription(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [ParameterDescription("subscription", .string(maxLength: 64), required: true, "The id from `events.subscribe`.")],
            role: .load,
            result: "`{removed}`", example: MethodExample(#"{"subscription":"s-1"}"#, #"{"removed":true}"#)),
        MethodDescription(
            "system.ping", "Answers at once, without asking Redis.", role: .load, result: "`\"pong\"`",
            example: MethodExample("{}", #""pong""#)),
        MethodDescription(
            "system.info",
            "Shows uptime and limits of this coordinator, and the client that asks. `coordinators` is the number of live ones. "
                + "Only an admin sees `version`, `versions`, `rpc`, `redis` and the host of `http`. "
                + "`identity` has the `name`, `role`, `scope` and `queues` of the client's token or certificate. For a name with limits it also has `limits`, "
                + "and in `left` how much of them is left here: `burst`, `running`, `queued` and "
                + "`uploads` in bytes.",
            role: .load,
            result: "`{version?, versions?, coordinator, coordinators, uptime, rpc?, http, limits, redis?, identity, state}`",
            example: MethodExample(
                "{}", #"{"versions":{"jsonrpc":"2.0","openrpc":"1.3.2"},"limits":{"maxMessageBytes":4194304,"maxDepth":64,"maxBatch":1024},"state":"serving"}"#,
                isShortened: true)),
        MethodDescription(
            "session.authenticate", "Authenticates this connection with a token. Where the operator requires tokens, other methods fail before this call.",
            [ParameterDescription("token", .string(maxLength: 4096), required: true, secret: true, "The token.")], role: .load, result: "`{ok: true, role}`",
            errors: [.unauthenticated, .overloaded], example: MethodExample(#"{"token":"sesame-for-the-example"}"#, #"{"ok":true,"role":"admin"}"#)),
        MethodDescription(
            "rpc.discover", "Describes this interface.", role: .load, result: "an OpenRPC 1.3 document",
            example: MethodExample("{}", #"{"openrpc":"1.3.2","info":{"title":"Tintype"},"methods":[{"name":"image.load"}]}"#, isShortened: true)),
        MethodDescription(
            "$/cancelRequest", "Cancels a request of this connection by its JSON-RPC id. A notification, as in the Language Server Protocol.",
            [ParameterDescription("id", .union([.string(), .number(-.infinity ... .infinity)]), required: true, "The request's JSON-RPC id.")],
            role: .load,
            result: "nothing", example: MethodExample(#"{"id":7}"#, nil)),
    ]
}
