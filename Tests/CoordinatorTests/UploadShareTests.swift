import Testing

@testable import Coordinator

/// The uploads of one name, by themselves.
@Suite struct UploadShareTests {
    /// Removes the uploads above a share, as far as `isRemoved` says.
    /// - Returns: their keys.
    private func removed(from share: inout UploadShare, over most: Int, at now: Double) -> [String] {
        var gone: [String] = []
        while let key = share.excess(over: most, at: now) {
            gone.append(key)
            share.remove(key)
        }
        return gone
    }

    @Test func `the oldest uploads make room, as many as are needed`() {
        var share = UploadShare()
        for (number, bytes) in [10, 20, 30].enumerated() { share.add("\(number)", bytes, until: 100) }
        #expect(share.bytes == 60 && share.excess(over: 60, at: 1) == nil)
        share.add("3", 15, until: 101)
        #expect(removed(from: &share, over: 60, at: 1) == ["0", "1"] && share.bytes == 45)
        // A share that has become smaller.
        #expect(removed(from: &share, over: 20, at: 2) == ["2"] && share.bytes == 15)
    }

    @Test func `an upload counts until the store has removed it`() {
        var share = UploadShare()
        for key in ["a", "b"] { share.add(key, 10, until: 100) }
        for _ in 0..<2 { #expect(share.excess(over: 10, at: 1) == "a" && share.bytes == 20) }
        share.remove("a")
        #expect(share.excess(over: 10, at: 1) == nil && share.bytes == 10)
    }

    @Test func `an upload that has expired or was removed takes no room, and is not removed again`() {
        var share = UploadShare()
        for (key, until) in [("a", 5.0), ("b", 6), ("c", 7)] { share.add(key, 10, until: until) }
        share.remove("b")
        share.remove("b")
        share.remove("unknown")
        #expect(share.bytes == 20 && share.excess(over: 10, at: 5) == nil && share.bytes == 10)
        #expect(removed(from: &share, over: 9, at: 6) == ["c"] && share.bytes == 0)
    }

    @Test func `a name has a bounded number of uploads, however small they are`() {
        var share = UploadShare()
        for number in 0..<UploadShare.mostCount { share.add("\(number)", 1, until: 100) }
        #expect(share.excess(over: .max, at: 0) == nil)
        share.add("last", 1, until: 100)
        #expect(removed(from: &share, over: .max, at: 0) == ["0"])
    }
}
