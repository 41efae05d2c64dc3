package import TintypeCore

extension SettingType where Value == SocketAddress {
    /// `host:port`, `[v6]:port` or `unix:/path`; port 0 lets the kernel choose.
    package static var address: SettingType {
        SettingType(
            placeholder: "ADDRESS",
            parse: { text throws(SettingError) in
                do throws(SocketAddress.ParseError) {
                    return try SocketAddress(text)
                } catch {
                    throw SettingError(error.description)
                }
            },
            text: { $0.description })
    }

    /// As `address`, but for a listener, which needs a numeric address.
    package static var listenAddress: SettingType {
        SettingType(
            placeholder: "ADDRESS",
            parse: { text throws(SettingError) in
                let value = try address.parse(text)
                guard value.storage() != nil else { throw SettingError("expected a numeric address, such as 127.0.0.1:7411 or 0.0.0.0:7411, not \(text)") }
                return value
            },
            text: { $0.description })
    }
}
