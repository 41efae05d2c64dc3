import Testing

@testable import TintypeTransport

/// Valid and invalid Retry-After headers.
@Suite struct RetryAfterTests {
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(arguments: [
        ("7", 7), (" 7 ", 7), ("007", 7), ("600", 600), ("601", 600), ("86400", 600), ("99999999999999999999999999999999", 600),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:49:38 1994", 1),
        ("Tue, 07 Nov 2034 08:49:37 GMT", 600),
    ])
    func `seconds and dates are read, up to ten minutes`(text: String, seconds: Int64) {
        #expect(RetryAfter.seconds(text, date: Self.date) == seconds)
    }

    @Test(arguments: [
        "", " ", "0", "000", "-1", "+7", "1.5", "7s", "7, 8", "1e3", "0x10", "soon", "Never", "Sun", "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:36 GMT", "Mon, 99 Foo 2034 99:99:99 GMT", "1994-11-06T08:49:47Z", "٧", "７", "\u{0}7",
        String(repeating: "S", count: 100_000), "Sun, " + String(repeating: " ", count: 60_000) + "06 Nov 2034 08:49:47 GMT",
    ])
    func `an empty or past value is ignored`(text: String) {
        #expect(RetryAfter.seconds(text, date: Self.date) == nil)
    }

    @Test func `a date counts by the server's own clock, otherwise by ours`() {
        let later = "Sun, 06 Nov 1994 08:49:47 GMT"
        #expect(RetryAfter.seconds(later, date: nil) == nil)
        #expect(RetryAfter.seconds(later, date: "yesterday") == nil)
        #expect(RetryAfter.seconds("Mon, 06 Nov 2090 08:49:47 GMT", date: nil) == 600)
        #expect(RetryAfter.seconds("7", date: "Mon, 06 Nov 2090 08:49:47 GMT") == 7)
    }
}
