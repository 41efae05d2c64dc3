extension SettingType where Value == [String] {
    /// Queue names: 1 to 64 of letters, digits, `_`, `-` and `.`.
    package static var queueNames: SettingType {
        list(
            of: "queue names (1 to 64 of letters, digits, _ - ., and none of \(RedisSpace.names), which name other keys in Redis)", placeholder: "NAME,…",
            isSet: true
        ) { word in
            (1...64).contains(word.utf8.count) && !RedisSpace.reserves(String(word))
                && word.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                        || "_-.".utf8.contains(byte)
                }
        }
    }
}
