import Testing

@testable import Console

struct SourceWordTests {
    private static let files: Set<String> = ["photo.jpg", "./http:x", "a:b.png", "dir/photo.jpg", "odd://name"]

    private func word(_ text: String, isRelative: Bool = false) throws -> SourceWord {
        try SourceWord(
            text, isRelative: isRelative, kind: { Self.files.contains($0) ? .file : $0 == "dir" ? .folder : .nothing },
            names: { $0.hasPrefix("dir/") ? ["photo.jpg"] : ["photo.jpg", "dir"] })
    }

    @Test(arguments: [
        ("-", SourceWord.input), ("https://a.test/x", .url("https://a.test/x")), ("HTTP://a.test", .url("HTTP://a.test")), ("data:,x", .url("data:,x")),
        ("color:red,1x1", .url("color:red,1x1")), ("s3://b/k", .url("s3://b/k")), ("file:///x", .url("file:///x")), ("upload:1", .url("upload:1")),
        ("ftp://a.test/x", .url("ftp://a.test/x")), ("photo.jpg", .file("photo.jpg")), ("./http:x", .file("./http:x")), ("a:b.png", .file("a:b.png")),
        ("dir/photo.jpg", .file("dir/photo.jpg")), ("odd://name", .file("odd://name")),
    ])
    func `a word is a URL by its scheme, otherwise a file that exists`(text: String, expected: SourceWord) throws {
        #expect(try word(text) == expected)
    }

    @Test func `beside a base URL every word is a URL`() throws {
        #expect(try word("photo.jpg", isRelative: true) == .url("photo.jpg"))
        #expect(try word("-", isRelative: true) == .input)
    }

    @Test(arguments: [
        ("photo.jgp", ["no file photo.jgp", "did you mean photo.jpg?", "https://"]), ("dir/photos.jpg", ["did you mean photo.jpg?"]),
        ("www.a.test/x", ["no file www.a.test/x", "https://"]), ("dir", ["dir is a folder"]), ("htps:x", ["no file htps:x"]), ("", ["no file"]),
    ])
    func `a word that is neither says what was expected`(text: String, parts: [String]) {
        let error = #expect(throws: UsageError.self) { try word(text) }
        for part in parts { #expect(error?.mistakes.joined().contains(part) == true, "\(String(describing: error))") }
    }
}
