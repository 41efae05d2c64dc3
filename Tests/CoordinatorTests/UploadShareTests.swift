import Testing

@testable import Coordinator

/// The uploads of one name, by themselves.
@Suite struct UploadShareTests {
    @Test func `the oldest uploads make room, as many as are needed`() {
        var share = UploadShare()
        for (number, bytes) in [10, 20, 30].enumerated() {
            #expect(share.makeRoom(for: bytes, within: 60, at: 0) == [])
            share.add("\(number)", bytes, until: 100)
        }
        #expect(share.bytes == 60 && share.makeRoom(for: 0, within: 60, at: 1) == [])
        #expect(share.makeRoom(for: 15, within: 60, at: 1) == ["0", "1"] && share.bytes == 30)
        share.add("3", 15, until: 101)
        // A share that has become smaller.
        #expect(share.makeRoom(for: 0, within: 20, at: 2) == ["2"] && share.makeRoom(for: 20, within: 20, at: 2) == ["3"] && share.bytes == 0)
    }

    @Test func `an upload that has expired or was removed takes no room, and is not removed again`() {
        var share = UploadShare()
        for (key, until) in [("a", 5.0), ("b", 6), ("c", 7)] { share.add(key, 10, until: until) }
        share.remove("b")
        share.remove("b")
        share.remove("unknown")
        #expect(share.bytes == 20 && share.makeRoom(for: 10, within: 20, at: 5) == [] && share.bytes == 10)
        #expect(share.makeRoom(for: 11, within: 20, at: 6) == ["c"] && share.bytes == 0)
    }

    @Test func `a name has a bounded number of uploads, however small they are`() {
        var share = UploadShare()
        for number in 0..<UploadShare.mostCount {
            #expect(share.makeRoom(for: 1, within: .max / 2, at: 0) == [])
            share.add("\(number)", 1, until: 100)
        }
        #expect(share.makeRoom(for: 1, within: .max / 2, at: 0) == ["0"])
    }
}
