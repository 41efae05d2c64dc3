import Testing

@testable import TintypeTop

/// Keys from the bytes of a terminal.
@Suite struct KeyReaderTests {
    @Test(arguments: [
        ("a?/", [Key.character("a"), .character("?"), .character("/")]), ("é日", [.character("é"), .character("日")]),
        ("\t\r\u{7f}", [.tab, .enter, .backspace]),
        ("\u{3}\u{1a}\u{c}\u{15}", [.interrupt, .suspend, .redraw, .clear]), ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]),
        ("\u{1b}OA\u{1b}OH\u{1b}OF", [.up, .home, .end]), ("\u{1b}[H\u{1b}[F\u{1b}[1~\u{1b}[4~", [.home, .end, .home, .end]),
        ("\u{1b}[5~\u{1b}[6~\u{1b}[Z", [.pageUp, .pageDown, .backTab]), ("\u{1b}[1;5A", [.up]), ("\u{1b}[3~\u{1b}[24~", [.other, .other]),
        // Alt and a letter is no letter: nobody who types it means to act.
        ("\u{1b}p", [.other]), ("\u{1b}\u{1b}[A", [.escape, .up]), ("\u{1b}[200~pyx\u{1b}[201~z", [.paste("pyx"), .character("z")]),
        ("\u{1b}[M", [.other]), ("\u{0}", [.other]),
    ])
    func `each key is read, however its bytes arrive`(text: String, keys: [Key]) {
        var whole = KeyReader()
        #expect(whole.take(Array(text.utf8)) == keys)
        var apart = KeyReader()
        #expect(text.utf8.flatMap { apart.take([$0]) } == keys, "byte by byte")
        #expect(!whole.isWaiting && !apart.isWaiting)
    }

    @Test func `escape alone is a key once nothing follows`() {
        var reader = KeyReader()
        #expect(reader.take([0x1b]).isEmpty && reader.isWaiting)
        #expect(reader.flush() == [.escape] && !reader.isWaiting)
        #expect(reader.take(Array("\u{1b}[".utf8)).isEmpty && reader.flush() == [.other])
        #expect(reader.flush().isEmpty)
        #expect(reader.take([0x61]) == [.character("a")])
    }

    @Test func `noise is no key, and does not stop the next one`() {
        var reader = KeyReader()
        #expect(reader.take([0xff, 0x61]) == [.other, .character("a")])
        #expect(reader.take([0xe3, 0x28, 0x41]).contains(.other))
        var long = KeyReader()
        _ = long.take(Array("\u{1b}[".utf8) + [UInt8](repeating: 0x31, count: 100))
        #expect(long.take([0x7e, 0x62]).last == .character("b"))
        var paste = KeyReader()
        let keys = paste.take(Array("\u{1b}[200~".utf8) + [UInt8](repeating: 0x79, count: 100_000) + Array("\u{1b}[201~".utf8))
        #expect(keys == [.paste(String(repeating: "y", count: 1024))])
    }
}
