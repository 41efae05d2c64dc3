import TintypeCore
import TintypeImages
import Testing

struct SourceScaleTests {
    @Test(arguments: [
        ("https://a.test/icon@2x.png", 2), ("https://a.test/icon%402x.png?v=1", 2), ("https://a.test/icon@3x.png#top", 3),
        ("https://a.test/dir@2x/icon.png", 1),
        ("https://a.test/icon.png?file=@2x.png", 1), ("https://a.test/icon@2x", 2), ("https://a.test/icon@4x.png", 1), ("https://a.test/@2x.png", 2),
        ("https://user@2x.test/", 1), ("data:,x", 1), ("https://a.test/icon@2X.png", 1),
    ])
    func `the scale of a file stands in its name`(url: String, scale: Int) {
        let info = SourceInfo(url: url, finalURL: url, status: 200, bytes: 1)
        #expect(info.scale == scale)
        #expect(info.json["scale"]?.int == (scale == 1 ? nil : scale))
    }
}
