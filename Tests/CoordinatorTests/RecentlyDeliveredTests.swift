import TestSupport
import Testing

@testable import Coordinator

@Suite(.scoped) struct RecentlyDeliveredTests {
    @Test func `an end is remembered for a minute after the next ones`() {
        var told = RecentlyDelivered()
        told.add("a", at: 100)
        told.add("b", at: 159)
        #expect(told.contains("a") && told.contains("b") && !told.contains("c"))
        told.add("c", at: 161)
        #expect(!told.contains("a") && told.contains("b") && told.contains("c"))
    }

    @Test func `only the latest ends are kept`() {
        var told = RecentlyDelivered()
        for number in 0...RecentlyDelivered.most { told.add("r\(number)", at: 0) }
        #expect(!told.contains("r0") && told.contains("r1") && told.contains("r\(RecentlyDelivered.most)"))
    }
}
