import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator

/// Terminal events in the form for clients.
@Suite(.timeLimit(.minutes(1))) struct OutcomeTests {
    private func outcome(_ type: EventType, _ body: String) -> Outcome {
        Outcome(ReceiptEvent(type: type, sequence: 7, at: "1.000", body: body))
    }

    @Test func `success carries the result, and bytes only where requested`() throws {
        var success = outcome(.succeeded, #""result":{"renditions":[{"name":"a","key":"k"},{"name":"b","key":"l"}],"worker":"w"}"#)
        #expect(success.state == .succeeded && success.error == nil)
        success.data = ["QQ==", "Qg=="]
        let with = try #require(success.resultWithData?.renditions)
        #expect(with.map(\.data) == ["QQ==", "Qg=="])
        func told(_ event: ReceiptEvent) -> String {
            String(decoding: event.notification(receipt: "r", requestID: nil, sequence: 1, queue: "default", meta: ""), as: UTF8.self)
        }
        #expect(told(success.event(withData: false)).contains(#""result":{"renditions":[{"name":"a","key":"k"}"#))
        #expect(!told(success.event(withData: false)).contains("data") && told(success.event(withData: true)).contains("QQ=="))
        #expect(success.json(receipt: "r")["state"] == "succeeded")
    }

    static let errors: [(type: EventType, body: String, name: ErrorName)] = [
        (.failed, #""error":{"code":1010,"message":"404","data":{"name":"httpStatus","phase":"download","retryable":false,"status":404}}"#, .httpStatus),
        (.cancelled, #""reason":"requested","phase":"queue""#, .cancelled),
        (.cancelled, #""reason":"superseded","phase":"download""#, .superseded),
        (.cancelled, "", .cancelled),
        (.failed, "", .internalError), (.failed, #""error":7"#, .internalError), (.succeeded, #""result":null"#, .internalError),
        (.succeeded, "not json", .internalError),
    ]

    @Test(arguments: errors)
    func `every end without success is an error with a name`(type: EventType, body: String, name: ErrorName) {
        let outcome = outcome(type, body)
        #expect(outcome.error?.name == name)
        #expect(outcome.result == nil && outcome.resultWithData == nil)
        #expect(outcome.state == (type == .cancelled ? .cancelled : .failed))
    }

    @Test func `a canceled request has a reason and a phase`() {
        let error = outcome(.cancelled, #""reason":"disconnected","phase":"download""#).error
        #expect(error?.phase == .download && error?.details["reason"] == "disconnected" && error?.name.code == 1040)
    }

    static let texts: [(bytes: [UInt8], text: String)] = [
        ([], ""), ([0x66], "Zg=="), ([0x66, 0x6f], "Zm8="), ([0x66, 0x6f, 0x6f], "Zm9v"), (Array("foob".utf8), "Zm9vYg=="),
        (Array("fooba".utf8), "Zm9vYmE="), (Array("foobar".utf8), "Zm9vYmFy"), ([0xff, 0xfe, 0xfd, 0xfc], "//79/A=="),
    ]

    @Test(arguments: texts)
    func `base64 follows RFC 4648`(bytes: [UInt8], text: String) {
        #expect(Base64.text(of: bytes) == text)
    }

    @Test(arguments: [(0.0, "0.000"), (1.0, "1.000"), (1795240462.618, "1795240462.618"), (12.0004, "12.000"), (12.0996, "12.100")])
    func `times have three digits after the point`(seconds: Double, text: String) {
        #expect(WallClock.text(seconds) == text)
    }

    @Test func `renditions of any number and size are added up, and no more than 8 MiB are sent`() {
        let most = Int(WireNumber.most)
        let many = [ImageResult.Rendition](repeating: ["bytes": JSON(most)], count: 1025)
        #expect(ResultDelivery.size(many) == most && ResultDelivery.size([["bytes": 7], [:], ["bytes": -5], ["bytes": 8]]) == 15)
        let error = #expect(throws: TintypeError.self) { try ResultDelivery.checkInline(ResultDelivery.size(many)) }
        #expect(error?.name == .limitExceeded && error?.details["allowed"]?.int == 8 << 20)
    }
}
