import Glibc

/// The reason why a value was refused, with what to correct: `expected …, got "…"`.
package struct SettingError: Error, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// Returns the usual message. For secrets, the caller leaves `text` out.
    package static func expected(_ what: String, got text: String) -> SettingError {
        SettingError("expected \(what), got \"\(text)\"")
    }
}

/// One kind of value of a setting: how it is written, read and shown.
package struct SettingType<Value: Sendable>: Sendable {
    /// The name of the value in `--help`: `ADDRESS`, `SIZE`.
    package let placeholder: String
    /// Reads the value from text.
    package let parse: @Sendable (String) throws(SettingError) -> Value
    /// Writes the value so that `parse` reads it back.
    package let text: @Sendable (Value) -> String
    /// Returns the form that may be shown. It differs from the text if a value can contain a secret.
    package let shown: @Sendable (String) -> String

    package init(
        placeholder: String,
        parse: @escaping @Sendable (String) throws(SettingError) -> Value,
        text: @escaping @Sendable (Value) -> String,
        shown: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.placeholder = placeholder
        self.parse = parse
        self.text = text
        self.shown = shown
    }
}

extension SettingType where Value == Bool {
    /// A switch: the flag alone turns it on. Elsewhere, and as `--flag=false`, the value is true or false.
    package static var isOn: SettingType {
        SettingType(
            placeholder: "",
            parse: { text throws(SettingError) in
                switch text.lowercased() {
                case "true", "yes", "on", "1": true
                case "false", "no", "off", "0": false
                default: throw .expected("true or false", got: text)
                }
            },
            text: { $0 ? "true" : "false" })
    }
}

extension SettingType where Value == Int {
    /// A whole number within `range`.
    package static func count(_ range: ClosedRange<Int>) -> SettingType {
        SettingType(
            placeholder: "N",
            parse: { text throws(SettingError) in
                guard let number = Int(text), range.contains(number) else {
                    throw .expected("a whole number from \(range.lowerBound) to \(range.upperBound)", got: text)
                }
                return number
            },
            text: { String($0) })
    }

    /// A number of bytes: `1048576`, `512KiB`, `100MiB`, `1.5GiB`. KB, MB and GB count in thousands.
    package static func size(atLeast least: Int = 0) -> SettingType {
        SettingType(
            placeholder: "SIZE",
            parse: { text throws(SettingError) in
                guard let bytes = ByteSize.parse(text) else { throw .expected("a size such as 100MiB", got: text) }
                guard bytes >= least else { throw .expected("at least \(ByteSize.text(least))", got: text) }
                return bytes
            },
            text: { ByteSize.text($0) })
    }
}

extension SettingType where Value == Duration {
    /// A duration in seconds, or with `ms`, `s`, `m`, `h`: `25`, `1.5s`, `500ms`.
    package static func duration(_ range: ClosedRange<Duration>) -> SettingType {
        SettingType(
            placeholder: "SECONDS",
            parse: { text throws(SettingError) in
                guard let duration = DurationText.parse(text), range.contains(duration) else {
                    let limits = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
                    throw .expected("seconds, or a duration such as 500ms or 2m, from \(limits)", got: text)
                }
                return duration
            },
            text: { DurationText.text($0) })
    }
}

extension SettingType where Value == String {
    /// A file or folder that need not exist.
    package static var path: SettingType {
        SettingType(placeholder: "PATH", parse: { text throws(SettingError) in text }, text: { $0 })
    }

    /// A readable file. It is checked with the other settings, so that all mistakes are reported together.
    /// - Parameter check: a further check of the file.
    package static func file(_ check: @escaping @Sendable (_ path: String) throws(SettingError) -> Void = { _ in }) -> SettingType {
        SettingType(
            placeholder: "PATH",
            parse: { text throws(SettingError) in
                // Anything but a plain file, such as a pipe of the shell, can be read only once.
                if try ConfigurationFile.open(text, O_RDONLY) { try check(text) }
                return text
            },
            text: { $0 })
    }
}

extension SettingType where Value == [String] {
    /// Words separated by commas, each of which must satisfy `accepts`.
    /// - Parameter isSet: whether a word must not occur twice, and no word may be empty.
    package static func list(
        of what: String, placeholder: String, isSet: Bool = false, where accepts: @escaping @Sendable (String) -> Bool
    ) -> SettingType {
        SettingType(
            placeholder: placeholder,
            parse: { text throws(SettingError) in
                let words = text.split(separator: ",", omittingEmptySubsequences: !isSet).map { String($0.trimmed) }
                for word in words where !accepts(word) { throw .expected("\(what) separated by commas", got: word) }
                if isSet, let twice = words.enumerated().first(where: { words[..<$0].contains($1) }) {
                    throw SettingError(
                        "\(twice.element) is listed "
                            + "twice")
                }
                guard !words.isEmpty else { throw .expected("\(what) separated by commas", got: text) }
                return words
            },
            text: { $0.joined(separator: ",") })
    }

    /// Address ranges: `127.0.0.0/8,::1/128`.
    package static var addressRanges: SettingType {
        list(of: "address ranges such as 127.0.0.0/8", placeholder: "CIDR,…") { AddressRange($0) != nil }
    }

    /// Prefixes of a NAT64, such as `2001:db8:64::/96`.
    package static var translatedRanges: SettingType {
        list(of: "IPv6 prefixes of 32, 40, 48, 56, 64 or 96 bits, such as 2001:db8:64::/96", placeholder: "CIDR,…") { AddressRange($0)?.isTranslated == true }
    }

    /// Names of hosts: `example.org`, `.example.org` or `*`.
    package static var hostNames: SettingType {
        list(of: "names of hosts, .domains or *", placeholder: "HOST,…") { word in
            !word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && !"/@?#\\".utf8.contains($0) }
        }
    }

    /// Font families: `sans`, `Noto Sans`.
    package static var fontNames: SettingType {
        list(of: "names of fonts", placeholder: "FONT,…") { word in (1...100).contains(word.utf8.count) && word.utf8.allSatisfy { $0 >= 0x20 } }
    }
}

extension SettingType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enum.
    package static var choice: SettingType {
        let words = Value.allCases.map(\.rawValue)
        return SettingType(
            placeholder: words.joined(separator: "|"),
            parse: { text throws(SettingError) in
                guard let value = Value(rawValue: text) else {
                    let hint = NearestName.hint(text, among: words)
                    throw SettingError("expected one of \(words.joined(separator: ", ")), got \"\(text)\"\(hint)")
                }
                return value
            },
            text: { $0.rawValue })
    }
}
