package import TintypeCore

extension RedisTag {
    /// Returns the reason for which a command must not be sent to the server of this tag; nil if it may.
    package func objection(to command: [RedisArgument]) -> String? {
        let name = command.first?.text ?? ""
        guard let keys = RedisCommandKeys.keys(of: command) else { return "\(name) is not among the commands whose keys are known (RedisCommandKeys)" }
        guard let stranger = keys.first(where: { !owns($0) }) else { return nil }
        return "\(name) was sent to the server of \(prefix) with the key \(stranger)"
    }
}
