import TintypeCore
import TintypeTransport
import Testing
import Worker

@Suite(.timeLimit(.minutes(1)))
struct DataURLTests {
    @Test(arguments: [
        ("data:,hello", "text/plain;charset=US-ASCII", "hello"), ("data:text/html,a%20b%2C", "text/html", "a b,"),
        ("data:;base64,aGVsbG8=", "text/plain;charset=US-ASCII", "hello"), ("DATA:image/png;BASE64,aGVsbG8", "image/png", "hello"),
        ("data:;charset=utf-8,x", "text/plain;charset=utf-8", "x"), ("data:a/b;base64,", "a/b", ""), ("data:,a#fragment", "text/plain;charset=US-ASCII", "a"),
        ("data:a/b;base64,aGVs bG8%3D", "a/b", "hello"), ("data:a/b;base64,-_-_", "a/b", "\u{fb}\u{ff}\u{bf}"),
    ])
    func `a data URL is taken apart`(url: String, type: String, text: String) throws {
        let data = try DataURL(url)
        #expect(data.mediaType == type)
        #expect(data.bytes == text.unicodeScalars.map { UInt8($0.value) })
    }

    @Test(arguments: ["data:", "data:image/png;base64", "http://a/,b", "data:,%4", "data:,%zz", "data:;base64,a", "data:;base64,aGVsbG8==", "data:;base64,a!b"])
    func `a broken data URL is an invalid URL whose content is not repeated`(url: String) {
        do throws(TintypeError) {
            _ = try DataURL(url)
            Issue.record("it was read")
        } catch {
            #expect(error.name == .invalidURL)
            #expect(!error.json.text.contains("aGVs"))
        }
    }
}
