import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The plan that admission makes of a request before it asks Redis or a store.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct AdmissionPlanTests {
    private func plan(_ json: String, isProbe: Bool = false) throws -> AdmissionPlan {
        AdmissionPlan(try ImageRequest(try JSON(parsing: json), isProbe: isProbe), isProbe: isProbe)
    }

    private func submission(_ json: String) throws -> Submission {
        let plan = try plan(json)
        return plan.submission(receipt: "r", coordinator: "c", deadline: 3, isKept: false)
    }

    @Test(arguments: [
        #"{"url":"file:///a.png"}"#, #"{"urls":["http://a.test/1","file:///a.png"]}"#,
        #"{"url":"http://a.test/1","transform":[{"op":"composite","url":"file:///a.png"}]}"#,
    ])
    func `file URLs need the operator's permission, as sources and as layers`(text: String) throws {
        let request = try ImageRequest(JSON(parsing: text))
        #expect(try #require(throws: TintypeError.self) { try Permissions().check(request) }.name == .denied)
        #expect(throws: Never.self) { try Permissions(allowsFiles: true).check(request) }
    }

    @Test(arguments: [
        (#"{"url":"http://a.test/1","transform":[{"op":"blur","sigma":2},{"op":"text","text":"a","font":"Comic"}]}"#, "transform[1].font"),
        (
            #"{"url":"http://a.test/1","renditions":[{"name":"a"},{"name":"b","transform":[{"op":"text","text":"a","font":"Seirf"}]}]}"#,
            "renditions[1].transform[0].font"
        ),
    ])
    func `a font that is not permitted is refused with the permitted ones`(text: String, path: String) throws {
        let error = try #require(throws: TintypeError.self) { try Permissions().check(ImageRequest(JSON(parsing: text))) }
        #expect(error.name == .invalidParams && error.details["path"]?.string == path, "\(error)")
        #expect(error.details["expected"]?.string?.contains(#""sans", "serif", "monospace""#) == true)
        #expect(throws: Never.self) { try Permissions(fonts: ["Comic", "seirf"]).check(ImageRequest(JSON(parsing: text))) }
    }

    @Test func `the default font is always permitted, and font names ignore case`() throws {
        for font in ["sans", "SANS", "noto sans"] {
            let request = try ImageRequest(["url": "http://a.test/1", "transform": [["op": "text", "text": "a", "font": .string(font)]]])
            #expect(throws: Never.self) { try Permissions(fonts: ["Noto Sans"]).check(request) }
        }
    }

    @Test func `what is to be saved is answered by no cache of results`() throws {
        let (plain, saved) = (try plan(#"{"url":"http://a.test/x"}"#), try plan(#"{"url":"http://a.test/x","saveTo":{"place":"p"}}"#))
        #expect(plain.readsMemory && plain.readsResults && !saved.readsMemory && !saved.readsResults)
        #expect(plain.sourceDigest == saved.sourceDigest && plain.outputs[0].digest != saved.outputs[0].digest)
    }

    @Test func `equal work has equal keys, however it is written`() throws {
        let short = try plan(#"{"url":"http://a.test/x","transform":[{"op":"resize","width":10}],"output":{"format":"png"}}"#)
        let long = try plan(
            #"{"renditions":[{"output":{"format":"png"},"name":"big","transform":[{"width":10,"op":"resize"}]}],"url":"http://a.test/x","priority":3,"tag":"t"}"#
        )
        #expect(short.sourceDigest == long.sourceDigest)
        #expect(short.outputs.map(\.digest) == long.outputs.map(\.digest))
        #expect(short.outputs.map(\.name) == ["default"] && long.outputs.map(\.name) == ["big"])
        #expect(short.request.fingerprint != long.request.fingerprint)
    }

    @Test func `a submission names the host of each mirror once, unless the network is not used`() throws {
        let urls = #""urls":["http://a.test/x","http://b.test/x","http://A.test:81/y","data:,x","http://b.test/z"]"#
        let all = try submission("{\(urls)}")
        #expect(all.host == "a.test" && all.mirrors == ["b.test", "data:"])
        let none = try submission("{\(urls),\"cache\":{\"policy\":\"only\"}}")
        #expect(none.host == "data:" && none.mirrors.isEmpty)
    }

    @Test(arguments: [
        #"{"url":"http://a.test/y","transform":[{"op":"resize","width":10}]}"#,
        #"{"url":"http://a.test/x","transform":[{"op":"resize","width":11}]}"#,
        #"{"url":"http://a.test/x","transform":[{"op":"resize","width":10}],"output":{"quality":3}}"#,
        #"{"url":"http://a.test/x","transform":[{"op":"resize","width":10}],"fetch":{"headers":{"accept":"image/png"}}}"#,
        #"{"url":"http://a.test/x","as":"bytes"}"#,
    ])
    func `other work has other keys`(other: String) throws {
        let one = try plan(#"{"url":"http://a.test/x","transform":[{"op":"resize","width":10}]}"#)
        #expect(try plan(other).outputs[0].digest != one.outputs[0].digest)
    }

    @Test func `the fingerprint does not depend on the receipt`() throws {
        let one = try plan(#"{"url":"http://a.test/x","receipt":"a"}"#)
        #expect(try plan(#"{"receipt":"b","url":"http://a.test/x"}"#).request.fingerprint == one.request.fingerprint)
        #expect(try plan(#"{"receipt":"a","url":"http://a.test/x","deadline":3}"#).request.fingerprint != one.request.fingerprint)
    }

    @Test func `a submission carries the options of its request`() throws {
        let one = try submission(
            #"{"url":"http://A.test:80/x","priority":"high","order":"lifo","tag":"t\"1","userInfo":{"n":1},"progress":true,"fetch":{"retry":{"attempts":5,"base":0.1,"max":2}},"cache":{"ttl":60}}"#
        )
        #expect(one.priority == 4 && one.order == .lifo && one.wantsProgress && one.host == "a.test")
        #expect(one.meta == #","tag":"t\"1","userInfo":{"n":1}"#)
        #expect(one.maxAttempts == 5 && one.retryBaseMilliseconds == 100 && one.retryMaxMilliseconds == 2000)
        #expect(one.resultTime == 60 && one.readResults && one.joining == .any && one.keepsSource && one.takes.isEmpty && one.deadlineSeconds == 3)
        let plain = try submission(#"{"url":"http://a.test/x"}"#)
        #expect(plain.priority == 0 && plain.order == nil && !plain.wantsProgress && plain.meta.isEmpty && plain.resultTime == ResultTime.whileFresh)
        #expect(one.newerThan == 60 && plain.newerThan == nil)
        let short =
            [
                (#""ttl":-1"#, .bytesOnly), (#""ttl":0"#, .bytesOnly), (#""write":["memory"]"#, .bytesOnly), (#""write":["sources"]"#, .bytesOnly),
                (#""ttl":0.001"#, 0.003),
            ] as [(String, ResultTime)]
        for (cache, ttl) in short {
            #expect(try submission(#"{"url":"http://a.test/x","cache":{\#(cache)}}"#).resultTime == ttl, "\(cache)")
        }
        #expect(try submission(#"{"url":"http://a.test/x","deliver":"none","cache":{"write":[]}}"#).resultTime == 0)
    }

    @Test func `requests share a fetch only if each may receive the other's result`() throws {
        func source(_ cache: String) throws -> String { try submission(#"{"url":"http://a.test/x","cache":{\#(cache)}}"#).source }
        let plain = try source("")
        #expect(plain == (try plan(#"{"url":"http://a.test/x"}"#)).sourceDigest)
        for cache in [
            #""write":[]"#, #""read":["sources"]"#, #""key":"mine""#, #""policy":"reload""#, #""policy":"revalidate""#, #""policy":"reload","staleIfError":9"#,
        ] {
            #expect(try source(cache) == plain, "\(cache)")
        }
        let apart = [
            #""await":false"#, #""version":1"#, #""version":2"#, #""ttl":60"#, #""ttl":61"#, #""ttl":-1"#, #""read":[]"#, #""policy":"only""#,
            #""policy":"only","ttl":60"#, #""scope":"anna""#,
            #""staleIfError":60"#, #""staleIfError":61"#, #""staleIfError":0"#, #""staleWhileRevalidate":60"#,
            #""staleIfError":60,"staleWhileRevalidate":60"#,
        ]
        #expect(Set(try apart.map(source) + [plain]).count == apart.count + 1)
        // Requests with the same requirement share a fetch.
        let required = try [#""require":{"alpha":true}"#, #""require":{"alpha":true,"minWidth":9}"#, #""require":{}"#].map {
            try submission(#"{"url":"http://a.test/x",\#($0)}"#).source
        }
        #expect(Set(required).count == 3 && required[2] == plain)
        // Inline delivery waits for the store anyway, so `await: false` does not separate it.
        #expect(try submission(#"{"url":"http://a.test/x","deliver":"inline","cache":{"await":false}}"#).source == plain)
    }

    @Test func `requests that retry other failures do not share a fetch`() throws {
        let sources = try ["", #""404""#, #""404","timeout""#].map { words in
            try submission(#"{"url":"http://a.test/x","fetch":{"retry":{"on":[\#(words)]}}}"#).source
        }
        #expect(try Set(sources + [submission(#"{"url":"http://a.test/x"}"#).source]).count == 4)
    }

    @Test func `under a secret each key is made of the one without it, so that stored results stay known`() throws {
        let request = try ImageRequest(["url": "http://a.test/x", "renditions": [["name": "a"], ["name": "b", "output": ["format": "png"]]]])
        let secret = try KeySecret(text: String(repeating: "s", count: 32), path: "k")
        let (plain, keyed) = (AdmissionPlan(request, isProbe: false), AdmissionPlan(request, isProbe: false, keys: secret))
        #expect(keyed.sourceDigest == secret.key(plain.sourceDigest) && keyed.sourceDigest != plain.sourceDigest)
        #expect(keyed.outputs.map(\.digest) == plain.outputs.map { secret.key($0.digest) })
    }

    @Test func `a description is an unnamed output and does not change other keys`() throws {
        let plain = try plan(#"{"url":"http://a.test/x"}"#)
        let told = try plan(#"{"url":"http://a.test/x","describe":["phash","blurhash","phash"]}"#)
        #expect(told.sourceDigest == plain.sourceDigest && told.outputs.map(\.name) == ["default", ""])
        #expect(told.outputs[0].digest == plain.outputs[0].digest && told.outputs[1].digest != plain.sourceDigest)
        #expect(try plan(#"{"url":"http://a.test/x","describe":["blurhash","phash"]}"#).outputs[1].digest == told.outputs[1].digest)
        #expect(try plan(#"{"url":"http://a.test/x","describe":["phash"]}"#).outputs[1].digest != told.outputs[1].digest)
        #expect(!told.readsMemory && told.readsResults && told.writesMemory)
        #expect(try plan(#"{"url":"http://a.test/x","describe":[]}"#).outputs.map(\.name) == ["default"])
        #expect(try plan(#"{"url":"http://a.test/x","describe":["phash"],"cache":{"key":"mine"}}"#).outputs.map(\.digest).first == "mine")
        // A probe that describes the source needs the whole source and shares its download. Its description has the same key as in any other
        // request.
        let unsure = try plan(#"{"url":"http://a.test/x","cache":{"key":"mine"},"require":{"alpha":true}}"#)
        #expect(!unsure.readsMemory && !unsure.readsResults && unsure.writesMemory, "its key may be that of a result which was made of anything")
        let probe = try plan(#"{"url":"http://a.test/x","describe":["phash","blurhash"]}"#, isProbe: true)
        #expect(probe.sourceDigest == plain.sourceDigest && probe.outputs.map(\.digest) == [told.outputs[1].digest])
        #expect(try plan(#"{"url":"http://a.test/x"}"#, isProbe: true).sourceDigest != plain.sourceDigest)
        // EXIF stands at the beginning of a file, unless it belongs to a certain page.
        let exif = try plan(#"{"url":"http://a.test/x","describe":["exif"]}"#, isProbe: true)
        #expect(try ![plain.sourceDigest, plan(#"{"url":"http://a.test/x"}"#, isProbe: true).sourceDigest].contains(exif.sourceDigest))
        #expect(try Source(canonical: JSON(parsing: exif.request.source.canonical.bytes())) == exif.request.source)
        #expect(try plan(#"{"url":"http://a.test/x","describe":["exif"],"decode":{"page":3}}"#, isProbe: true).sourceDigest == plain.sourceDigest)
        #expect(try !plan(#"{"url":"http://a.test/x","cache":{"policy":"reload"}}"#, isProbe: true).readsResults)
        let third = try plan(#"{"url":"http://a.test/x","describe":["phash","blurhash"],"decode":{"page":3}}"#, isProbe: true)
        #expect(third.outputs.map(\.digest) != probe.outputs.map(\.digest))
        #expect(throws: TintypeError.self) { try plan(#"{"url":"http://a.test/x","decode":{"page":3}}"#, isProbe: true) }
        #expect(throws: TintypeError.self) { try plan(#"{"url":"http://a.test/x","as":"json","describe":["phash"]}"#) }
        #expect(throws: TintypeError.self) { try plan(#"{"url":"http://a.test/x","describe":["colour"]}"#) }
    }

    @Test func `the cache options decide which tiers may answer`() throws {
        let plain = try plan(#"{"url":"http://a.test/x"}"#)
        #expect(plain.readsMemory && plain.readsResults && plain.writesMemory)
        let reload = try plan(#"{"url":"http://a.test/x","cache":{"policy":"reload"}}"#)
        #expect(!reload.readsMemory && !reload.readsResults && reload.writesMemory)
        for (policy, joining) in [("reload", Joining.reload), ("revalidate", .asking), ("refresh", .asking), ("only", .any)] {
            #expect(try submission(#"{"url":"http://a.test/x","cache":{"policy":"\#(policy)"}}"#).joining == joining)
        }
        #expect(try !submission(#"{"url":"http://a.test/x","cache":{"write":["memory","results"]}}"#).keepsSource)
        #expect(try submission(#"{"url":"http://a.test/x","fetch":{"acceptableStatus":["200","404"]}}"#).takes == [200...200, 404...404])
        let named = try plan(#"{"url":"http://a.test/x","receipt":"mine"}"#)
        #expect(!named.readsMemory && named.readsResults)
        let tiers = try plan(#"{"url":"http://a.test/x","cache":{"read":["results"],"write":[]}}"#)
        #expect(!tiers.readsMemory && tiers.readsResults && !tiers.writesMemory)
    }

    @Test func `a probe has one unnamed result`() throws {
        let probe = try plan(#"{"url":"http://a.test/x"}"#, isProbe: true)
        #expect(probe.outputs.map(\.name) == [""] && probe.outputs[0].digest == probe.sourceDigest)
        #expect(!probe.readsMemory && !probe.writesMemory)
        #expect(try plan(#"{"url":"http://a.test/x"}"#).sourceDigest != probe.sourceDigest)
    }

    @Test @Loop func `the planCache recognizes a repeated request and keeps none with a receipt id`() throws {
        let planCache = PlanCache()
        let params = try JSON(parsing: #"{"url":"http://a.test/x","deadline":9}"#)
        let first = try planCache.plan(params)
        #expect(try planCache.plan(params).outputs.map(\.digest) == first.outputs.map(\.digest))
        #expect(throws: TintypeError.self) { try planCache.plan(["url": 7]) }
        let known = planCache.bytes
        #expect(known > 0)
        _ = try planCache.plan(["url": "http://a.test/x", "receipt": "mine"])
        #expect(planCache.bytes == known)
    }

    @Test @Loop func `the planCache makes no plan that the operator does not permit`() {
        let params: JSON = ["url": "file:///a.png"]
        #expect(throws: TintypeError.self) { try PlanCache().plan(params) }
        #expect(throws: Never.self) { try PlanCache(permissions: Permissions(allowsFiles: true)).plan(params) }
    }

    @Test @Loop func `the planCache drops its plans when the rules change`() throws {
        let planCache = PlanCache()
        let params = try JSON(parsing: #"{"url":"http://a.test/x"}"#)
        let before = try planCache.plan(params)
        planCache.rules = try Rules(text: #"{"rules":[{"filters":[{"host":"b.test"}]}]}"#, path: "r")
        #expect(try planCache.plan(params).request.source.host == "b.test")
        planCache.rules = try Rules(text: #"{"rules":[{"access":"deny"}]}"#, path: "r")
        #expect(throws: TintypeError.self) { try planCache.plan(params) }
        planCache.rules = .none
        #expect(try planCache.plan(params).sourceDigest == before.sourceDigest)
    }

    @Test(.holdsLoop("the test makes thousands of requests in one turn")) @Loop
    func `the planCache keeps no large requests, and small ones up to its capacity`() throws {
        let planCache = PlanCache()
        let words = JSON.string(String(repeating: "x", count: 1 << 20))
        for number in 0..<10 { _ = try planCache.plan(["url": .string("http://a.test/\(number)"), "fetch": ["method": "POST", "body": words]]) }
        let many = JSON.array((0..<1000).map { JSON($0) })
        _ = try planCache.plan(["url": "http://a.test/x", "userInfo": ["many": many]])
        #expect(planCache.bytes == 0)
        let some = JSON.string(String(repeating: "x", count: 7 << 10))
        for number in 0..<3000 {
            _ = try planCache.plan(["url": .string("http://a.test/\(number)"), "userInfo": ["words": some]])
            #expect(planCache.bytes <= PlanCache.capacity)
        }
    }

    @Test(.holdsLoop("the test makes thousands of requests in one turn")) @Loop
    func `a flood of new requests drops a few plans, and none that is asked for meanwhile`() throws {
        let planCache = PlanCache()
        func request(_ number: Int) -> JSON { ["url": .string("http://a.test/\(number)")] }
        let asked = request(-1)
        _ = try planCache.plan(asked)
        // A plan that is made anew is one more; a known one is not.
        for number in 0..<PlanCache.most * 3 {
            _ = try planCache.plan(request(number))
            #expect(planCache.count <= PlanCache.most && planCache.bytes <= PlanCache.capacity)
            #expect(number < PlanCache.most || planCache.count >= PlanCache.most / 2)
            guard number % 1000 == 0 else { continue }
            let (count, bytes) = (planCache.count, planCache.bytes)
            _ = try planCache.plan(asked)
            #expect(planCache.count == count && planCache.bytes == bytes, "\(number)")
        }
    }

    private static let timeout = "at most 120 s, which the operator permits by --max-timeout"

    @Test(arguments: [
        (#"{"url":"http://a.test/x","deadline":601}"#, "deadline", "at most 600 s, which the operator permits by --max-deadline"),
        (#"{"url":"http://a.test/x","fetch":{"timeouts":{"total":121}}}"#, "fetch.timeouts.total", Self.timeout),
        (#"{"url":"http://a.test/x","fetch":{"timeouts":{"idle":86400}}}"#, "fetch.timeouts.idle", Self.timeout),
        (#"{"url":"http://a.test/x","fetch":{"timeouts":{"connect":130}}}"#, "fetch.timeouts.connect", Self.timeout),
    ])
    func `times above the operator's limits are refused with the name of the setting`(text: String, path: String, expected: String) throws {
        let request = try ImageRequest(JSON(parsing: text))
        let error = try #require(throws: TintypeError.self) { try Permissions().check(request) }
        #expect(error.name == .invalidParams && error.details["path"] == .string(path) && error.details["expected"] == .string(expected))
        #expect(throws: Never.self) { try Permissions(longestTimeout: .seconds(86_400), longestDeadline: .seconds(86_400)).check(request) }
    }

    @Test func `default timeouts need no permission and are cut to the limit`() throws {
        let strict = Permissions(longestTimeout: .seconds(12), longestDeadline: .seconds(5))
        #expect(throws: Never.self) { try strict.check(ImageRequest(JSON(parsing: #"{"url":"http://a.test/x"}"#))) }
        let cut = try #require(strict.bounded(nil))
        #expect(cut.connect == 10 && cut.idle == 12 && cut.total == 12 && Permissions().bounded(nil) == nil)
    }
}
