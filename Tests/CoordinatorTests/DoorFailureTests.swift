import PNG
import TestSupport
import Testing
import TintypeCore
import ImgproxyURLs
import TintypeImages

@testable import Coordinator
@testable import TintypePictureDoor
@testable import TintypeTransport

/// The answers of the picture door without a picture, and the header fields of those with one.
@Suite(.tags(.untiered)) struct DoorFailureTests {
    @Test(arguments: DoorRefusal.Reason.allCases) func `a refused URL is a mistake of the client`(reason: DoorRefusal.Reason) {
        let failure = DoorFailure(DoorRefusal(reason, option: "w", at: 7, "no"))
        let expected: [DoorRefusal.Reason: Int] = [.signature: 403, .notAllowed: 403, .expired: 410, .tooLong: 414, .missingPart: 404]
        #expect(failure.status == expected[reason] ?? 400)
        #expect(failure.fresh == 0 && failure.retryAfter == nil && failure.details["position"] == 7)
    }

    static let failures: [(error: TintypeError, status: Int, retryAfter: Int?)] = [
        (TintypeError(.httpStatus, .download, "", details: ["status": 404]), 404, nil),
        (TintypeError(.httpStatus, .download, "", details: ["status": 410]), 404, nil),
        (TintypeError(.httpStatus, .download, "", details: ["status": 429, "retryAfter": 30]), 429, 30),
        (TintypeError(.httpStatus, .download, "", details: ["status": 429]), 429, 1),
        (TintypeError(.httpStatus, .download, "", details: ["status": 403]), 502, nil),
        (TintypeError(.httpStatus, .download, "", details: ["status": 503, "retryAfter": 9]), 502, nil), (TintypeError(.httpStatus, .download, ""), 502, nil),
        (TintypeError(.timeout, .download, ""), 504, nil), (TintypeError(.timeout, .decode, ""), 422, nil), (TintypeError(.dns, .download, ""), 502, nil),
        (TintypeError(.denied, .download, ""), 403, nil), (TintypeError(.invalidURL, .admission, ""), 400, nil),
        (TintypeError(.badImageData, .decode, ""), 422, nil), (TintypeError(.unsupportedFormat, .decode, ""), 415, nil),
        (TintypeError(.overloaded, .queue, "", details: ["retryAfter": 2.2]), 503, 3),
        (TintypeError(.unavailable, .queue, "", details: ["retryAfter": 1e9]), 503, 3600),
        (TintypeError(.shuttingDown, .admission, ""), 503, 1), (TintypeError(.deadlineExceeded, .queue, ""), 504, nil),
        (TintypeError(.internalError, .queue, ""), 500, nil), (TintypeError(.unknownQueue, .admission, ""), 500, nil),
        (TintypeError(.blacklisted, .admission, "", details: ["cause": "badImageData", "until": 1050]), 422, nil),
        (TintypeError(.blacklisted, .admission, "", details: ["cause": "httpStatus", "status": 404, "until": 1050]), 404, nil),
        (TintypeError(.blacklisted, .admission, "", details: ["cause": "tls", "until": 1050]), 502, nil),
    ]

    @Test(arguments: failures) func `a failure has the status of its cause, and says when to try again`(error: TintypeError, status: Int, retryAfter: Int?) {
        let failure = DoorFailure(error, now: 1000)
        #expect(failure.status == status && failure.retryAfter == retryAfter && failure.name == error.name)
        #expect(failure.fresh == (error.name == .blacklisted ? 50 : 0))
    }

    @Test(arguments: ErrorName.allCases) func `every error has a status of a failure, and a temporary one tells when to try again`(name: ErrorName) {
        let failure = DoorFailure(TintypeError(name, .queue, "no"), now: 1000)
        #expect((400...504).contains(failure.status) && (failure.retryAfter != nil) == [429, 503].contains(failure.status))
    }

    @Test(arguments: ErrorName.allCases) func `strangers are not told the reason of a failure`(name: ErrorName) throws {
        let error = TintypeError(name, .download, "redis://inside:6379 refused", details: ["url": "http://inside/", "host": "inside"])
        let answer = DoorFailure(error, now: 0).answer(asPicture: false, DoorHeaders(cors: nil))
        let told = try #require(try JSON(parsing: answer.body)["error"]?.object)
        #expect(told["name"]?.string == name.rawValue && told.members.count == 2)
        #expect(!answer.body.isEmpty && !String(decoding: answer.body, as: UTF8.self).contains("inside"))
    }

    @Test(arguments: ["address", "proxy"]) func `a stranger does not learn which names the operator's DNS has`(which: String) {
        let failures = [TintypeError(.dns, .download, "no such name"), TintypeError(.denied, .download, "inner", details: ["which": .string(which)])]
        let told = failures.map { DoorFailure($0, isUnsigned: true, now: 0) }
        #expect(told[0] == told[1] && told[0].status == 502 && told[0].name == .connect && !told[0].message.isEmpty)
        #expect(told[0] == DoorFailure(TintypeError(.connect, .download, ""), now: 0))
        // A rule looks at the URL alone. The maker of a signed URL may know more.
        #expect(DoorFailure(TintypeError(.denied, .admission, "a rule"), isUnsigned: true, now: 0).status == 403)
        #expect(failures.map { DoorFailure($0, now: 0).status } == [502, 403])
    }

    @Test func `the limit of an address is answered 429, and a full queue 503`() {
        let failure = DoorFailure(TintypeError(.overloaded, .admission, "", details: ["limit": "imagesRate", "retryAfter": 7]), now: 0)
        #expect(failure.status == 429 && failure.retryAfter == 7 && failure.name == .overloaded && failure.message.contains("your address"))
    }

    @Test func `a foreign name of the host is refused with what the operator can do`() {
        #expect(DoorFailure.foreignHost.status == 403 && DoorFailure.foreignHost.message.contains("--host-names"))
    }

    @Test func `a range beyond the end is kept by no cache`() throws {
        let picture = DoorHeaders.Picture(tag: "\"t\"", contentType: "image/png", end: 9999)
        let lines = text(DoorHeaders(cors: nil).lines(picture, try plan(), .memory, hasBody: false, mayBeKept: false, now: 100))
        #expect(lines.contains("Cache-Control: no-store\r\n") && lines.contains("ETag: \"t\"\r\n") && !lines.contains("max-age"), "\(lines)")
    }

    @Test(arguments: [
        ("image/avif,image/webp,*/*;q=0.8", true), (" IMAGE/*", true), ("text/html,image/png", false), ("*/*", false), ("", false), ("imagery/x", false),
    ])
    func `a client shows a picture if its Accept begins with one`(accept: String, shows: Bool) { #expect(DoorFailure.showsPictures(accept) == shows) }

    private func text(_ lines: HeaderLines) -> String { String(decoding: lines.bytes, as: UTF8.self) }

    @Test func `a client that shows pictures gets a gray one with the same status, and any other client gets JSON`() throws {
        #expect(!DoorFailure.showsPictures(nil))
        let (failure, headers) = (DoorFailure(TintypeError(.overloaded, .queue, "full", details: ["retryAfter": 7]), now: 0), DoorHeaders(cors: nil))
        let (picture, json) = (failure.answer(asPicture: true, headers), failure.answer(asPicture: false, headers))
        #expect(picture.status == 503 && Array(picture.body) == PlainPicture.png(Color(red: 0xc8, green: 0xc8, blue: 0xc8), width: 61, height: 67))
        #expect(try JSON(parsing: json.body) == ["error": ["name": "overloaded", "message": "the service is too busy; try again"]] && json.status == 503)
        for answer in [picture, json] {
            let lines = text(answer.allLines)
            for line in ["Cache-Control: no-store", "Retry-After: 7", "Vary: Accept", "Tintype-Error: overloaded", "X-Content-Type-Options: nosniff"] {
                #expect(lines.contains(line + "\r\n"), "\(line) in \(lines)")
            }
        }
        let listed = DoorFailure(TintypeError(.blacklisted, .admission, "", details: ["cause": "badImageData", "until": 90]), now: 0)
        #expect(text(listed.answer(asPicture: false, headers).allLines).contains("Cache-Control: public, max-age=90\r\n"))
    }

    private func plan(_ options: String = "", _ accepted: Set<ImageFormat> = []) throws -> DoorPlan {
        var policy = DoorPolicy()
        policy.detected = accepted
        return try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(Array("/_/\(options)plain/http://h/cat.png".utf8), now: 0)
    }

    @Test func `a picture has all fields that browsers and caches need`() throws {
        let picture = DoorHeaders.Picture(
            tag: "\"t\"", contentType: "image/webp", end: 150, lastModified: "Mon, 02 Nov 2026 10:00:00 GMT")
        let work = DoorHeaders.Work(from: "remote", times: ["queued": 0.0012, "download": 0.5, "decode": 0, "total": 0.75])
        let lines = text(DoorHeaders(cors: "https://a.example").lines(picture, try plan("", [.webp]), work, hasBody: true, now: 100))
        let expected = [
            "ETag: \"t\"", "Cache-Control: public, max-age=50, stale-while-revalidate=3600, stale-if-error=86400", "Vary: Accept",
            "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT", "Server-Timing: from;desc=\"remote\", queue;dur=1.2, download;dur=500, total;dur=750",
            "Accept-Ranges: bytes", "X-Content-Type-Options: nosniff", "Content-Security-Policy: default-src 'none'; sandbox",
            "Cross-Origin-Resource-Policy: cross-origin", "Access-Control-Allow-Origin: https://a.example", "Timing-Allow-Origin: https://a.example",
            "Content-Type: image/webp", "Content-Disposition: inline; filename=\"cat.webp\"",
        ]
        #expect(lines.split(separator: "\r\n").map(String.init).sorted() == expected.sorted())
        let bare = text(DoorHeaders(cors: nil).lines(picture, try plan(), work, hasBody: false, now: 100))
        for name in ["Vary", "Access-Control", "Timing-Allow", "Content-Type:", "Content-Disposition"] { #expect(!bare.contains(name), "\(name) in \(bare)") }
    }

    static let followers: [(next: FollowUp, age: Int, format: String?)] = [
        (.comes(.avif), 10, "avif"), (.comes(.jxl), 10, "jxl"), (.dropped, 10, nil), (.rests(45.5), 45, nil), (.rests(0.5), 10, nil),
    ]

    @Test(arguments: followers) func `a quick picture is short-lived, is not shown stale, and names the format that comes`(
        next: FollowUp, age: Int, format: String?
    ) throws {
        let picture = DoorHeaders.Picture(tag: "\"t\"", contentType: "image/webp", end: 1000)
        let lines = text(DoorHeaders(cors: nil).lines(picture, try plan("", [.webp, .avif]), .memory, next: next, hasBody: true, now: 100))
        #expect(lines.contains("Cache-Control: public, max-age=\(age), stale-if-error=86400\r\n") && lines.contains("Vary: Accept\r\n"), "\(lines)")
        #expect(format.map { lines.contains("Tintype-Next: \($0)\r\n") } ?? !lines.contains("Tintype-Next"), "\(lines)")
    }

    @Test(arguments: [
        (BackgroundJobs.Verdict.begins, FollowUp.comes(.avif), "begun"), (.joins, .comes(.avif), "joined"), (.rests(7), .rests(7), "rests"),
        (.noRoom, .dropped, "dropped"),
    ])
    func `the decision about a better picture is told and counted`(verdict: BackgroundJobs.Verdict, next: FollowUp, label: String) {
        #expect(FollowUp(verdict, .avif) == next && FollowUp.label(verdict) == label)
    }

    @Test func `Accept counts only if a format may be chosen by it`() throws {
        #expect(try plan("", [.webp]).varies == ["Accept"] && plan("").varies == [])
        #expect(try plan("f:png/", [.webp]).varies == [] && plan("raw:1/", [.webp]).varies == [])
    }

    @Test func `a fallback has a lifetime of its own, and no date of the picture`() throws {
        let picture = DoorHeaders.Picture(tag: "\"t\"", contentType: "image/png", end: 9999, lastModified: "Mon, 02 Nov 2026 10:00:00 GMT")
        let lines = text(DoorHeaders(cors: nil).lines(picture, try plan(), DoorHeaders.Work(from: "fallback"), hasBody: true, now: 100))
        #expect(lines.contains("Cache-Control: public, max-age=60\r\n") && lines.contains("Tintype-From: fallback\r\n") && !lines.contains("Last-Modified"))
    }

    static let links: [(source: String, link: String?)] = [
        ("http://h/cat.png", "http://h/cat.png"), ("https://h/%3C%3E%22%C3%BC?a=1", "https://h/%3C%3E%22%C3%BC?a=1"),
        ("http://h/a>;x=\"<", "http://h/a%3E;x=%22%3C"),
        ("s3://bucket/key", nil), ("data:image/png;base64,AA", nil), ("http://user:word@h/a", nil), ("http://h/" + String(repeating: "a", count: 2048), nil),
    ]

    @Test(arguments: links) func `the source of a picture is named if the operator wants it, unless it names a user`(source: String, link: String?) throws {
        let text = "/_" + PictureURL.text(of: source, options: [], fileExtension: nil, isPlain: false)
        var policy = DoorPolicy()
        policy.unsignedSources = ["s3"]
        let plan = try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(Array(text.utf8), now: 0)
        let picture = DoorHeaders.Picture(tag: "\"t\"", contentType: "image/png")
        func field(_ headers: DoorHeaders, _ work: DoorHeaders.Work = .memory, hasBody: Bool = true) -> Substring? {
            let lines = headers.lines(picture, plan, work, hasBody: hasBody, now: 100)
            return self.text(lines).split(separator: "\r\n").first { $0.hasPrefix("Link: ") }
        }
        let headers = DoorHeaders(cors: nil, namesSource: true)
        let expected = link.map { "Link: <\($0)>; rel=\"canonical\"" }
        #expect(field(headers).map(String.init) == expected && field(headers, hasBody: false).map(String.init) == expected)
        #expect(field(DoorHeaders(cors: nil)) == nil && field(headers, DoorHeaders.Work(from: "fallback")) == nil)
    }

    @Test func `text of a stranger ends no line`() throws {
        let picture = DoorHeaders.Picture(tag: "\"t\"", contentType: "image/png\r\nSet-Cookie: a=b", lastModified: "Mon\r\nX: y")
        let lines = text(DoorHeaders(cors: nil).lines(picture, try plan("fn:a%22%3B%20x/"), .memory, hasBody: true, now: 100))
        #expect(!lines.contains("Set-Cookie") && !lines.contains("X: y") && lines.contains("filename=\"a_; x"), "\(lines)")
    }
}
