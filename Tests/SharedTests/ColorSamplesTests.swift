import TintypeCore
import TintypeImages
import Testing

struct ColorSamplesTests {
    private func request(_ samples: String, _ more: String = "") throws -> ImageRequest {
        try ImageRequest(JSON(parsing: #"{"url":"http://a.test/","samples":\#(samples)\#(more)}"#), isProbe: true)
    }

    @Test func `samples make a key of their own, and are read back as written`() throws {
        let one = try request(#"{"points":[[1,2],[3,4]],"rects":[{"x":0,"y":0,"width":16,"height":16}]}"#)
        let other = try request(#"{"points":[[1,2]]}"#)
        let source = one.source.digest
        #expect(one.renditions[0].digest(source: source) != other.renditions[0].digest(source: source))
        let read = try Rendition(canonical: one.renditions[0].canonical)
        #expect(read.samples == one.renditions[0].samples && read.samples?.points.count == 2 && read.traits == [.colors])
        #expect(try request("null").renditions[0].traits.isEmpty)
    }

    @Test func `a request with only describe keeps its form`() throws {
        let request = try ImageRequest(["url": "http://a.test/", "describe": ["palette"]], isProbe: true)
        #expect(request.renditions[0].canonical == ["describe": ["palette"]])
    }

    @Test(arguments: [
        #"{"rects":[{"x":0,"y":0,"width":16,"height":16},{"x":0,"y":0,"width":1,"height":1}]}"#, #"{"rects":[{"x":0,"y":0,"width":257,"height":1}]}"#,
    ])
    func `more than 256 pixels of rectangles are refused`(samples: String) {
        let error = #expect(throws: TintypeError.self) { try request(samples) }
        #expect(error?.name == .invalidParams)
    }
}
