import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator

@Suite struct OutgoingImagesTests {
    private static func bytes(_ count: Int, _ value: UInt8 = 0) -> [UInt8] { [UInt8](repeating: value, count: count) }

    @Test @Loop func `readers of one image share its memory until the last one ends`() throws {
        let images = OutgoingImages(limit: 3_000_000)
        var first = images.hold(Self.bytes(2_000_000), as: "a")
        var second = images.hold(Self.bytes(2_000_000), as: "a")
        #expect(first != nil && first === second && images.bytes == 2_000_000)
        #expect(images.hold(Self.bytes(1_000_001), as: "b") == nil)
        first = nil
        #expect(images.bytes == 2_000_000)
        second = nil
        #expect(images.bytes == 0)
        #expect(images.hold(Self.bytes(1_000_001), as: "b")?.bytes.count == 1_000_001)
    }

    @Test @Loop func `a single image may be larger than the limit`() throws {
        let images = OutgoingImages(limit: 1_000_000)
        let large = images.hold(Self.bytes(5_000_000), as: "a")
        #expect(large != nil && images.bytes == 1_000_000)
        #expect(images.hold(Self.bytes(500_000), as: "c") == nil)
        #expect(images.hold(Self.bytes(5_000_000), as: "a") === large)
    }
}
