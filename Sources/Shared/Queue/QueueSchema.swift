package import TintypeTransport

/// Which keys this program understands: by a number that says what the keys of a queue are and what their fields mean.
///
/// It stands in the settings of each queue (`v` of `cfg`), put there by whoever comes first. A program that knows another number changes
/// nothing: every connection is asked for it before it is used, and every script looks at it before anything else (`prelude.lua`), for it may
/// be raised while we run. Programs of one number work side by side, however their scripts differ: each calls its own by their digests.
package enum QueueSchema {
    package static let number = RedisSchema.number

    /// What a Redis has to say before any queue in it is touched. All queues of one Redis have the number of `default`.
    package static let requirement = RedisRequirement(command: ["HGET", .string(QueueKeys.shared.prefix + "cfg"), "v"]) { reply in
        guard let found = reply.string, found != number else { return nil }
        return .otherSchema(found)
    }
}
