import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeStores

/// Extreme numbers in every place where a number comes from outside. None may end the process, and none may come out
/// so large that an addition overflows.
@Suite(.timeLimit(.minutes(2)))
struct ExtremeNumberTests {
    static let texts =
        [
            "", "0", "-0", "+0", "1", "-1", "+1", " 1", "1 ", "00000000000000000000000000000001", "9007199254740991", "9007199254740992", "9007199254740993",
            "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775806", "9223372036854775807", "9223372036854775808",
            "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e308", "-1e308", "1e309", "1e-400", "nan", "NaN",
            "-nan", "inf", "-inf", "infinity", "0x7fffffffffffffff", "1.5", "1,5", "١", "1\u{301}", "\u{200d}1", "--1", "1-", "1e", "*", "/",
            String(repeating: "9", count: 400), "-" + String(repeating: "9", count: 400), String(repeating: "0", count: 400) + "1",
        ]

    private func block(_ lines: [String]) -> HeaderBlock {
        var block = HeaderBlock()
        for line in lines + [""] { _ = Array((line + "\r\n").utf8).withUnsafeBytes { block.take($0) } }
        return block
    }

    @Test func `a number of digits is read up to its bound, and other texts are refused`() {
        for text in Self.texts {
            if let number = WireNumber.digits(text) {
                #expect((0...WireNumber.most).contains(number) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }, "\(text)")
            }
        }
        #expect(WireNumber.digits("9007199254740992") == WireNumber.most && WireNumber.digits("9007199254740993") == nil)
        #expect(WireNumber.digits("00000000000000000000000000000001") == 1 && WireNumber.digits("+1") == nil)
    }

