import TintypeCore

extension MethodCatalogue {
    static let systemMethods: [MethodDescription] = [
        MethodDescription("system.ping", "Answers at once, without Redis.", role: .load, result: "`\"pong\"`"),
        MethodDescription(
            "system.info", "Versions, addresses, uptime and limits of this coordinator.", role: .load,
            result: "`{version, versions, uptime, rpc, http, limits, redis}`"),
        MethodDescription(
            "system.validate",
            "Checks every rule of every queue on the live Redis, a page at a time: other work goes on, and nothing is refused for the size of a queue. "
                + "One check runs at a time: who asks meanwhile gets its answer.",
            role: .admin,
            result: "`{ok, violations: []}`: a sentence for each rule that does not hold, a thousand at most", errors: [.unavailable]),
        MethodDescription(
            "session.authenticate", "Shows the token that the operator has configured; without it nothing else is done on this connection.",
            [ParameterDescription("token", .string(maxLength: 4096), required: true, secret: true, "The token.")], role: .load, result: "`{ok: true, role}`",
            errors: [.unauthenticated]),
        MethodDescription("rpc.discover", "This interface as an OpenRPC document.", role: .load, result: "an OpenRPC 1.3 document"),
        MethodDescription(
            "$/cancelRequest", "A notification, as in the Language Server Protocol: the request with that id on this connection ends as cancelled.",
            [ParameterDescription("id", .union([.string(), .number(-.infinity ... .infinity)]), required: true, "The request's JSON-RPC id.")],
            role: .load,
            result: "nothing"),
    ]
}
