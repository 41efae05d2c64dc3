/// Pauses between tries: each up to twice as long as the one before.
///
/// Half of a pause is left to chance, so that clients do not come back together.
struct Backoff {
    /// The longest first pause.
    var first: Duration = .milliseconds(100)
    /// The longest pause.
    var most: Duration = .seconds(5)
    /// From 0 to 1.
    var chance: () -> Double = { .random(in: 0...1) }
    private var tries = 0

    init() {}

    init(first: Duration, most: Duration, chance: @escaping () -> Double) {
        (self.first, self.most, self.chance) = (first, most, chance)
    }

    /// Returns the next pause.
    mutating func next() -> Duration {
        let longest = min(most, first * (1 << min(tries, 16)))
        tries += 1
        return longest * (0.5 + chance() / 2)
    }

    /// Begins anew after a success.
    mutating func reset() {
        tries = 0
    }
}
