import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import ImgproxyURLs

/// From the raw target to the plan.
@Suite(.tags(.optimized)) struct PictureDoorTests {
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

    static let busters: [(options: String, signed: [String], unsigned: [String])] = [
        ("cb:v2", ["v2"], []), ("cachebuster:v2/w:3", ["v2"], []), ("cb:a%20b", [], []), ("cb:", [], []), ("pr:dated", ["2025"], []),
        ("pr:shop", ["shop", "p1"], ["shop", "p1"]), ("pr:shop/cb:v2", ["shop", "p1", "v2"], ["shop", "p1"]),
        ("pr:shop/cb:p1", ["shop", "p1"], ["shop", "p1"]),
    ]

    @Test(arguments: busters)
    func `a cache buster changes nothing but the tags, and those only under a signature`(options: String, signed: [String], unsigned: [String]) throws {
        var policy = DoorPolicy()
        policy.presets = try PicturePresets(text: "shop=tag:shop:p1\ndated=cb:2025\n")
        let signature = URLSignature(pairs: [try Self.documented()], unsigned: .named)
        let door = PictureDoor(signature, policy)
        let path = "/\(options)/plain/http://h/a.jpg"
        let code = try #require(signature.signature(of: Array(path.utf8)))
        let others = options.split(separator: "/").filter { !$0.hasPrefix("c") }.map { "/" + $0 }.joined()
        var work = try door.plan(Array("/_\(others)/plain/http://h/a.jpg".utf8), now: 0).request
        work["cache"] = nil
        for (word, tags) in [(code, signed), ("unsafe", unsigned), ("_", unsigned)] {
            let plan = try door.plan(Array("/\(word)\(path)".utf8), now: 0)
            let asked = plan.request["cache"]?["tags"]?.array?.compactMap(\.string) ?? []
            #expect(plan.tags == tags && asked == tags, "\(word)")
            var request = plan.request
            request["cache"] = nil
            #expect(request == work, "\(word)")
        }
    }

    static let uploads: [(target: String, option: String?)] = [
        ("/_/plain/upload:abc", nil), ("/_/plain/UpLoad:abc", nil), ("/_/plain/%20upload:abc", nil), ("/_/plain/upload%3Aabc", nil),
        ("/_/plain/%75pload:abc", nil), ("/_/plain/upload%253Aabc", nil), ("/_/dXBsb2FkOmFiYw", nil), ("/_/VXBMb2FkOmFiYw.png", nil),
        ("/_/IHVwbG9hZDphYmM", nil), ("/_/raw:1/plain/upload:abc", nil), ("/_/wm:1/wmu:dXBsb2FkOmFiYw/plain/http://h/a", "watermark_url"),
        ("/_/wmu:VXBMb2FkOmFiYw/plain/http://h/a", "watermark_url"), ("/_/wmu:IHVwbG9hZDphYmM/plain/http://h/a", "watermark_url"),
        ("/_/fiu:dXBsb2FkOmFiYw/plain/http://h/a", "fallback_image_url"), ("/_/fiu:dXBsb2FkJTNBYWJj/plain/http://h/a", "fallback_image_url"),
    ]

    @Test(arguments: uploads) func `an upload is refused in every spelling and wherever a URL names it`(target: String, option: String?) throws {
        let door = PictureDoor(URLSignature(pairs: [], unsigned: .named))
        let refusal = try #require(throws: DoorRefusal.self) { try door.plan(Array(target.utf8), now: 0) }
        #expect(refusal.reason == .notAllowed && refusal.option == option && refusal.message.contains("image.load"), "\(refusal)")
        #expect(!refusal.message.contains("abc"), "the id of an upload is a secret")
    }

    static let files: [(target: String, option: String?)] = [
        ("/_/plain/file:///a.png", nil), ("/_/plain/File:///a.png", nil), ("/_/plain/%20file:///a.png", nil), ("/_/plain/s3://b/a.png", nil),
        ("/_/plain/S3%3A%2F%2Fb/a.png", nil), ("/_/plain/%66ile:///a.png", nil), ("/_/ZmlsZTovLy9hLnBuZw", nil), ("/_/raw:1/plain/file:///a.png", nil),
        ("/_/wm:1/wmu:ZmlsZTovLy9hLnBuZw/plain/http://h/a", "watermark_url"), ("/_/fiu:czM6Ly9iL2EucG5n/plain/http://h/a", "fallback_image_url"),
        ("/_/pr:files/fiu:czM6Ly9iL2EucG5n/plain/http://h/a", "fallback_image_url"),
    ]

    @Test(arguments: files) func `files and objects of the operator need a signature, a preset, or the word of the operator`(target: String, option: String?)
        throws
    {
        var policy = DoorPolicy()
        policy.presets = try PicturePresets(text: "files=wm:1/wmu:ZmlsZTovLy9hLnBuZw/fiu:ZmlsZTovLy9hLnBuZw\n")
        let pair = try #require(URLSignature.Pair(key: "aa", salt: "bb"))
        let signature = URLSignature(pairs: [pair], unsigned: .named)
        let refusal = try #require(throws: DoorRefusal.self) { try PictureDoor(signature, policy).plan(Array(target.utf8), now: 0) }
        #expect(refusal.reason == .notAllowed && refusal.option == option && refusal.message.contains("--images-unsigned-sources"), "\(refusal)")
        #expect(try PictureDoor(signature, policy).plan(Array(signature.signing(String(target.dropFirst(2))).utf8), now: 0).isSigned)
        #expect(try PictureDoor(signature, policy).plan(Array("/_/pr:files/plain/http://h/a".utf8), now: 0).isSigned == false)
        policy.unsignedSources = ["file", "s3"]
        _ = try PictureDoor(signature, policy).plan(Array(target.utf8), now: 0)
    }

    @Test func `a source that only begins like an upload is none`() throws {
        let door = PictureDoor(URLSignature(pairs: [], unsigned: .named))
        for source in ["http://h/upload:abc", "uploads:abc", "http://upload:80/a"] {
            #expect(try door.plan(Array("/_/plain/\(source)".utf8), now: 0).request["url"]?.string == source)
        }
    }
}
