import TestSupport
import Testing

/// The promises of the trait `.scoped`.
@Suite struct TestScopeTests {
    private struct Accident: Error {}

    @Test(arguments: [false, true]) func `servers of a test are stopped at its end, the last first, also after a throw`(throwing: Bool) async throws {
        let told = Watched<[String]>([])
        let test = try #require(Test.current)
        do {
            try await TestScopeTrait().provideScope(for: test, testCase: nil) {
                for name in ["first", "second"] { TestScope.atEnd { told.update { $0.append(name) } } }
                told.update { $0.append("test") }
                if throwing { throw Accident() }
            }
            #expect(!throwing)
        } catch {
            #expect(throwing && error is Accident)
        }
        #expect(told.state == ["test", "second", "first"])
    }
}
