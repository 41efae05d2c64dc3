import Coordinator
import TintypeCore
import TintypeImages

/// The name under which a browser saves a picture: `Content-Disposition` (RFC 6266). Pure.
struct DoorFileName: Sendable, Hashable {
    /// Never empty, without slashes and control characters.
    let text: String

    /// - Parameters:
    ///   - asked: The name in the URL; nil: the last part of the source's path.
    ///   - contentType: The type of the picture, which decides the extension.
    init(asked: String?, source: String, contentType: String) {
        let name = asked ?? Self.last(of: source)
        guard let format = ImageFormat.allCases.first(where: { $0.contentType == contentType }) else {
            text = name
            return
        }
        let ends = format == .jpeg ? ["jpg", "jpeg"] : [format.fileExtension]
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > name.startIndex ? $0 : nil }
        let written = dot.map { name[$0...].dropFirst().lowercased() }
        if let written, ends.contains(written) {
            text = name
        } else {
            // A chosen name keeps all of its dots. In the name of a source, the last one begins the extension of another format.
            text = (asked == nil ? dot.map { String(name[..<$0]) } ?? name : name) + "." + ends[0]
        }
    }

    private static func last(of source: String) -> String {
        let path = source.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        // The path begins behind the host. Other URLs, such as data:, have no names.
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let name = parts.count > 3 && parts[1].isEmpty ? PercentText.decoded(String(Substring(parts[parts.count - 1]))) : ""
        var clean = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where scalar.properties.generalCategory != .control && scalar != "/" && scalar != "\\" { clean.append(scalar) }
        return clean.isEmpty || clean.count > 255 ? "image" : String(clean)
    }

    /// The value of the header. Names outside ASCII are sent twice: programs that know only the first form get underscores.
    func disposition(isAttachment: Bool) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "%") }
        let ascii = String(text.unicodeScalars.map { (0x20...0x7e).contains($0.value) && !"\"\\%".unicodeScalars.contains($0) ? Character($0) : "_" })
        let word = isAttachment ? "attachment" : "inline"
        return "\(word); filename=\"\(ascii)\"" + (isPlain ? "" : "; filename*=UTF-8''\(PercentText.encoded(text))")
    }
}
