@testable import TintypeQueue
import Testing

@testable import Worker

/// The order in which several renditions are made.
@Suite struct ReadRenditionTests {
    private func order(_ renditions: [(name: String, json: String)]) -> [String] {
        ReadRendition.sorted(renditions.map { ReadRendition(OwedRendition(digest: $0.name, json: $0.json)) }).map(\.digest)
    }

    @Test func `cheap renditions come first and slow ones last, in any order of requests`() {
        let all = [
            ("whole avif", #"{"output":{"format":"avif"}}"#),
            ("small avif", #"{"transform":[{"op":"resize","width":100}],"output":{"format":"avif"}}"#),
            ("whole jpeg", #"{"output":{"format":"jpeg"}}"#),
            ("small jpeg", #"{"transform":[{"op":"resize","width":100}],"output":{"format":"jpeg"}}"#),
            ("probe", "{}"),
            ("bytes", #"{"as":"bytes"}"#),
        ]
        let cheap: Set = ["probe", "bytes"]
        for seen in [order(all), order(all.reversed())] {
            #expect(Set(seen.prefix(2)) == cheap)
            #expect(seen.filter { !cheap.contains($0) } == ["small jpeg", "small avif", "whole jpeg", "whole avif"])
        }
    }

    @Test func `a rendition with fewer pixels comes first when both sides are given`() {
        let all = [
            ("tall", #"{"transform":[{"op":"resize","width":100,"height":900}],"output":{"format":"jpeg"}}"#),
            ("wide", #"{"transform":[{"op":"resize","width":200,"height":50}],"output":{"format":"jpeg"}}"#),
            ("square", #"{"transform":[{"op":"resize","width":150}],"output":{"format":"jpeg"}}"#),
        ]
        for seen in [order(all), order(all.reversed())] { #expect(seen == ["wide", "square", "tall"]) }
    }

    @Test func `equal renditions keep their order`() {
        #expect(order([("b", #"{"as":"bytes"}"#), ("a", #"{"as":"bytes"}"#)]) == ["b", "a"])
    }
}
