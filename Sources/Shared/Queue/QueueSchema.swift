package import TintypeTransport

/// The version of the keys and fields in Redis that this program understands.
///
/// The number is in the settings of each queue (`v` of `cfg`). The first coordinator or worker to use the queue puts it there. A program that knows
/// another number changes nothing: every connection is checked before it is used. Every script checks first too (`prelude.lua`), since the number may
/// be raised while we run. Programs with one number work side by side, even if their scripts differ: each calls its own scripts by their digests.
package enum QueueSchema {
    package static let number = RedisSchema.number

    /// The check of a Redis before any queue in it is used. All queues of one Redis have the number of `default`.
    package static let requirement = RedisRequirement(command: ["HGET", .string(QueueKeys.shared.prefix + "cfg"), "v"]) { reply in
        guard let found = reply.string, found != number else { return nil }
        return .otherSchema(found)
    }
}
