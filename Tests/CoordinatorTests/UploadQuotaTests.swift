import Testing

@testable import Coordinator

/// The uploads of one name, by themselves.
@Suite struct UploadQuotaTests {
    /// Removes the uploads above a share, as far as `isRemoved` says.
    /// - Returns: their keys.
    private func removed(from quota: inout UploadQuota, over most: Int, at now: Double) -> [String] {
        var gone: [String] = []
        while let key = quota.excess(over: most, at: now) {
            gone.append(key)
            quota.remove(key)
        }
        return gone
    }

    @Test func `the oldest uploads make room, as many as are needed`() {
        var quota = UploadQuota()
        for (number, bytes) in [10, 20, 30].enumerated() { quota.add("\(number)", bytes, until: 100) }
        #expect(quota.bytes == 60 && quota.excess(over: 60, at: 1) == nil)
        quota.add("3", 15, until: 101)
        #expect(removed(from: &quota, over: 60, at: 1) == ["0", "1"] && quota.bytes == 45)
        // A share that has become smaller.
        #expect(removed(from: &quota, over: 20, at: 2) == ["2"] && quota.bytes == 15)
    }

    @Test func `an upload counts until the store has removed it`() {
        var quota = UploadQuota()
        for key in ["a", "b"] { quota.add(key, 10, until: 100) }
        for _ in 0..<2 { #expect(quota.excess(over: 10, at: 1) == "a" && quota.bytes == 20) }
        quota.remove("a")
        #expect(quota.excess(over: 10, at: 1) == nil && quota.bytes == 10)
    }

    @Test func `an upload that has expired or was removed takes no room, and is not removed again`() {
        var quota = UploadQuota()
        for (key, until) in [("a", 5.0), ("b", 6), ("c", 7)] { quota.add(key, 10, until: until) }
        quota.remove("b")
        quota.remove("b")
        quota.remove("unknown")
        #expect(quota.bytes == 20 && quota.excess(over: 10, at: 5) == nil && quota.bytes == 10)
        #expect(removed(from: &quota, over: 9, at: 6) == ["c"] && quota.bytes == 0)
    }

    @Test func `a name has a bounded number of uploads, however small they are`() {
        var quota = UploadQuota()
        for number in 0..<UploadQuota.mostCount { quota.add("\(number)", 1, until: 100) }
        #expect(quota.excess(over: .max, at: 0) == nil)
        quota.add("last", 1, until: 100)
        #expect(removed(from: &quota, over: .max, at: 0) == ["0"])
    }
}
