import Testing
import TintypeCore
import TintypeImages

@testable import ImgproxyURLs

/// Which picture is shown first, and which one follows it.
@Suite struct QuickFirstTests {
    static let pairs: [(AcceptClass, slow: ImageFormat?, quick: AcceptClass)] = [
        (.none, nil, .none), (.webp, nil, .webp), (.avif, .avif, .none), (.avifAndWebP, .avif, .webp), (.jxl, .jxl, .none),
    ]

    @Test(arguments: pairs) func `a class without its slow format is one of the other classes`(accept: AcceptClass, slow: ImageFormat?, quick: AcceptClass) {
        #expect(accept.slow == slow && accept.quick == quick)
        #expect(quick.slow == nil && accept.formats.filter { $0 != slow } == quick.formats)
    }

    @Test func `the pairs name every class`() { #expect(Self.pairs.map(\.0) == AcceptClass.allCases) }

    private static func policy(_ change: (inout DoorPolicy) -> Void = { _ in }) -> DoorPolicy {
        var policy = DoorPolicy()
        (policy.detected, policy.isQuickFirst) = ([.avif, .webp, .jxl], true)
        change(&policy)
        return policy
    }

    static let rows: [(accept: String?, quick: String?, next: ImageFormat?)] = [
        ("image/avif,image/webp,*/*", "resize(width=3) output(format=auto,accept=webp+png+jpeg+gif)", .avif), ("image/avif", "resize(width=3)", .avif),
        ("image/jxl,*/*", "resize(width=3)", .jxl), ("image/webp", nil, nil), ("*/*", nil, nil), (nil, nil, nil),
    ]

    @Test(arguments: rows) func `the quick picture is that of the class without the slow format, under the same key`(
        accept: String?, quick: String?, next: ImageFormat?
    ) throws {
        let plan = try PictureOptionTests.plan("w:3", Self.policy(), accept: accept)
        #expect(plan.quick.map { PictureOptionTests.show($0.request) } == quick && plan.quick?.next == next)
        guard let shown = plan.quick else { return }
        let other = try PictureOptionTests.plan("w:3", Self.policy(), accept: quick?.contains("webp") == true ? "image/webp" : nil)
        #expect(shown.request == other.request, "clients of the other class have the same picture")
        #expect(plan.request != shown.request && plan.varies == ["Accept"])
    }

    @Test(arguments: ["f:png", "raw:1", "w:3 @avif"]) func `a URL that names its format has one picture`(options: String) throws {
        #expect(try PictureOptionTests.plan(options, Self.policy(), accept: "image/avif,image/webp").quick == nil)
    }

    @Test func `there is no quick picture without the setting, without the slow format, or past the caches`() throws {
        let accept = "image/avif,image/webp"
        #expect(try PictureOptionTests.plan("w:3", Self.policy { $0.isQuickFirst = false }, accept: accept).quick == nil)
        #expect(try PictureOptionTests.plan("w:3", Self.policy { $0.detected = [.webp] }, accept: accept).quick == nil)
        let presets = try PicturePresets(text: "fresh=bypass_cache:1")
        #expect(try PictureOptionTests.plan("pr:fresh", Self.policy { $0.presets = presets }, accept: accept).quick == nil)
    }

    @Test func `unattended work goes on without its client, shows no fallback, and is the same picture`() throws {
        let request: JSONObject = ["url": "http://h/a", "priority": 3, "queue": "q", "fallback": ["url": "http://h/b"]]
        #expect(DoorPlan.unattended(request, priority: -2) == ["url": "http://h/a", "priority": -2, "queue": "q", "detached": true])
    }

    @Test(arguments: [(0, -5), (10, 5), (-4, -9), (-5, -10), (-6, -10), (-10, -10)]) func `a better picture goes behind its request, within the priorities`(
        priority: Int, behind: Int
    ) { #expect(DoorPlan.priority(behind: priority) == behind) }
}
