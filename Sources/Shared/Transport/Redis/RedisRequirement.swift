/// What a Redis is asked on each new connection before anything else is.
package struct RedisRequirement: Sendable {
    package let command: [RedisArgument]
    /// Why a Redis that answers so must not be used; nil if it may.
    package let objection: @Sendable (RedisReply) -> RedisError?

    package init(command: [RedisArgument], objection: @escaping @Sendable (RedisReply) -> RedisError?) {
        self.command = command
        self.objection = objection
    }
}
