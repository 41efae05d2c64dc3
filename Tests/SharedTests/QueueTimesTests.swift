import TintypeQueue
import Testing

struct QueueTimesTests {
    /// For every lease, a worker sends two heartbeats before it gives up, and gives up before others may take over.
    @Test(arguments: [1, 3, 10, 60, 600]) func `two heartbeats fit into every lease before a worker gives up`(seconds: Int) {
        let times = QueueTimes(lease: .seconds(seconds))
        #expect(times.heartbeat * 2 < times.patience)
        #expect(times.patience < times.lease)
        #expect(times.groupRenewal * 3 < times.lease && times.greeting * 3 < times.lease)
        #expect(times.heartbeat <= .seconds(3) && times.groupRenewal <= .seconds(2) && times.greeting <= .seconds(2))
    }

    @Test func `the default lease is ten seconds`() {
        let times = QueueTimes.standard
        #expect(times.lease == .seconds(10) && times.heartbeat == .seconds(3) && times.patience == .seconds(8) && times.groupRenewal == .seconds(2))
    }
}
