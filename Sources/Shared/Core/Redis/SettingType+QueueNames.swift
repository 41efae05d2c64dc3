extension SettingType where Value == [String] {
    /// Queue names: 1 to 64 of letters, digits, `_`, `-` and `.`.
    package static var queueNames: SettingType {
        list(
            of: "queue names (1 to 64 of letters, digits, _ - ., and none of \(RedisSpace.names), which name other keys in Redis)", placeholder: "NAME,…",
            isSet: true
        ) { $0.isPlainName(1...64) && !RedisSpace.reserves(String($0)) }
    }
}
