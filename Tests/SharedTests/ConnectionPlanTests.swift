@testable import TintypeTransport
import TestSupport
import Testing

/// The number of connections for a number of descriptors.
@Suite(.tags(.optimized)) struct ConnectionPlanTests {
    /// Descriptors; the wanted numbers in all and for one address; the given numbers; whether they are cut; whether they are too many.
    private static let cases: [(Int, Int, Int, Int, Int, Bool, Bool)] = [
        // Defaults: all of them, or three quarters of the descriptors for both listeners, and a quarter of that for one address.
        (Int.max, 10_000, 2000, 10_000, 2000, false, false), (1_048_576, 10_000, 2000, 10_000, 2000, false, false),
        (26_668, 10_000, 2000, 10_000, 2000, false, false), (26_660, 10_000, 2000, 9997, 2000, true, false),
        (20_000, 10_000, 2000, 7500, 1875, true, false), (1024, 10_000, 2000, 384, 96, true, false), (96, 10_000, 2000, 36, 9, true, false),
        (4, 10_000, 2000, 1, 1, true, false), (0, 10_000, 2000, 1, 1, true, false),
        // Numbers of the operator stay.
        (1024, 100, 50, 100, 50, false, false), (1024, 384, 384, 384, 384, false, false), (1024, 385, 384, 385, 384, false, true),
        (1024, 100, 385, 100, 385, false, true), (1024, 1000, 1000, 1000, 1000, false, true), (1_048_576, 100, 2000, 100, 2000, false, false),
        // One number by the operator, one default.
        (1024, 5000, 2000, 5000, 96, true, true), (1024, 10_000, 50, 384, 50, true, false), (1024, 10_000, 500, 384, 500, true, true),
    ]

    @Test(arguments: cases)
    func `usual numbers are cut to the descriptors, and the operator's are judged by them`(
        descriptors: Int, total: Int, perAddress: Int, given: Int, givenPerAddress: Int, isCut: Bool, isTooMuch: Bool
    ) {
        let plan = ConnectionPlan(ConnectionLimits(total: total, perAddress: perAddress), descriptors: descriptors)
        #expect(plan.limits == ConnectionLimits(total: given, perAddress: givenPerAddress))
        #expect(plan.isCut == isCut && plan.isTooMuch == isTooMuch)
    }
}
