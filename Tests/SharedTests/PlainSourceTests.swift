import TintypeCore
import TintypeImages
import Testing

struct PlainSourceTests {
    private func address(_ url: String) throws -> SourceAddress {
        try #require(try Source(urls: [url], fetch: FetchOptions()).addresses.first)
    }

    @Test(arguments: [
        ("color:tomato,300x200", Color(red: 255, green: 99, blue: 71), 300, 200), ("color:f80,1x8192", Color(red: 255, green: 136, blue: 0), 1, 8192),
        ("COLOR:Ff634780,10x10", Color(red: 255, green: 99, blue: 71, alpha: 128), 10, 10), ("color:transparent,2x3", .transparent, 2, 3),
    ])
    func `a color and a size make a source`(url: String, color: Color, width: Int, height: Int) throws {
        guard case .color(let plain) = try address(url).kind else { return #expect(Bool(false), "\(url)") }
        #expect(plain.color == color && plain.width == width && plain.height == height)
    }

    @Test func `all spellings of a color give one source key`() throws {
        let digests = try ["color:red,2x3", "color:f00,2x3", "Color:ff0000ff,02x03"].map { try Source(urls: [$0], fetch: FetchOptions()).digest }
        #expect(Set(digests).count == 1)
        #expect(try Source(urls: ["color:red,3x2"], fetch: FetchOptions()).digest != digests[0])
    }

    @Test(arguments: [
        "color:", "color:red", "color:red,", "color:red,3", "color:red,0x3", "color:red,3x", "color:red,3x4x5", "color:red,8193x1", "color:red,-1x4",
        "color:redd,1x1", "color:red,1x99999999999999999999", "color:red,1x1,1x1", "color:+f0000,1x1", "color:red,+1x1", "color:,1x1",
    ])
    func `a URL without a color or size is refused with the expected form`(url: String) throws {
        let error = #expect(throws: TintypeError.self) { try Source(urls: [url], fetch: FetchOptions()) }
        #expect(error?.name == .invalidURL && error?.message.contains("color:COLOR,WIDTHxHEIGHT") == true)
    }

    @Test(arguments: [
        ("color:#336699,2x2", "color:#336699,2x2"), ("Color:tomato,2x2", "Color:tomato,2x2"), ("color:#a?b=c#d", "color:"),
        ("color:anna:hush@h/x", "color:h/x"),
    ]) func `colors can be told apart in lists`(url: String, shown: String) { #expect(RedactedURL(url).description == shown) }
}
