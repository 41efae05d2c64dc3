import Testing
import TintypeCore
import ImgproxyURLs
import TintypeImages

@testable import Coordinator
@testable import TintypePictureDoor
@testable import TintypeTransport

/// `Prefer: respond-async` at the picture door.
@Suite struct PreferenceTests {
    @Test(arguments: [
        (nil, false), ("", false), ("respond-async", true), ("Respond-Async", true), ("return=minimal, respond-async, wait=10", true),
        ("respond-async; foo=bar", true), ("respond-async=", true), (" \trespond-async\t", true), ("respond-asynchronously", false),
        ("wait=respond-async", false),
        ("x; respond-async", false), (",,;=", false),
    ])
    func `a client is sent away only if it says so`(header: String?, isAsync: Bool) { #expect(Preference.isAsync(header) == isAsync) }

    @Test func `the answer says where the picture will be, and that no cache may keep it`() throws {
        var policy = DoorPolicy()
        policy.detected = [.webp]
        let plan = try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(Array("/_/plain/http://h/cat.png".utf8), now: 0)
        let answer = Preference.accepted("/_/plain/http://h/cat.png", plan, DoorHeaders(cors: "*"))
        let lines = String(decoding: answer.allLines.bytes, as: UTF8.self)
        for line in [
            "Preference-Applied: respond-async", "Location: /_/plain/http://h/cat.png", "Retry-After: 1", "Cache-Control: no-store", "Vary: Accept, Prefer",
            "Content-Type: application/json", "X-Content-Type-Options: nosniff", "Access-Control-Allow-Origin: *",
        ] { #expect(lines.contains(line + "\r\n"), "\(line) in \(lines)") }
        #expect(answer.status == 202)
        #expect(try JSON(parsing: Array(answer.body)) == ["state": "queued", "retryAfter": 1])
    }
}
