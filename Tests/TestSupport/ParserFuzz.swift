import Foundation
package import Testing

/// One parser of ours, and inputs to begin with.
package struct FuzzTarget: Sendable, CustomTestStringConvertible {
    package let name: String
    let seeds: [[UInt8]]
    let take: @Sendable ([UInt8]) throws -> String

    /// - Parameters:
    ///   - seeds: at least one.
    ///   - take: reads the bytes, checks what must hold of what was read, and says in a word what it was. Inputs with a new word become seeds.
    package init(_ name: String, _ seeds: [[UInt8]], _ take: @escaping @Sendable ([UInt8]) throws -> String) {
        (self.name, self.seeds, self.take) = (name, seeds, take)
    }

    package init(_ name: String, _ seeds: [String], _ take: @escaping @Sendable ([UInt8]) throws -> String) {
        self.init(name, seeds.map { Array($0.utf8) }, take)
    }

    package var testDescription: String { name }

    /// `TINTYPE_FUZZ_SECONDS`: for how long each target is run. Without it, some hundred inputs.
    private static let seconds = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_SECONDS"].flatMap { Int($0) }
    /// `TINTYPE_FUZZ_SEED`: the seed of a run that is to be repeated.
    private static let seed = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_SEED"].flatMap { UInt64($0) }

    /// `TINTYPE_FUZZ_TARGET`: a part of the names of those that are run.
    private static let wanted = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_TARGET"] ?? ""

    /// No parser takes so long for what has at most `longest` bytes, unless its time grows with their square.
    private static let patience = Duration.seconds(5)
    private static let longest = 128 << 10

    /// Reads mutated inputs until the time is over. A crash ends the process: the line before it names the seed.
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
            // Those to begin with once as they are.
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

/// What must hold of what a parser has read, and did not.
package struct BrokenRule: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

extension Dice {
    /// What has broken parsers before: the ends of ranges of numbers, what Unicode puts together, bytes that end things.
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

    /// A few changes of one input.
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
            // Many of one, so that a loop within a loop shows.
            let piece = Array(bytes[place..<end])
            let times = Int.random(in: 1...(64 << 10) / max(1, piece.count), using: &self)
            bytes.insert(contentsOf: [[UInt8]](repeating: piece, count: times).joined(), at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
        }
    }
}
