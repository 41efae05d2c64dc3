import Glibc
import Testing
import XCTest

/// The entry of the test bundle, in place of the one that SwiftPM writes.
///
/// SwiftPM's own wants an index of all sources, in which it looks for tests of XCTest: a fifth of the time of the compiler.
/// All tests here are those of Swift Testing, which needs no index. Beside an entry like this, `swift test` runs XCTest alone.
@main struct TestEntryPoint {
    static func main() async {
        let arguments = CommandLine.arguments
        if let option = arguments.firstIndex(of: "--testing-library"), arguments[(option + 1)...].first == "swift-testing" {
            await Testing.__swiftPMEntryPoint() as Never
        }
        if arguments.contains("--dump-tests-json") { XCTMain([]) }
        print("There are no tests of XCTest here. Those of Swift Testing: swift test --enable-swift-testing --disable-xctest")
        exit(1)
    }
}
