import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct FramingTests {
    private func pieces(_ chunks: [[UInt8]], limit: Int = 4 << 20) -> [MessageSplitter.Piece] {
        var splitter = MessageSplitter(maxMessageBytes: limit)
        var pieces: [MessageSplitter.Piece] = []
        for chunk in chunks { splitter.append(chunk) { pieces.append($0) } }
        return pieces
    }

    private func messages(_ texts: [String]) -> [MessageSplitter.Piece] { texts.map { .message(Array($0.utf8)) } }

    private func brokenBy(_ pieces: [MessageSplitter.Piece]) -> ErrorName? {
        if case .broken(let error) = pieces.last { error.name } else { nil }
    }

    /// Byte streams and their messages.
    private static let streams: [(text: String, messages: [String])] = [
        ("{}\n", ["{}"]), ("{\"a\":1}\r\n[2]\n", ["{\"a\":1}", "[2]"]), ("[1]\n\n\r\n \t\n{}\n", ["[1]", "{}"]),
        ("{broken\n{}\nnonsense\n", ["{broken", "{}", "nonsense"]),
        ("{\"é😀\":1}\n{}\nno end", ["{\"é😀\":1}", "{}"]), ("{\r}\r\n", ["{\r}"]),
        ("Content-Length: 2\r\n\r\n{}", ["{}"]), ("content-length:2\n\n{}Content-Length: 3\r\n\r\n[1]", ["{}", "[1]"]),
        ("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 4\r\n\r\n{\n\n}CONTENT-LENGTH:  1 \r\nX: y\r\n\r\n7", ["{\n\n}", "7"]),
        ("Content-Length: 0\r\n\r\nContent-Length: 4\r\n\r\n\"é\"Content-Length: 9\r\n\r\n{}", ["", "\"é\""]),
        ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", ["{}"]),
    ]

    @Test func `Messages are the same wherever the stream is split`() {
        for (text, expected) in Self.streams {
            let bytes = Array(text.utf8)
            #expect(pieces([bytes]) == messages(expected), "\(text.debugDescription)")
            #expect(pieces(bytes.map { [$0] }) == messages(expected), "byte by byte: \(text.debugDescription)")
            for first in 0...bytes.count {
                #expect(pieces([Array(bytes[..<first]), Array(bytes[first...])]) == messages(expected), "cut at \(first): \(text.debugDescription)")
            }
        }
    }

    @Test func `Random messages in random pieces come out as they went in`() {
        var random = Dice(5)
        for round in 0..<300 {
            let framing: MessageFraming = round.isMultiple(of: 2) ? .lines : .headers
            var stream: [UInt8] = []
            var expected: [[UInt8]] = []
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                var message = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0x20...0x7e, using: &random) }
                if framing == .headers, Bool.random(using: &random) { message += [13, 10, 13, 10] }
                message = [UInt8(ascii: "{")] + message + [UInt8(ascii: "}")]
                expected.append(message)
                stream += framing.framed(message)
            }
            var chunks: [[UInt8]] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...(Bool.random(using: &random) ? 3 : 400), using: &random))
                chunks.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(pieces(chunks) == expected.map { .message($0) }, "round \(round)")
        }
    }

    @Test(arguments: ["x", " {}\n", "\n{}\n", "GET / HTTP/1.1\r\n", "\u{FEFF}{}\n", "\0", "\"a\"\n", "1\n", "ç"])
    func `An unknown first byte closes the connection`(text: String) {
        let found = pieces([Array(text.utf8), Array("{}\n".utf8)])
        #expect(found.count == 1 && brokenBy(found) == .parseError)
    }

    @Test(arguments: [
        "Content-Length: x\r\n\r\n{}", "Content-Length: -2\r\n\r\n{}", "Content-Length: +2\r\n\r\n{}", "Content-Length:\r\n\r\n{}", "Content-Type: a\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n{}", "Cookie\r\n\r\n",
    ])
    func `A header without one valid length breaks the connection`(text: String) {
        let found = pieces(text.utf8.map { [$0] })
        #expect(found.count == 1 && brokenBy(found) == .parseError)
    }

    @Test func `A header without an end is refused`() {
        let found = pieces([Array("C".utf8)] + (0..<10).map { _ in [UInt8](repeating: 0x61, count: 1000) })
        #expect(found.count == 1 && brokenBy(found) == .parseError)
    }

    @Test func `A message may be as long as the limit and no longer`() {
        func line(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "["), count: count) }
        for end in [[10], [13, 10]] as [[UInt8]] {
            #expect(pieces([line(100) + end], limit: 100) == [.message(line(100))])
            #expect(pieces((line(100) + end).map { [$0] }, limit: 100) == [.message(line(100))])
            #expect(brokenBy(pieces([line(101) + end], limit: 100)) == .invalidRequest)
            #expect(brokenBy(pieces((line(101) + end).map { [$0] }, limit: 100)) == .invalidRequest)
        }
        #expect(brokenBy(pieces([line(102)], limit: 100)) == .invalidRequest)
        #expect(pieces([MessageFraming.headers.framed(line(100))], limit: 100) == [.message(line(100))])
        #expect(brokenBy(pieces([Array("Content-Length: 101\r\n\r\n".utf8)], limit: 100)) == .invalidRequest)
    }

    @Test func `Messages before a break are kept, bytes after it are not`() {
        let found = pieces([Array("{}\n".utf8) + [UInt8](repeating: 0x61, count: 200) + Array("\n{}\n".utf8), Array("{}\n".utf8)], limit: 100)
        #expect(found.count == 2 && found.first == .message(Array("{}".utf8)) && brokenBy(found) == .invalidRequest)
    }

    @Test(arguments: [MessageFraming.lines, .headers]) func `A hundred thousand messages in one piece are split in one pass`(framing: MessageFraming) {
        let one = framing.framed(Array("{\"a\":1}".utf8))
        var stream: [UInt8] = []
        for _ in 0..<100_000 { stream += one }
        #expect(pieces([stream]).count == 100_000)
    }

    @Test func `A long message in small pieces is not searched again`() {
        var splitter = MessageSplitter()
        var count = 0
        splitter.append(Array("[".utf8)) { _ in count += 1 }
        for _ in 0..<40_000 { splitter.append([UInt8](repeating: 0x20, count: 100)) { _ in count += 1 } }
        #expect(splitter.pendingBytes == 4_000_001 && count == 0)
        splitter.append(Array("]\n".utf8)) { _ in count += 1 }
        #expect(count == 1 && splitter.pendingBytes == 0)
    }
}
