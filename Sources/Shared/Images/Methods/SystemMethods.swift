import TintypeCore

extension MethodCatalog {
    static let systemMethods: [MethodDescription] = [
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
            "system.validate",
            "Checks every invariant of every queue in Redis, page by page, so that other work goes on. "
                + "One check runs at a time; clients that ask meanwhile get its answer.",
            role: .admin,
            result: "`{ok, violations: []}`: a sentence for each broken invariant, at most 1,000", errors: [.unavailable],
            example: MethodExample("{}", #"{"ok":true,"violations":[]}"#)),
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
