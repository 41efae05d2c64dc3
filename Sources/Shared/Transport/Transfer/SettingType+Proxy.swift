package import TintypeCore

extension SettingType where Value == String {
    /// The URL of a proxy, shown without its password.
    package static var proxyURL: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                guard TransferProxy(text) != nil else {
                    throw .expected("http, https, socks4, socks5 or socks5h://host:port", got: RedactedURL(text).description)
                }
                return text
            },
            text: { $0 }, shown: { RedactedURL($0).description })
    }
}
