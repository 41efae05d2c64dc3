package import Testing

/// The tags of suites, by which `scripts/test` chooses the tests of a tier. `scripts/tiers.py` reads them from the source, as `.tags(.cluster)`.
extension Tag {
    /// `--optimized`: the suite computes, and the optimizer could break what it tests.
    @Tag package static var optimized: Self
    /// `--threads`: the suite is about the event loop, or what lives on it.
    @Tag package static var threads: Self
    /// `--real-times`: the suite waits for leases or timeouts, which `TestTimes` shortens.
    @Tag package static var realTimes: Self
    /// `--cluster`: the suite is about keys, scripts or channels in Redis.
    @Tag package static var cluster: Self
    /// `--deploy`: the suite judges files of `deploy` with programs of others, and runs no code of ours.
    @Tag package static var deploy: Self
    /// In no tier, on purpose: it has the subject of a tier, and would show nothing more there.
    @Tag package static var untiered: Self

    /// The test measures a time, or waits one out, since no condition shows the same.
    @Tag package static var timed: Self
}
