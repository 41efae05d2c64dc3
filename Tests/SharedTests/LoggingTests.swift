import Foundation
import TintypeCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoggingTests {
    /// The lines that a logger writes while `body` runs.
    private func lines(_ format: LogFormat, level: LogLevel = .info, _ body: (Logger) -> Void) -> [String] {
        let pipe = Pipe()
        body(Logger(label: "test", level: level, format: format, descriptor: pipe.fileHandleForWriting.fileDescriptor))
        try? pipe.fileHandleForWriting.close()
        let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The contents of a pipe now.
    private func contents(of pipe: Pipe) -> Data {
        var held = Data()
        var readable = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while poll(&readable, 1, 0) == 1 { held += pipe.fileHandleForReading.availableData }
        return held
    }

    @Test func `a logfmt line carries time, level, label, message and fields in order`() throws {
        let line = try #require(lines(.logfmt) { $0.with(["fetch": "f1"]).notice("it began", ["size": 12, "word": "two words"]) }.first)
        #expect(line.hasPrefix("time=20"))
        #expect(line.hasSuffix(#"level=notice label=test msg="it began" fetch=f1 size=12 word="two words""#))
    }

    @Test func `a json line parses and holds the same`() throws {
        let line = try #require(lines(.json) { $0.error("a \"quoted\"\nline", ["tab": "a\tb"]) }.first)
        let value = try JSON(parsing: Array(line.utf8))
        #expect(value["level"]?.string == "error")
        #expect(value["msg"]?.string == "a \"quoted\"\nline")
        #expect(value["tab"]?.string == "a\tb")
    }

    @Test func `a line within a trace has the ids of its context`() throws {
        let context = try #require(TraceContext(parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        let lines = lines(.json) { logger in
            TraceContext.within(context) { logger.notice("inside") }
            logger.notice("outside")
        }
        #expect(lines[0].contains(#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7""#) && !lines[1].contains("trace_id"))
    }

    @Test func `lines below the level are not written and their fields not evaluated`() {
        var evaluated = 0
        let written = lines(.logfmt, level: .warning) { logger in
            logger.info(
                "no",
                [
                    "n": {
                        evaluated += 1; return evaluated
                    }()
                ])
            logger.warning("yes")
        }
        #expect(written.count == 1)
        #expect(evaluated == 0)
    }

    @Test(arguments: LogFormat.allCases) func `a value with line breaks stays one line`(format: LogFormat) {
        #expect(lines(format) { $0.info("a\nlevel=error msg=forged", ["k\ney": "v\r\nx"]) }.count == 1)
    }

    @Test(arguments: LogFormat.allCases) func `a secret anywhere in a URL never reaches the line`(format: LogFormat) {
        let url = "https://user:hunter2@host/a.jpg?sig=hunter2"
        let text = lines(format) {
            $0.with(["context": url]).info("got \(url),\(url) and (redis://:hunter2@db:6379)", ["url": url, "q": "x=\"\(url)\""])
        }.joined()
        #expect(!text.isEmpty)
        #expect(!text.contains("hunter2"))
        #expect(text.contains("host/a.jpg"))
    }

    /// A pipe of 64 KiB without a reader, and ten times as many bytes to log.
    @Test func `a pipe without a reader delays nobody, and lost lines are counted`() throws {
        let pipe = Pipe()
        let logger = Logger(label: "test", descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let asked = 2_000
        for number in 0..<asked { logger.info("line", ["number": number, "words": String(repeating: "w", count: 300)]) }
        let held = contents(of: pipe)
        let before = String(decoding: held, as: UTF8.self).split(separator: "\n")
        logger.with(["kept": "yes"]).info("read again")
        logger.info("and on")
        try pipe.fileHandleForWriting.close()
        let after = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self).split(separator: "\n")
        #expect(before.count > 100 && before.allSatisfy { $0.hasSuffix("w") })
        #expect(after.count == 2)
        #expect(after.first?.hasSuffix("kept=yes lost=\(asked - before.count)") == true)
        #expect(after.last?.contains("lost") == false)
    }

    /// A terminal reports room when it has a little. A larger write would wait for more room.
    @Test func `a terminal without a reader delays nobody`() throws {
        let reader = posix_openpt(O_RDWR | O_NOCTTY)
        try #require(reader >= 0 && grantpt(reader) == 0 && unlockpt(reader) == 0)
        defer { close(reader) }
        let terminal = open(String(cString: ptsname(reader)), O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        let logger = Logger(label: "test", descriptor: terminal)
        for number in 0..<2_000 { logger.info("line \(number)", ["text": String(repeating: "x", count: number % 700)]) }
        #expect(fcntl(terminal, F_GETFL) & O_NONBLOCK == 0, "the shared file is unchanged")
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        #expect(read(reader, &bytes, bytes.count) > 0)
    }

    @Test func `a line longer than a pipe is cut, and the next line is whole`() throws {
        let pipe = Pipe()
        let logger = Logger(label: "test", descriptor: pipe.fileHandleForWriting.fileDescriptor)
        logger.info(String(repeating: "m", count: 200_000))
        let held = contents(of: pipe)
        logger.info("whole")
        try pipe.fileHandleForWriting.close()
        let after = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(held.count < 200_000 && held.last == UInt8(ascii: "m"))
        #expect(after.hasPrefix("\ntime=") && after.hasSuffix("msg=whole lost=1\n"))
    }
}

@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct RedactedTextTests {
    @Test(arguments: [
        ("https://h/x?sig=ab'cd", "https://h/x?sig=***"), ("got 'https://h/x?sig=ab' and 'more'", "got 'https://h/x?sig=*** and 'more'"),
        ("'https://u:p'w@h/x'", "'https://h/x'"), ("<https://h/x?sig=a> \"https://u:p@h/\"", "<https://h/x?sig=***> \"https://h/\""),
        ("it's no URL", "it's no URL"),
    ])
    func `an apostrophe does not end a URL`(text: String, shown: String) {
        #expect(RedactedText(text).description == shown)
    }
}

@Suite(.timeLimit(.minutes(1))) struct RedactedURLTests {
    @Test(arguments: [
        ("https://example.org/a.jpg", "https://example.org/a.jpg"),
        ("https://u:p@example.org:8080/a", "https://example.org:8080/a"),
        ("https://u:p@s@example.org/a@2x.png", "https://example.org/a@2x.png"),
        ("https://example.org/a?size=3&sig=abc&flag", "https://example.org/a?size=***&sig=***&***"),
        ("https://example.org/a#token=1", "https://example.org/a"),
        ("https://u:pa/ss@example.org/a", "https://example.org/a"),
        ("https://u:pa?ss@example.org/a", "https://example.org/a"),
        ("https://u:secret", "https://u:***"),
        ("http:/u:p@host/a", "http:/host/a"),
        ("u:p@host/a", "u:host/a"), ("//u:p@host/a", "//host/a"), ("/\\u:p@host/a", "/\\host/a"),
        ("redis://:pw@127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("https://example.org/@user/x", "https://example.org/@user/x"),
        ("data:image/png;base64,AAAA", "data:image/png,***"),
        ("http://us/er:p@example.org:8080/a", "http://us/***@example.org:8080/a"), ("http://h/photos/12@N00/a@2x.png", "http://h/photos/12@N00/a@2x.png"),
        ("http://u:p%40example.org:9/a", "http://***"), ("http://u:p\u{ff20}example.org:9/a", "http://***"), ("http://u:12:9/a", "http://u:***"),
        ("u:p%40h:9/a", "u:***"), ("u:p%40/a", "u:***"), ("u:p\\@h/a", "u:***"), ("http:h/a", "http:h/a"), ("ht tp://u:p%40h/a", "***"),
        ("http%3a//u%3ap@h/a", "***"), ("http:// /u%3ap@h/a", "http://***"), ("://u%3ap@h/a", "***"),
        ("http//u%3Ap@h/a", "***"), ("http//u:p%40h/a", "***"), ("http//u\u{ff1a}p@h/a", "***"),
        ("http://h/u%3Ap@i/a", "http://h/***@i/a"), ("http://h/u:p%40i/a", "http://h/***/a"),
        ("http://us/er:p@\u{301}h/a", "http://us/***@\u{301}h/a"), ("http://us/er:\u{301}p@h/a", "http://us/***@h/a"),
        ("http://b\u{fc}cher.example/a", "http://b\u{fc}cher.example/a"), ("/a/b?c=d", "/a/b?c=***"),
        ("eyJhbGciOi.eyJzdWIi.c2ln", "***"), ("example.org/a", "***"), ("", ""),
    ]) func `a redacted URL shows the host and hides the user`(url: String, shown: String) {
        #expect(RedactedURL(url).description == shown)
    }

    @Test func `a long URL is cut`() {
        #expect(RedactedURL("https://h/" + String(repeating: "x", count: 5000)).description.count <= 301)
    }

    @Test func `no form of a URL lets the password through`() {
        for scheme in ["http:", "redis:", "ftp:", "HTTPS:", ""] {
            // Without either, the text before the colon is a scheme.
            for slashes in ["//", "/", "", "\\\\", "///"] where scheme + slashes != "" {
                for tail in ["@h", "@h/p", "@h:1/p?q=S3CRET#S3CRET", "/x@h", "?y@h", "#z@h", "%40h:1/p", "\u{ff20}h:1"] {
                    for name in ["user", "us/er"] where name == "user" || tail.hasPrefix("@") {
                        let shown = RedactedURL("\(scheme)\(slashes)\(name):S3CRET\(tail)").description
                        #expect(!shown.contains("S3CRET"), "\(scheme)\(slashes)\(name)…\(tail) → \(shown)")
                    }
                }
            }
        }
    }
}
