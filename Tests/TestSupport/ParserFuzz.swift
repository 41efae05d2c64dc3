import Foundation
package import Testing

/// One of our parsers, with the first inputs.
package struct FuzzTarget: Sendable, CustomTestStringConvertible {
    package let name: String
    let seeds: [[UInt8]]
    let take: @Sendable ([UInt8]) throws -> String

    /// - Parameters:
    ///   - seeds: at least one.
    ///   - take: parses the bytes, checks the rules for the result, and names its kind in a word. Inputs with a new word become seeds.
    package init(_ name: String, _ seeds: [[UInt8]], _ take: @escaping @Sendable ([UInt8]) throws -> String) {
        (self.name, self.seeds, self.take) = (name, seeds, take)
    }

    package init(_ name: String, _ seeds: [String], _ take: @escaping @Sendable ([UInt8]) throws -> String) {
        self.init(name, seeds.map { Array($0.utf8) }, take)
    }

    package var testDescription: String { name }

    /// `TINTYPE_FUZZ_SECONDS`: the time for each target. Without it, some hundred inputs.
    private static let seconds = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_SECONDS"].flatMap { Int($0) }
    /// `TINTYPE_FUZZ_SEED`: the seed of a run to repeat.
    private static let seed = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_SEED"].flatMap { UInt64($0) }

    /// `TINTYPE_FUZZ_TARGET`: a part of the names of the targets to run.
    private static let wanted = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_TARGET"] ?? ""

    /// No parser takes this long for at most `longest` bytes, unless its time grows with their square.
    private static let patience = Duration.seconds(5)
    private static let longest = 128 << 10

    /// Parses mutated inputs until the time is over. A crash ends the process: the line before it names the seed.
    package func run(sourceLocation: SourceLocation = #_sourceLocation) {
        guard Self.wanted.isEmpty || name.contains(Self.wanted) else { return }
        let seed = Self.seed ?? (Self.seconds == nil ? 7 : UInt64.random(in: 0..<1_000_000))
        if Self.seconds != nil { print("fuzz: \(name): TINTYPE_FUZZ_SEED=\(seed)") }
        var dice = Dice(seed)
        var corpus = seeds
        var words: Set<String> = []
        var slowest = Duration.zero
        var count = 0
        let end = Self.seconds.map { ContinuousClock.now + .seconds($0) }
        while end.map({ ContinuousClock.now < $0 }) ?? (count < 300) {
            // The seeds come first, unchanged.
            let input = count < seeds.count ? seeds[count] : Array(dice.mutated(dice.of(corpus), corpus).prefix(Self.longest))
            count += 1
            let start = ContinuousClock.now
            do {
                let word = try take(input)
                if words.count < 1000, words.insert(word).inserted { corpus.append(input) }
            } catch {
                Issue.record("\(name), seed \(seed), input \(count): \(error): \(Self.shown(input))", sourceLocation: sourceLocation)
                return
            }
            let time = ContinuousClock.now - start
            slowest = max(slowest, time)
            if time > Self.patience {
                Issue.record("\(name), seed \(seed), input \(count) took \(time): \(Self.shown(input))", sourceLocation: sourceLocation)
                return
            }
        }
        if Self.seconds != nil { print("fuzz: \(name): \(count) inputs, \(corpus.count) kept, the slowest took \(slowest)") }
    }

    private static func shown(_ input: [UInt8]) -> String { "\(input.count) bytes, in base64: \(Data(input.prefix(4096)).base64EncodedString())" }
}

/// A rule that the result of a parser breaks.
package struct BrokenRule: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

extension Dice {
    /// Inputs that have broken parsers before: the ends of number ranges, combining characters of Unicode, bytes that terminate things.
    private static let words: [[UInt8]] =
        [
            "9223372036854775807", "-9223372036854775808", "18446744073709551616", "4294967296", "2147483648", "-1", "0", "1e309", "0x", "NaN", "\u{301}",
            "\u{200d}",
            "\u{20e3}", "\u{212a}", "%00", "%2e%2e", "\r\n", "\n", "\0", "\"", "\\", "\\ud800", "[[[[[[[[", "{\"", "::", "@", "://", "?", "#", "&=", ";", ",",
            "bytes 0-9223372036854775807/*",
        ].map { Array($0.utf8) } + [
            [0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [0x80, 0, 0, 0], [0, 0, 0, 0], [0xff, 0xff], [0, 0, 0, 1], [0xfe, 0xff, 0xff, 0xff],
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80],
            [0xf4, 0x90, 0x80, 0x80],
        ]

    /// Returns the input with a few changes.
    fileprivate mutating func mutated(_ input: [UInt8], _ corpus: [[UInt8]]) -> [UInt8] {
        var bytes = input
        for _ in 0..<(1 << Int.random(in: 0...4, using: &self)) { mutate(&bytes, corpus) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8], _ corpus: [[UInt8]]) {
        let place = Int.random(in: 0...bytes.count, using: &self)
        let end = min(bytes.count, place + Int.random(in: 0...(chance(0.1) ? bytes.count : 16), using: &self))
        switch Int.random(in: 0..<9, using: &self) {
        case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &self)
        case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: of(Self.words), at: place)
        case 4:
            let word = of(Self.words)
            bytes.replaceSubrange(place..<min(bytes.count, place + word.count), with: word)
        case 5: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &self))
        case 6:
            let other = of(corpus)
            bytes = Array(bytes[..<place] + other[Int.random(in: 0...other.count, using: &self)...])
        case 7 where chance(0.3): bytes.removeSubrange(place...)
        case 8 where chance(0.05):
            // Many copies of one piece, to reveal a loop within a loop.
            let piece = Array(bytes[place..<end])
            let times = Int.random(in: 1...max(1, (64 << 10) / max(1, piece.count)), using: &self)
            bytes.insert(contentsOf: [[UInt8]](repeating: piece, count: times).joined(), at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
        }
    }
}
