/// The check of a Redis on each new connection, before any other command.
package struct RedisRequirement: Sendable {
    package let command: [RedisArgument]
    /// Returns the reason for which a Redis with this answer must not be used; nil if it may.
    package let objection: @Sendable (RedisReply) -> RedisError?

    package init(command: [RedisArgument], objection: @escaping @Sendable (RedisReply) -> RedisError?) {
        self.command = command
        self.objection = objection
    }
}
