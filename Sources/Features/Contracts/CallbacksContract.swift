package import TintypeCore
package import TintypeImages

/// The settings of callbacks, and of the messages about purges, which go the same way.
package struct CallbackSettings: Sendable {
    /// The longest time of one callback attempt.
    package var timeout = Duration.seconds(10)
    /// The pause after the first failed callback attempt; each later pause is four times as long.
    package var retry = Duration.seconds(1)
    /// The URL that is told of purges.
    package var purgeWebhook: String?
    /// A file with the secret that signs these messages.
    package var purgeSecretFile: String?

    /// Reads the secret of the messages about purges.
    /// - Returns: their receiver; nil if there is none.
    /// - Throws: `SettingError` for a file without a secret, and for a secret without a URL.
    package func purgeTarget() throws(SettingError) -> CallbackTarget? {
        guard let url = purgeWebhook else {
            guard purgeSecretFile == nil else { throw SettingError("--purge-webhook-secret-file needs --purge-webhook: name the URL to post to") }
            return nil
        }
        return CallbackTarget(url: url, secret: try purgeSecretFile.map { path throws(SettingError) in try Self.secret(path) })
    }

    private static func secret(_ path: String) throws(SettingError) -> String {
        let text = String(try ConfigurationFile.read(path).trimmed)
        guard (1...1024).contains(text.utf8.count) else { throw SettingError("\(path): expected a secret of 1 to 1024 bytes") }
        return text
    }

    static let settings: [Setting<CallbackSettings>] = [
        Setting(
            "callback-timeout", \.timeout, .duration(.milliseconds(100) ... .seconds(120)),
            help: "The longest time of one callback attempt, connecting included."),
        Setting(
            "callback-retry", \.retry, .duration(.milliseconds(1) ... .seconds(600)),
            help: "The pause after the first failed callback attempt, plus or minus half. Each later pause is four times as long. Five attempts in all."),
        Setting(
            "purge-webhook", optional: \.purgeWebhook, .webhook, defaultNote: "nobody is told",
            help: "An http or https URL that each purge is posted to, as JSON. The address must be public, or one of --allow-addresses."),
        Setting(
            "purge-webhook-secret-file", optional: \.purgeSecretFile, .file { path throws(SettingError) in _ = try secret(path) },
            defaultNote: "the messages are not signed",
            help: "A file with the secret that signs the messages of --purge-webhook, as the secret of a callback does."),
    ]
}

extension SettingType where Value == String {
    /// A URL that messages are posted to. The path may be a secret.
    fileprivate static var webhook: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                guard CallbackTarget.accepts(text) else { throw SettingError("expected an http or https URL, all of it ASCII") }
                return text
            },
            text: { $0 }, shown: { RedactedURL($0).description })
    }
}
