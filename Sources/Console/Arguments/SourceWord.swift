import Glibc
import TintypeCore

/// The word that names the source of a command: a URL, a file of this machine, or `-` for standard input.
enum SourceWord: Equatable {
    case url(String)
    case file(String)
    case input

    /// The schemes of URLs that are sources. A word that begins with one of them is never a file; `./` in front of it makes it one.
    private static let schemes = ["http", "https", "data", "file", "color", "s3", "upload"]

    /// - Parameters:
    ///   - isRelative: whether the request names a base URL, so that a word without a scheme is a URL too.
    ///   - kind: the kind of thing at a path.
    ///   - names: the names beside a path.
    /// - Throws: `UsageError` for a word that is neither a URL nor a file.
    init(
        _ word: String, isRelative: Bool, kind: (String) -> PathKind = PathKind.of, names: (String) -> [String] = PathKind.names(beside:)
    ) throws(UsageError) {
        if word == "-" {
            self = .input
        } else if isRelative || Self.isURL(word) {
            self = .url(word)
        } else {
            switch kind(word) {
            case .file: self = .file(word)
            case .folder: throw UsageError("\(word) is a folder: name one file, or list URLs for `tintype batch`")
            // The coordinator says which schemes it takes.
            case .nothing where word.contains("://"): self = .url(word)
            case .nothing:
                let name = word.split(separator: "/").last.map(String.init) ?? word
                let hint = NearestName.of(name, among: names(word)).map { " (did you mean \($0)?)" } ?? ""
                throw UsageError("there is no file \(word)\(hint). A URL begins with its scheme, such as https://")
            }
        }
    }

    private static func isURL(_ word: String) -> Bool {
        guard let colon = word.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return schemes.contains(word[..<colon].lowercased())
    }
}

/// The kind of thing at a path of this machine.
enum PathKind: Sendable {
    /// A file, a pipe, or a device.
    case file
    case folder
    case nothing

    static func of(_ path: String) -> PathKind {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return .nothing }
        return facts.st_mode & S_IFMT == S_IFDIR ? .folder : .file
    }

    /// Returns the names beside a path; none if its folder cannot be read.
    static func names(beside path: String) -> [String] {
        FileCalls.names(in: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    }
}
