package import TintypeCore
import TintypeTransport

extension SettingType where Value == String {
    /// The URL of a result store, shown without its password.
    package static var resultsURL: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                _ = try ResultsURL(text)
                return text
            },
            text: { $0 }, shown: { RedisURL.shown($0) })
    }
}
