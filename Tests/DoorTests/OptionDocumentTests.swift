import Documents
import Foundation
import Testing

@testable import ImgproxyURLs

/// The page says what the descriptions say.
@Suite struct OptionDocumentTests {
    @Test func `docs slash imgproxy has the tables that scripts slash docs writes`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs/imgproxy.md").standardized.path
        let page = try String(contentsOfFile: file, encoding: .utf8)
        #expect(page.contains("<!-- options -->\n\n\(ReferencePage.options.text)\n<!-- end -->"), "run scripts/docs")
    }

    @Test func `every option stands in one row or in the list of refused ones`() {
        let text = ReferencePage.options.text
        for option in PictureOptionTable.all { #expect(text.contains("| `\(option.name)") || text.contains("`\(option.name)`"), "\(option.name)") }
    }
}
