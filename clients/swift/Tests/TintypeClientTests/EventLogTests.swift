import Testing

@testable import TintypeClient

/// Events on their way to readers of any pace.
@Suite struct EventLogTests {
    private func log() -> EventLog<String> {
        EventLog(weight: { $0.hasPrefix("progress") ? .latest("progress") : $0.hasPrefix("end") ? .kept : .passing }, gap: { "gap" })
    }

    private func all(_ reading: EventLog<String>.Reading) async -> [String] {
        var events: [String] = []
        while let event = await reading.next() { events.append(event) }
        return events
    }

    @Test func aSlowReaderHasTheLatestProgressAndEveryOtherEvent() async {
        let log = log()
        let early = log.reader()
        log.push("queued")
        for number in 0..<10_000 { log.push("progress \(number)") }
        log.push("end")
        log.end()
        #expect(await all(early) == ["queued", "progress 9999", "end"])
        #expect(await all(log.reader()) == ["queued", "progress 9999", "end"])
    }

    @Test func aReaderThatIsTooFarBehindIsToldByAGapAndMemoryIsBounded() async {
        let log = log()
        log.push("end of a rendition")
        for number in 0..<10_000 { log.push("started \(number)") }
        log.end()
        let events = await all(log.reader())
        #expect(events.count == EventLog<String>.most)
        // Events that must not be lost stay.
        #expect(events.prefix(2) == ["end of a rendition", "gap"] && events.last == "started 9999")
        #expect(events.count { $0 == "gap" } == 1)
    }

    @Test func readersOfOneLogDoNotDisturbEachOther() async {
        let log = log()
        let (first, second) = (log.reader(), log.reader())
        async let waiting = first.next()
        log.push("a")
        #expect(await waiting == "a")
        #expect(await second.next() == "a")
        log.push("b")
        log.end()
        log.push("too late")
        #expect(await all(first) == ["b"])
        #expect(await all(second) == ["b"])
    }

    @Test func aCancelledReaderEndsAndTheOthersGoOn() async {
        let log = log()
        let reading = log.reader()
        let waiting = Task { await reading.next() }
        waiting.cancel()
        #expect(await waiting.value == nil)
        log.push("a")
        #expect(await log.reader().next() == "a")
    }
}
