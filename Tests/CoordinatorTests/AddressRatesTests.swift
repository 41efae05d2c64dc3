import Testing
import TintypeSettings

@testable import Coordinator

/// The requests and new pictures of each address.
@Suite(.timeLimit(.minutes(1))) struct AddressRatesTests {
    /// Takes so many at one time.
    /// - Returns: How many were counted.
    private func take(_ count: Int, _ kind: PictureRate.Kind = .requests, by address: String = "192.0.2.1", at now: Double, from rates: inout AddressRates)
        -> Int
    {
        (0..<count).count { _ in rates.take(kind, by: address, at: now) == nil }
    }

    @Test func `ten seconds may come at once, then one at each interval, for requests and pictures apart`() {
        var rates = AddressRates(PictureRate(requests: 100, pictures: 20))
        #expect(take(2000, at: 50, from: &rates) == 1000)
        #expect(rates.take(.requests, by: "192.0.2.1", at: 50).map { abs($0 - 0.01) < 1e-6 } == true)
        #expect(take(300, .pictures, at: 50, from: &rates) == 200)
        #expect(take(2000, by: "192.0.2.2", at: 50, from: &rates) == 1000, "another address has requests of its own")
        #expect(take(200, at: 51, from: &rates) == 100 && take(200, .pictures, at: 51, from: &rates) == 20)
        rates.giveBack(.pictures, to: "192.0.2.1")
        #expect(take(9, .pictures, at: 51, from: &rates) == 1)
        rates.giveBack(.pictures, to: "192.0.2.9")
        #expect(take(2000, at: 100, from: &rates) == 1000)
    }

    @Test func `0 stands for any number, and costs no memory`() {
        var rates = AddressRates(PictureRate(requests: 0, pictures: 1))
        #expect(take(5000, at: 50, from: &rates) == 5000 && rates.count == 0)
        #expect(take(50, .pictures, at: 50, from: &rates) == 10)
    }

    @Test func `a flood of addresses neither grows the table, nor frees the one that asks for most, nor refuses a new one`() {
        var rates = AddressRates(PictureRate(requests: 10, pictures: 10), mostAddresses: 1000)
        var now = 50.0
        #expect(take(200, by: "greedy", at: now, from: &rates) == 100)
        for number in 0..<50_000 {
            // At once, and then as fast as they are forgotten.
            if number > 5000 { now += 0.0001 }
            #expect(rates.take(.requests, by: "flood \(number)", at: now) == nil)
            if rates.count > 1000 { Issue.record("\(rates.count) addresses") }
        }
        let passed = Int((now - 50) * 10)
        #expect((passed - 1...passed + 1).contains(take(200, by: "greedy", at: now, from: &rates)))
        #expect(take(200, by: "newcomer", at: now, from: &rates) == 100)
    }
}
