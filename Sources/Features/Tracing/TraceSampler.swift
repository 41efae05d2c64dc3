import TintypeCore

/// Decides which traces are sent, by the standard names of OpenTelemetry (`OTEL_TRACES_SAMPLER`). A pure value.
struct TraceSampler: Sendable, Hashable {
    /// Whether the decision of the caller counts, if there is one.
    let followsParent: Bool
    /// The part of other traces that is sent, 0…1.
    let ratio: Double

    /// All traces, unless the caller has decided otherwise: the default of OpenTelemetry.
    static let standard = TraceSampler(followsParent: true, ratio: 1)

    private init(followsParent: Bool, ratio: Double) { (self.followsParent, self.ratio) = (followsParent, ratio) }

    /// - Parameters:
    ///   - name: One of the six names of the specification.
    ///   - argument: The ratio of the two samplers that have one; nil: 1.
    /// - Returns: nil for another name, and for a ratio that is no number from 0 to 1.
    init?(_ name: String, argument: String?) {
        let follows = name.hasPrefix("parentbased_")
        switch follows ? String(name.dropFirst("parentbased_".count)) : name {
        case "always_on": self.init(followsParent: follows, ratio: 1)
        case "always_off": self.init(followsParent: follows, ratio: 0)
        case "traceidratio":
            let ratio = argument.map { Double($0) ?? -1 } ?? 1
            guard (0...1).contains(ratio) else { return nil }
            self.init(followsParent: follows, ratio: ratio)
        default: return nil
        }
    }

    /// Returns whether the spans of a trace are sent. All processes decide equally about one trace, because its id alone decides.
    func samples(_ trace: TraceID, parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        return Double(trace.low >> 1) < ratio * 0x1p63
    }
}
