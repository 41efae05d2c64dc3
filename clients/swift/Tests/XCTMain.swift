import Testing
import XCTest

/// The entry of the test bundle, in place of the one that SwiftPM writes.
///
/// SwiftPM's own wants an index of all sources, in which it looks for tests of XCTest: a fifth of the time of the compiler.
/// All tests here are those of Swift Testing, which needs no index.
@main struct TestEntryPoint {
    static func main() async {
        // `swift test` starts the bundle once for each library.
        let arguments = CommandLine.arguments
        if let option = arguments.firstIndex(of: "--testing-library"), arguments[(option + 1)...].first == "swift-testing" {
            await Testing.__swiftPMEntryPoint() as Never
        }
        XCTMain([])
    }
}
