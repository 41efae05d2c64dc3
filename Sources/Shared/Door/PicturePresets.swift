package import TintypeCore

/// The presets of the operator: names for lists of options. A pure value.
///
/// The file has one `NAME=OPTION/OPTION` a line, and comments after `#`. Every option is read when the file is, so no URL meets a broken preset.
package struct PicturePresets: Sendable, Hashable {
    /// The options of each preset. Presets within presets are replaced by their options.
    private let options: [String: [PictureURL.Option]]

    /// The preset that is applied to every picture, before the URL.
    package static let usual = "default"
    /// The most options of a preset, those of other presets included.
    package static let most = 256
    /// The most presets that lie in each other.
    private static let deepest = 16
    package static let none = PicturePresets(options: [:])

    package var names: [String] { options.keys.sorted() }

    private init(options: [String: [PictureURL.Option]]) { self.options = options }

    /// - Parameter text: the file.
    /// - Throws: a refusal whose message begins with the line.
    package init(text: String) throws(DoorRefusal) {
        var written: [String: (line: Int, options: [PictureURL.Option])] = [:]
        for (index, bytes) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let line = Substring(bytes).trimmed
            guard !line.isEmpty, line.utf8.first != UInt8(ascii: "#") else { continue }
            let (name, found) = try Self.preset(line, index + 1)
            guard written[name] == nil else {
                throw DoorRefusal(.wrongArgument, "line \(index + 1): the preset \(DoorRefusal.shown(name)) is there twice; remove one")
            }
            written[name] = (index + 1, found)
        }
        var whole: [String: [PictureURL.Option]] = [:]
        for name in written.keys.sorted() { _ = try Self.expand(name, written, &whole, []) }
        options = whole
    }

    /// Returns the options of a URL: those of the preset `default`, then those of the URL with its presets, then its extension.
    /// - Parameter isSigned: whether the URL has a signature. Without one its maker is a stranger.
    package func options(of url: PictureURL, isSigned: Bool) throws(DoorRefusal) -> PictureOptions {
        var result = PictureOptions()
        for option in options[Self.usual] ?? [] { try Self.apply(option, to: &result) }
        for option in url.options {
            do throws(DoorRefusal) {
                let known = try PictureOptionTable.option(named: option.name)
                guard !known.isOperators else {
                    throw DoorRefusal(.notAllowed, option: known.name, "\(known.name) may stand in presets only; leave it out")
                }
                guard isSigned || !known.needsSignature else {
                    throw DoorRefusal(.notAllowed, option: known.name, "\(known.name) may stand in presets and signed URLs only; leave it out, or sign the URL")
                }
                guard known.name == PictureOption.presetName else {
                    try known.apply(option.arguments, to: &result)
                    continue
                }
                for name in option.arguments where !name.isEmpty {
                    guard let preset = options[name] else {
                        throw DoorRefusal(.unknownPreset, option: PictureOption.presetName, "there is no preset \(DoorRefusal.shown(name))")
                    }
                    for option in preset { try Self.apply(option, to: &result) }
                }
            } catch {
                throw error.at(option.position)
            }
        }
        if let name = url.fileExtension { try Self.apply(PictureURL.Option(name: "format", arguments: [name]), to: &result) }
        return result
    }

    private static func apply(_ option: PictureURL.Option, to result: inout PictureOptions) throws(DoorRefusal) {
        try PictureOptionTable.option(named: option.name).apply(option.arguments, to: &result)
    }

    /// Reads one line, and each of its options.
    private static func preset(_ line: Substring, _ number: Int) throws(DoorRefusal) -> (name: String, options: [PictureURL.Option]) {
        guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw DoorRefusal(.wrongArgument, "line \(number): there is no =; write NAME=OPTION/OPTION")
        }
        let name = String(line[..<equals].trimmed)
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }) else {
            throw DoorRefusal(.wrongArgument, "line \(number): the name \(DoorRefusal.shown(name)) is empty, or has a space, a colon or a slash")
        }
        var options: [PictureURL.Option] = []
        var scratch = PictureOptions()
        let rest = line[line.utf8.index(after: equals)...].trimmed
        for text in rest.isEmpty ? [] : rest.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let option = PictureURL.Option(String(Substring(text)), at: 0)
            do throws(DoorRefusal) {
                try apply(option, to: &scratch)
            } catch {
                throw DoorRefusal(error.reason, option: error.option, "line \(number): \(error.message)")
            }
            options.append(option)
        }
        return (name, options)
    }

    /// Returns the options of a preset with those of the presets within it.
    /// - Parameter path: the presets that lead to this one.
    private static func expand(
        _ name: String, _ written: [String: (line: Int, options: [PictureURL.Option])], _ whole: inout [String: [PictureURL.Option]], _ path: [String]
    ) throws(DoorRefusal) -> [PictureURL.Option] {
        if let done = whole[name] { return done }
        guard let (line, options) = written[name] else {
            throw DoorRefusal(.unknownPreset, option: PictureOption.presetName, "there is no preset \(DoorRefusal.shown(name))")
        }
        guard !path.contains(name) else {
            throw DoorRefusal(
                .wrongArgument, option: PictureOption.presetName,
                "line \(line): the preset \(DoorRefusal.shown(name)) contains itself; take it out of its presets")
        }
        guard path.count < deepest else {
            throw DoorRefusal(.tooManyOptions, option: PictureOption.presetName, "line \(line): presets lie in each other more than \(deepest) deep")
        }
        var result: [PictureURL.Option] = []
        for option in options {
            if try PictureOptionTable.option(named: option.name).name == PictureOption.presetName {
                for inner in option.arguments where !inner.isEmpty {
                    do throws(DoorRefusal) {
                        result += try expand(inner, written, &whole, path + [name])
                    } catch {
                        guard error.reason == .unknownPreset, !error.message.hasPrefix("line") else { throw error }
                        throw DoorRefusal(.unknownPreset, option: error.option, "line \(line): \(error.message)")
                    }
                }
            } else {
                result.append(option)
            }
            guard result.count <= most else {
                throw DoorRefusal(
                    .tooManyOptions, "line \(line): the preset \(DoorRefusal.shown(name)) has more than \(most) options, with those of its presets")
            }
        }
        whole[name] = result
        return result
    }
}

extension Substring {
    /// The text without spaces, tabs and carriage returns at both ends.
    fileprivate var trimmed: Substring {
        var bytes = utf8
        while let first = bytes.first, [0x20, 0x09, 0x0d].contains(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, [0x20, 0x09, 0x0d].contains(last) { bytes = bytes.dropLast() }
        return Substring(bytes)
    }
}

extension PicturePresets {
    /// Reads the presets in a file.
    /// - Throws: the mistake and its line.
    package static func read(_ path: String) throws(SettingError) -> PicturePresets {
        let text = try ConfigurationFile.read(path)
        do throws(DoorRefusal) {
            return try PicturePresets(text: text)
        } catch {
            throw SettingError("\(path): \(error.message)")
        }
    }
}
