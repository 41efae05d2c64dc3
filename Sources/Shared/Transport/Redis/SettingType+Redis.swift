package import TintypeCore

extension SettingType where Value == String {
    /// The URL of a Redis, shown without its password.
    package static var redisURL: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                do throws(RedisError) {
                    _ = try RedisURL(text)
                    return text
                } catch {
                    throw SettingError("\(error), got \"\(RedisURL.shown(text))\"")
                }
            },
            text: { $0 }, shown: { RedisURL.shown($0) })
    }
}
