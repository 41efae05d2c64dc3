import TintypeTransport
import Testing

@testable import Coordinator

@Suite struct OutgoingImagesTests {
    @Test @Loop func `readers of one image share its memory until the last one ends`() {
        let images = OutgoingImages()
        var first: SharedBody? = images.share([1], as: "a")
        var second: SharedBody? = images.share([1], as: "a")
        #expect(first === second && images.share([2], as: "b").bytes == [2])
        first = nil
        #expect(images.share([3], as: "a") === second)
        second = nil
        #expect(images.share([3], as: "a").bytes == [3])
    }
}
