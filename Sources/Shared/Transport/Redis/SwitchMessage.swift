/// A message on the channel `+switch-master` of a sentinel: another server is the primary of a Redis.
package struct SwitchMessage: Sendable, Hashable {
    /// The channel of these messages.
    package static let channel = "+switch-master"

    /// The reaction to a message.
    package enum Step: Sendable, Hashable {
        /// The message concerns another Redis, or tells nothing new.
        case nothing
        /// Ask the sentinels: they know of something that this process has not followed.
        case ask
        /// Close every connection to the old primary now, and ask.
        case leave
    }

    package let name: String
    package let old: SocketAddress
    package let new: SocketAddress

    /// Reads `name old-host old-port new-host new-port`; nil for another text.
    package init?(_ payload: [UInt8]) {
        let words = String(decoding: payload, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 5, let old = SentinelAnswer.address(words[1], words[2]), let new = SentinelAnswer.address(words[3], words[4]) else { return nil }
        (name, self.old, self.new) = (words[0], old, new)
    }

    /// Returns what to do.
    ///
    /// Sentinels that come back may announce old switches once more. Leaving costs a new connection then, and the answers of all sentinels, and the
    /// server's own, decide where to.
    /// - Parameters:
    ///   - name: the name of the Redis in use.
    ///   - primary: its present primary; nil if none is known.
    package func step(for name: String, primary: SocketAddress?) -> Step {
        guard self.name == name, primary != new else { return .nothing }
        return primary == old ? .leave : .ask
    }
}
