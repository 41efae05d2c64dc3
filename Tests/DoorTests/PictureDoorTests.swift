import Testing
import TintypeCore
import TintypeImages

@testable import TintypeDoor

/// From the raw target to the plan.
@Suite struct PictureDoorTests {
    private static func documented() throws -> URLSignature.Pair { try #require(URLSignature.Pair(key: "736563726574", salt: "68656C6C6F")) }

    @Test func `nothing is read before the signature is checked`() throws {
        let door = PictureDoor(URLSignature(pairs: [try Self.documented()]))
        let refusal = try #require(throws: DoorRefusal.self) { try door.plan(Array("/AAAA/nothing:1/enc/..".utf8), now: 0) }
        #expect(refusal.reason == .signature && !refusal.message.contains("AAAA"))
    }

    @Test func `the signed URL of imgproxy's documentation becomes a request`() throws {
        let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        let door = PictureDoor(URLSignature(pairs: [try Self.documented()]))
        let plan = try door.plan(Array("/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8\(path)".utf8), now: 0)
        #expect(plan.request["url"] == "http://example.com/images/curiosity.jpg")
        #expect(PictureOptionTests.show(plan.request) == "resize(width=300,height=400,fit=cover,gravity=attention) output(format=png)")
        #expect(try plan.imageRequest().renditions[0].output.format == .png)
    }
}
