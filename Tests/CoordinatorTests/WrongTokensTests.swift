import Testing

@testable import Coordinator

/// The wrong tokens of addresses, as a table.
@Suite(.timeLimit(.minutes(1))) struct WrongTokensTests {
    /// A value that expectations may change.
    private final class Subject {
        var tokens: WrongTokens
        init(most: Int, mostAddresses: Int = WrongTokens.mostAddresses) { tokens = WrongTokens(most: most, mostAddresses: mostAddresses) }
        func attempt(by address: String, at now: Double) -> Double? { tokens.attempt(by: address, at: now) }
        func count(_ address: String, at now: Double) -> Bool { tokens.count(address, at: now) }
        var footprint: (addresses: Int, attempts: Int) { tokens.footprint }
    }

    @Test func `an address waits after too many wrong tokens until its minute is over`() {
        let tokens = Subject(most: 3)
        #expect(tokens.attempt(by: "a", at: 100) == nil && !tokens.count("a", at: 100))
        #expect(tokens.attempt(by: "a", at: 110) == nil && !tokens.count("a", at: 110))
        #expect(tokens.attempt(by: "a", at: 120) == nil && tokens.count("a", at: 120))
        #expect(tokens.attempt(by: "a", at: 120) == 40 && tokens.attempt(by: "a", at: 159) == 1)
        // Another address is not concerned.
        #expect(tokens.attempt(by: "b", at: 120) == nil)
        // The minute begins with the first wrong token, and nothing of it is left after it.
        #expect(tokens.attempt(by: "a", at: 160) == nil && !tokens.count("a", at: 160) && tokens.attempt(by: "a", at: 161) == nil)
    }

    @Test func `few wrong tokens are forgotten after a minute, and attempts that are refused prolong nothing`() {
        let tokens = Subject(most: 2)
        for minute in 0..<10 {
            let now = Double(minute) * 61
            #expect(tokens.attempt(by: "a", at: now) == nil && !tokens.count("a", at: now))
        }
        #expect(tokens.count("a", at: 550))
        for second in 550..<609 { #expect(tokens.attempt(by: "a", at: Double(second)) != nil) }
        #expect(tokens.attempt(by: "a", at: 609) == nil)
        // A token that is counted without an attempt before it begins another minute too.
        let late = Subject(most: 2)
        #expect(!late.count("a", at: 0) && !late.count("a", at: 60) && late.count("a", at: 61))
    }

    @Test func `with no limit nothing is remembered`() {
        let tokens = Subject(most: 0)
        for _ in 0..<1000 { #expect(!tokens.count("a", at: 1) && tokens.attempt(by: "a", at: 1) == nil) }
        #expect(tokens.footprint.addresses == 0 && tokens.footprint.attempts == 0)
    }

    @Test func `the address that was silent longest is forgotten first, and memory is bounded`() {
        let tokens = Subject(most: 1, mostAddresses: 3)
        for address in ["a", "b", "c"] { #expect(tokens.count(address, at: 1)) }
        // An attempt makes `a` the latest.
        #expect(tokens.attempt(by: "a", at: 2) != nil && tokens.count("d", at: 3))
        #expect(tokens.attempt(by: "b", at: 4) == nil && tokens.attempt(by: "c", at: 4) != nil && tokens.attempt(by: "a", at: 4) != nil)
        for number in 0..<10_000 {
            _ = tokens.count("x\(number)", at: 5)
            _ = tokens.attempt(by: "x\(number)", at: 5)
        }
        #expect(tokens.footprint.addresses == 3 && tokens.footprint.attempts <= 3 * 2 + 17)
    }
}