    @Test func `heads of responses are read whatever their numbers are`() throws {
        let plan = try RedirectPlan(TransferRequest(url: "http://a.test/"))
        var dice = Dice(20)
        for round in 0..<20_000 {
            func number() -> String { dice.of(Self.texts) }
            let status = round % 3 == 0 ? number() : dice.of(["200", "206", "416", "429", "503"])
            var lines = ["HTTP/1.1 \(status) X"]
            if dice.chance(0.7) { lines.append("Content-Range: bytes \(number())-\(number())/\(number())") }
            if dice.chance(0.3) { lines.append("Content-Range: bytes 40-\(number())/*") }
            if dice.chance(0.7) { lines.append("Content-Length: \(number())") }
            if dice.chance(0.2) { lines.append("Content-Length: \(number()), \(number())") }
            let block = block(lines)
            let total = dice.of([nil, 0, 40, Int64.max, Int64.min, WireNumber.most])
            let resume = dice.of([nil, TransferRequest.Resume(offset: dice.of([0, 40, WireNumber.most]), validator: "\"a\"", total: total)])
            _ = (block.isLengthImpossible, block.declaredBytes, block.promisedBytes, block.delivers(resume))
            let head = block.head(at: plan, goingOnWith: resume)
            #expect(head.status == 0 || (100...999).contains(head.status))
            if let expected = head.expectedBytes { #expect((0...WireNumber.most * 2 + 1).contains(expected), "\(lines)") }
        }
    }

    @Test func `dates and ages with extreme numbers are read`() {
        let dates =
            Self.texts.flatMap { text in
                ["Sat, 01 Jan \(text) 00:00:00 GMT", "Sat, \(text) Jan 2026 00:00:00 GMT", "Sat, 01 Jan 2026 00:00:00 \(text)", "Sat \(text)", text]
            } + ["Sat, 01 Jan 2147483647 00:00:00 GMT", "Sat, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT"]
        for date in dates { if let seconds = HTTPDate.seconds(date) { #expect((0...HTTPDate.last).contains(seconds), "\(date)") } }
        #expect(HTTPDate.seconds("Fri, 31 Dec 9999 23:59:59 GMT") == HTTPDate.last)
        #expect(HTTPDate.seconds("Sat, 01 Jan 2147483647 00:00:00 GMT") == nil, "milliseconds of it fit no 64 bits")
        for text in Self.texts + dates {
            for date in [nil, "Sat, 01 Jan 1970 00:00:00 GMT"] + dates.prefix(20).map({ Optional($0) }) {
                if let seconds = RetryAfter.seconds(text, date: date) { #expect((1...RetryAfter.longest).contains(seconds), "\(text)") }
            }
        }
        var dice = Dice(21)
        for _ in 0..<5000 {
            func number() -> String { dice.of(Self.texts) }
            let headers = [
                (name: "cache-control", value: "max-age=\(number()), s-maxage=\(number()), stale-while-revalidate=\(number()), stale-if-error=\(number())"),
                (name: "age", value: number()), (name: "date", value: dice.of(dates)), (name: "expires", value: dice.of(dates)),
            ]
            let fresh = Freshness(
                Array(headers.shuffled(using: &dice).prefix(Int.random(in: 0...4, using: &dice))), behind: [TransferHop(status: 302, headers: headers)],
                requestedAt: 1_790_000_000, receivedAt: 1_790_000_001)
            let source = CachedSource(
                info: SourceInfo(url: "http://a.test/", finalURL: "http://a.test/", status: 200, bytes: 0), contentType: nil, bytes: [], freshness: fresh,
                storedAt: 1_790_000_001, version: 0)
            let stored = source.stored(as: "k", ttl: nil, longest: 3600)
            // As the store in Redis counts bytes.
            #expect((0...31_536_000_000).contains(Duration.seconds(bounded: (stored.expiresAt ?? 0) - 1_790_000_001).milliseconds))
        }
    }

    @Test func `what Redis says is read whatever its numbers are`() {
        for text in Self.texts {
            for reply in [RedisReply.bulk(Array(text.utf8)), .status(text)] {
                if let number = reply.int { #expect(abs(number) <= WireNumber.most, "\(text)") }
            }
            _ = (HostLimits(queued: ["a.test": "\(text):\(text)"]).shown, ListCursor("\(text):a"), FetchOptions.Timeouts(queued: "\(text) \(text) \(text)"))
            _ = QueueEvent(Array("\(text)\nf\nqueued\n\n\nr:1".utf8))
            if let timeouts = FetchOptions.Timeouts(queued: "\(text) 1 1") { _ = Duration.seconds(bounded: timeouts.connect) }
        }
        for number in [Int64.max, .min, WireNumber.most + 1] { #expect(RedisReply.integer(number).int == nil) }
    }

    @Test func `extreme spans of time are durations`() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e308, -1e308, 0, -1, .leastNonzeroMagnitude, 1e19] {
            #expect((Duration.zero ... .seconds(31_536_000)).contains(Duration.seconds(bounded: seconds)), "\(seconds)")
        }
    }

    @Test func `extreme listings and sizes of buckets are summed`() {
        var all = StoreStatistics()
        for text in Self.texts + ["9007199254740992", "9007199254740992"] {
            let xml = "<ListBucketResult><Contents><Key>k</Key><Size>\(text)</Size></Contents></ListBucketResult>"
            for object in S3Listing(Array(xml.utf8))?.objects ?? [] { all += StoreStatistics(count: 1, bytes: object.size) }
        }
        all += StoreStatistics(count: .max, bytes: .max)
        #expect(all.bytes == .max && all.count == .max)
    }

    @Test func `cached entries with extreme numbers are read`() throws {
        var dice = Dice(22)
        let whole = StoredImageCodec.encode(
            StoredImage(key: "k", contentType: "a/b", info: ["total": 5], source: [:], bytes: [1, 2, 3], storedAt: 1, expiresAt: 2))
        for _ in 0..<5000 {
            var bytes = whole
            for index in 8..<20 where dice.chance(0.5) { bytes[index] = dice.of([0, 1, 0x7f, 0x80, 0xff]) }
            if bytes != whole { #expect(StoredImageCodec.decode(bytes, key: "k") == nil) }
            if let length = StoredImageCodec.length(bytes) { #expect(length > 0) }
        }
        for text in Self.texts {
            guard let number = try? JSON(parsing: text) else { continue }
            let json: JSON = ["freshness": ["bornAt": number, "lifetime": number, "alwaysAsked": false, "mustRevalidate": false], "version": number]
            _ = CachedSource(
                StoredImage(key: "k", contentType: "a/b", info: json, source: ["url": "u", "finalURL": "u", "status": number], bytes: [], storedAt: 1e308))
        }
    }

    @Test func `an error with extreme numbers is read`() throws {
        for text in Self.texts {
            guard let number = try? JSON(parsing: text) else { continue }
            let error = TintypeError(json: ["code": number, "message": "m", "data": ["name": "httpStatus", "retryAfter": number, "status": number]])
            _ = (error.json.text, Acceptance().restating(error).json.text)
        }
    }
}
