import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages

/// The explanation of a request and of the rules that match it.
@Suite(.timeLimit(.minutes(1))) struct RequestExplanationTests {
    private func explain(_ json: String, _ rules: String) throws -> JSON {
        .object(try RequestExplanation(try JSON(parsing: json), rules: try Rules(text: #"{"rules":[\#(rules)]}"#, path: "r.json")).json())
    }

    private func option(_ name: String, _ answer: JSON) -> (value: JSON?, by: String?)? {
        (answer["options"]?.array ?? []).first { $0["name"]?.string == name }.map { ($0["value"], $0["by"]?.string) }
    }

    private static let rules =
        #"{"headers":{"Accept":"a/a","X-Key":"hush","Content-Type":null},"options":{"fetch":{"timeouts":{"total":7}},"output":{"quality":60}}},"#
        + #"{"hosts":["b.test"],"options":{"priority":9}},"#
        + #"{"hosts":["a.test"],"filters":[{"setParams":{"k":"hush"}},{"host":"c.test"}],"key":{"drop":["id"]},"ttl":{"max":90},"access":"cached","#
        + #""options":{"fetch":{"auth":{"bearer":"hush"}},"queue":"bulk"}}"#

    @Test func `each word is told with who has said it`() throws {
        let answer = try explain(
            #"{"url":"http://a.test/x?id=1","priority":"high","cache":{"ttl":500},"fetch":{"timeouts":{"idle":2},"headers":{"X-Own":"hush"}}}"#, Self.rules)
        func said(_ name: String, _ value: JSON, _ by: String) -> Bool {
            let found = option(name, answer)
            return found?.value == value && found?.by == by
        }
        #expect(said("fetch.timeouts.total", 7, "rules[0]") && said("fetch.timeouts.idle", 2, "request") && said("fetch.timeouts.connect", 10, "default"))
        #expect(said("priority", "high", "request") && said("queue", "bulk", "rules[2]") && said("output.quality", 60, "rules[0]"))
        #expect(said("cache.ttl", 90.0, "rules[2]") && said("cache.policy", "only", "rules[2]") && said("fetch.auth", "(hidden)", "rules[2]"))
        #expect(answer["urls"]?[0]?["rules"] == ["rules[0]", "rules[2]"] && answer["urls"]?[0]?["access"] == ["value": "cached", "by": "rules[2]"])
        #expect(answer["urls"]?[0]?["url"]?.string == "http://c.test/x?id=***&k=***" && answer["urls"]?[0]?["inKeys"]?.string == "http://c.test/x?k=***")
        let headers = (answer["headers"]?.array ?? []).map { "\($0["name"]?.string ?? "") \($0["by"]?.string ?? "")" }
        #expect(headers.sorted() == ["Accept rules[0]", "X-Key rules[0]", "X-Own request"])
        #expect(answer["omittedHeaders"] == [["name": "content-type", "by": "rules[0]"]] && answer["ttl"] == ["by": "rules[2]", "max": 90.0])
        #expect(!answer.text.contains("hush"), "\(answer.text)")
    }

    @Test func `each rendition is told by itself, and a secret of the request is none of the answer's`() throws {
        let answer = try explain(
            #"{"url":"http://u:hush@a.test/x?signature=hush","fetch":{"params":{"p":"hush"},"body":"hush","method":"POST"},"callback":{"url":"http://c.test/hush"},"#
                + #""renditions":[{"name":"a"},{"name":"b","output":{"quality":5}}]}"#, Self.rules)
        let (first, second) = (option("renditions[0].output.quality", answer), option("renditions[1].output.quality", answer))
        #expect(first?.value == 60 && first?.by == "rules[0]" && second?.value == 5 && second?.by == "request" && option("output.quality", answer) == nil)
        #expect(!answer.text.contains("hush"), "\(answer.text)")
        let plain = try explain(#"{"url":"http://a.test/x"}"#, "")
        #expect(plain["urls"] == [["url": "http://a.test/x"]] && plain["headers"] == [] && option("deadline", plain)?.by == "default")
    }
}
