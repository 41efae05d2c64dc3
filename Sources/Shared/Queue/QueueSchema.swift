package import TintypeTransport

/// The version of the keys and fields in Redis that this program understands.
///
/// The number is in the settings of each queue (`v` of `cfg`). The first coordinator or worker to use the queue puts it there. A program that knows
/// another number changes nothing: every connection is checked before it is used. Every script checks first too (`prelude.lua`), since the number may
/// be raised while we run. Programs with one number work side by side, even if their scripts differ: each calls its own scripts by their digests.
package enum QueueSchema {
    package static let number = RedisSchema.number

    /// The check of a Redis before any queue in it is used. All queues of one Redis have the number of `default`.
    ///
    /// It also checks that the Redis user may SPUBLISH: a script that is refused this in its middle keeps the writes before it.
    package static let requirement = RedisRequirement(command: ["EVAL", .string(question), "1", .string(QueueKeys.shared.prefix)]) { reply in
        guard let found = reply.string, found != number else { return nil }
        guard found.hasPrefix(refused) else { return .otherSchema(found) }
        return .unavailable("SPUBLISH is \(found). Give its Redis user +spublish, and the channels &tintype:* (deploy/users.acl)")
    }

    private static let refused = "refused: "
    // Nobody listens to the channel of a coordinator without a name.
    private static let question = """
        local said = redis.pcall('SPUBLISH', KEYS[1] .. 'ev:', '')
        if type(said) == 'table' then return '\(refused)' .. said.err end
        return redis.call('HGET', KEYS[1] .. 'cfg', 'v')
        """
}
