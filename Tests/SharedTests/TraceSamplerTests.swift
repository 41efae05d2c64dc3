import TestSupport
import Testing
import TintypeCore

@testable import TintypeTracing

/// The samplers of OpenTelemetry.
@Suite(.scoped) struct TraceSamplerTests {
    static let samplers: [(name: String, argument: String?, root: Bool, ofSampled: Bool, ofUnsampled: Bool)] = [
        ("always_on", nil, true, true, true), ("always_off", nil, false, false, false), ("parentbased_always_on", nil, true, true, false),
        ("parentbased_always_off", nil, false, true, false), ("parentbased_traceidratio", "0", false, true, false), ("traceidratio", nil, true, true, true),
        ("traceidratio", "1.0", true, true, true),
    ]

    @Test(arguments: samplers) func `a sampler decides by its name`(
        name: String, argument: String?, root: Bool, ofSampled: Bool, ofUnsampled: Bool
    ) throws {
        let sampler = try #require(TraceSampler(name, argument: argument))
        let trace = TraceID.random()
        #expect(sampler.samples(trace, parent: nil) == root)
        #expect(sampler.samples(trace, parent: TraceContext(trace: trace, span: .random(), isSampled: true)) == ofSampled)
        #expect(sampler.samples(trace, parent: TraceContext(trace: trace, span: .random(), isSampled: false)) == ofUnsampled)
    }

    @Test(arguments: [("sometimes", nil), ("traceidratio", "half"), ("traceidratio", "1.5"), ("parentbased_traceidratio", "-1"), ("parentbased_", nil)])
    func `an unknown sampler is none`(name: String, argument: String?) { #expect(TraceSampler(name, argument: argument) == nil) }

    @Test func `a ratio takes its part of the traces, and each process the same ones`() throws {
        let sampler = try #require(TraceSampler("traceidratio", argument: "0.25"))
        let traces = (0..<20_000).map { _ in TraceID.random() }
        let taken = traces.filter { sampler.samples($0, parent: nil) }
        #expect((4400...5600).contains(taken.count), "\(taken.count)")
        let more = try #require(TraceSampler("traceidratio", argument: "0.5"))
        #expect(taken.allSatisfy { more.samples($0, parent: nil) })
    }
}
