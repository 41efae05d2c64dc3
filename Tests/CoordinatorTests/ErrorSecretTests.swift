import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeGroups

/// Errors repeat no secret of a request, wherever a client puts it. The requests are made of the descriptions of all methods.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ErrorSecretTests {
    private static let planted = "PLANTED"
    /// No id, name or word has a space.
    private static let text = JSON.string("\(planted) 5ecret")
    /// A header as a name, as a client may write it by mistake.
    private static let name = "Authorization: Bearer \(planted)"
    private static let url = JSON.string("http://ann:\(planted)@h.test:99999/?token=\(planted)")
    private static let everywhere: [JSON] = [text, url, [text], [url], ["x": text], ["url": url, "unknown": text], [name: ""], [name: 7]]

    /// Values with the secret in every place of a type where somebody may write a text, known members and unknown ones.
    private static func values(_ type: ParameterType) -> [JSON] {
        let inner: [JSON] =
            switch type {
            case .object(let members): inside(members)
            case .variants(let tag, let all): all.flatMap { one in inside(one.members).map { .object(($0.object ?? [:]).merging([tag: .string(one.name)])) } }
            case .array(let type, _): values(type).map { [$0] }
            case .map(let type, _): values(type).flatMap { [["x": $0], [name: $0]] as [JSON] }
            case .union(let types): types.flatMap(values)
            case .boolean, .string, .pattern, .integer, .number, .choice, .null, .any: []
            }
        return everywhere + inner
    }

    private static func inside(_ members: [ParameterDescription]) -> [JSON] { members.flatMap { member in values(member.type).map { [member.name: $0] } } }

    private func check(_ error: TintypeError, _ request: JSON) {
        #expect(!error.json.text.contains(Self.planted) && !error.description.contains(Self.planted), "\(request.text): \(error.json.text)")
    }

    @Test func `no part of a request is repeated`() throws {
        var refused = 0
        for (isProbe, parameters) in [(false, ImageRequest.parameters), (true, ImageRequest.probeParameters)] {
            for value in Self.inside(parameters) {
                let request = JSON.object(JSONObject([("url", "http://h.test/")]).merging(value.object ?? [:]))
                let requests = [request, .object(JSONObject([("urls", [Self.url])]).merging(request.object ?? [:]))]
                for json in requests {
                    do throws(TintypeError) {
                        _ = try ImageRequest(json, isProbe: isProbe)
                    } catch {
                        refused += 1
                        check(error, json)
                    }
                }
                let targets: [JSON] = [
                    ["key": "k", "request": request], ["request": request, "x": Self.text], .object((value.object ?? [:]).merging(["key": "k"])),
                ]
                for target in targets {
                    do throws(TintypeError) { _ = try CacheTarget(target, .none, .none) } catch { check(error, target) }
                }
                do throws(TintypeError) { _ = try GroupItems.item(request, at: "items[0]") } catch { check(error, request) }
            }
        }
        #expect(refused > 1000)
    }

    /// Descriptions whose secrets are refused beside others: the shapes that a table of single members does not reach.
    @Test(arguments: [
        #"{"url":"http://h.test/","urls":["URL"]}"#, #"{"fetch":{"headers":{"Authorization":"TEXT"}},"url":7}"#,
        #"{"url":"http://h.test/","transform":[{"op":"animate","urls":["URL"],"columns":2}]}"#,
        #"{"url":"http://h.test/","transform":[{"op":"composite","url":{"url":"URL"}}]}"#,
        #"{"url":"http://h.test/","fallback":{"url":"URL","key":"TEXT"}}"#, #"{"url":"http://h.test/","fallback":"TEXT"}"#,
        #"{"url":"s3://b/k","fetch":{"headers":{"Authorization":"TEXT"}}}"#, #"{"url":"s3://b/k","fetch":{"auth":{"bearer":"TEXT"}}}"#,
        #"{"url":"http://h.test/","as":"json","transform":[{"op":"text","text":"TEXT"}]}"#,
        #"{"url":"http://h.test/","renditions":[{"transform":[{"op":"mask","url":"URL","shape":"circle"}]}]}"#,
        #"{"url":"http://h.test/","callback":{"url":"http://c.test/","secret":["TEXT"]}}"#,
        #"{"url":"http://h.test/","fetch":{"body":{"multipart":[{"name":"a","value":"TEXT","base64":"TEXT"}]}}}"#,
        #"{"url":"http://h.test/","output":{"format":"TEXT"}}"#, #"{"url":"http://h.test/","fetch":{"jsonShape":{"a":"TEXT"}}}"#,
        #"{"url":"http://h.test/","fetch":{"headers":{"Authorization: Bearer PLANTED":""}}}"#, #"{"url":"http://h.test/","Bearer PLANTED":""}"#,
        #"{"url":"http://h.test/","fetch":{"jsonShape":{"Bearer PLANTED":7}}}"#, #"{"url":"http://h.test/","metadata":{"Bearer PLANTED":""}}"#,
    ]) func `no secret beside another mistake is repeated`(request: String) throws {
        let json = try JSON(parsing: request.replacing("TEXT", with: Self.text.string ?? "").replacing("URL", with: Self.url.string ?? ""))
        check(try #require(throws: TintypeError.self) { try ImageRequest(json) }, json)
    }

    @Test @Loop func `no method repeats a secret`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        // A notification has no answer, and a pause would hold back the requests behind it.
        for method in MethodCatalog.methods where method.example.result != nil && method.name != "queue.pause" {
            for parameter in method.parameters {
                for value in Self.everywhere where !(["url", "urls", "prefix"].contains(parameter.name) && value == Self.text) {
                    var params = method.example.params.object ?? [:]
                    params[parameter.name] = value
                    // A request that is admitted ends soon.
                    if method.parameters.contains(where: { $0.name == "deadline" }) { params["deadline"] = 0.01 }
                    let answer = try await client.call(method.name, JSON.object(params).text)
                    guard let error = answer.error else { continue }
                    #expect(!"\(error)".contains(Self.planted), "\(method.name) \(JSON.object(params).text): \(error)")
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"output":{"format":"wepb"}}"#, "output.format", #""wepb""#, #"did you mean "webp""#),
        (#"{"output":{"format":"bogus"}}"#, "output.format", #""bogus""#, #""webp""#),
        (#"{"output":{"format":"5ecret"}}"#, "output.format", #""(a string of 6 bytes)""#, #""webp""#),
        (#"{"output":{"fromat":"webp"}}"#, "output.fromat", #""(a string of 4 bytes)""#, #"did you mean "format""#),
        (#"{"output":{"quality":101}}"#, "output.quality", "101", "from 1 to 100"),
        (#"{"output":{"quality":[1]}}"#, "output.quality", #""(an array)""#, "from 1 to 100"),
        (#"{"slot":7}"#, "slot", "7", "1 to 128 bytes"), (#"{"slot":true}"#, "slot", "true", "1 to 128 bytes"),
        (#"{"transform":[{"op":"rezise"}]}"#, "transform[0].op", #""rezise""#, #"did you mean "resize""#),
        (#"{"url":"http://h.test/","urls":["http://h.test/"]}"#, "urls", #""(an array)""#, "either url or urls"),
    ]) func `an error still helps`(request: String, path: String, value: String, expected: String) throws {
        let json = JSON.object(JSONObject([("url", "http://h.test/")]).merging(try #require(JSON(parsing: request).object)))
        let error = try #require(throws: TintypeError.self) { try ImageRequest(json) }
        #expect(error.details["path"] == .string(path) && error.details["value"]?.text == value, "\(error.json.text)")
        #expect(error.details["expected"]?.string?.contains(expected) == true && error.message.contains("not \(value)") != (path == "output.fromat"))
    }
}
