import TintypeCore
import TintypeImages
import Testing

@testable import Documents

/// The parameters of docs/protocol.md in Markdown.
@Suite struct ParameterListTests {
    private static let tier = SharedValue("tier", .choice(["memory", "results"]), ", and no other")

    @Test(
        arguments: [
            (.boolean, "boolean"), (.string(), "string"), (.string(maxLength: 64), "string of at most 64 bytes"), (.any, "any JSON"), (.null, "null"),
            (.pattern(expectation: "a b", rule: { _ in true }), "a b"), (.integer(1...9), "integer 1…9"), (.integer(1...Int.max), "integer ≥ 1"),
            (.number(-1...0.5), "number -1…0.5"), (.number(-.infinity ... .infinity), "number"), (.number(-.infinity...7), "number ≤ 7"),
            (.choice(["a"]), "`\"a\"`"), (.choice(["a", "b", "c"]), "`\"a\"`, `\"b\"` or `\"c\"`"),
            (.choice(["memory", "results"]), "[tier](#values)"), (.choice(["none", "memory", "results"]), "`\"none\"` or [tier](#values)"),
            (.array(of: .integer(0...3), count: 1...4), "array of 1…4: integer 0…3"), (.array(of: .boolean, count: 2...2), "array of 2: boolean"),
            (.map(of: .any), "object"), (.map(of: .boolean), "object of boolean"), (.map(of: .boolean, most: 3), "object of at most 3: boolean"),
            (.object([ParameterDescription("x", .boolean, "."), ParameterDescription("y", .boolean, ".")]), "`{x, y}`"),
            (.union([.boolean, .null]), "boolean or null"), (.variants(tag: "op", [("a", []), ("b", [])]), "object whose `op` is `a` or `b`"),
        ] as [(ParameterType, String)]) func `a type has short words`(type: ParameterType, words: String)
    {
        #expect(type.notation(naming: [Self.tier]) == words)
    }

    @Test func `a shared type has a line of its own`() {
        #expect(Self.tier.line(naming: [Self.tier]) == "- `tier`: `\"memory\"` or `\"results\"`, and no other.")
        let named = SharedValue("name", .pattern(expectation: "a name: 1 to 9 letters") { _ in true })
        #expect(named.line(naming: [Self.tier, named]) == "- `name`: 1 to 9 letters.")
    }

    @Test func `members follow their object, and neighbors that are alike share a line`() {
        let inner = [
            ParameterDescription("top", .integer(0...9), default: 0, "Pixels. And more."),
            ParameterDescription("left", .integer(0...9), default: 0, "Pixels. And more."),
            ParameterDescription("unit", .choice(["px"]), required: true, "Pixels. And more."),
        ]
        let shared = SharedObject("Edges", "All edges.", inner)
        let members = [
            ParameterDescription("edges", .object(inner), "The edges."), ParameterDescription("list", .array(of: .object(inner), count: 1...2), "Many."),
        ]
        let lines = ParameterList(objects: [], values: []).lines(members)
        #expect(
            lines.joined(separator: "\n") == """
                - `edges` (object): The edges.
                - `edges.top`, `edges.left` (integer 0…9, default `0`): Pixels.
                  And more.
                - `edges.unit` (`"px"`, required): Pixels.
                  And more.
                - `list` (array of 1…2: object): Many.
                - `list[].top`, `list[].left` (integer 0…9, default `0`): Pixels.
                  And more.
                - `list[].unit` (`"px"`, required): Pixels.
                  And more.
                """)
        #expect(
            ParameterList(objects: [shared], values: []).lines(members) == [
                "- `edges` ([Edges](#edges)): The edges.", "- `list` (array of 1…2: [Edges](#edges)): Many.",
            ])
    }
}
