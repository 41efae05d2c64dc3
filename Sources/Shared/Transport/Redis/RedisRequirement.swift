/// The checks of a Redis on each new connection, before any other command.
package struct RedisRequirement: Sendable {
    /// One command, and the meaning of its reply.
    package struct Check: Sendable {
        package let command: [RedisArgument]
        /// Returns the reason for which a Redis with this reply must not be used; nil if it may. An error reply is a reply too.
        package let objection: @Sendable (RedisReply) -> RedisError?

        package init(command: [RedisArgument], objection: @escaping @Sendable (RedisReply) -> RedisError?) {
            self.command = command
            self.objection = objection
        }
    }

    /// They are sent together, so all of them take one round trip.
    package let checks: [Check]

    package init(_ checks: [Check]) { self.checks = checks }
}
