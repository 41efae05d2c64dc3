import Foundation
import TestSupport
import Testing
import TintypeCore

/// Mutated URLs at the real port: each gets a refusal, and none becomes work, a crash, a hang or an entry of a cache.
@Suite(.tags(.optimized), .timeLimit(.minutes(5)), .serialized, .scoped) struct PictureDoorFuzzTests {
    /// Sends targets on one connection and returns the statuses of their answers, in order.
    private func statuses(_ targets: [[UInt8]], _ port: UInt16) async throws -> [Int] {
        let client = try RawClient(port: port)
        var bytes: [UInt8] = []
        for (index, target) in targets.enumerated() {
            bytes +=
                Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: 127.0.0.1\r\n\(index == targets.count - 1 ? "Connection: close\r\n" : "")\r\n".utf8)
        }
        client.send(bytes)
        let text = String(decoding: await client.untilClosed(), as: UTF8.self)
        return text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
    }

    /// Returns the target with one to six changes by chance.
    /// - Parameter bytes: the bytes that may come in.
    private func mutated(_ target: [UInt8], _ bytes: ClosedRange<UInt8>, _ dice: inout Dice) -> [UInt8] {
        var target = target
        for _ in 0..<Int.random(in: 1...6, using: &dice) {
            let place = Int.random(in: 1..<target.count, using: &dice)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: target[place] = UInt8.random(in: bytes, using: &dice)
            case 1: target.insert(dice.of(Array("/:@%.,-0195".utf8)), at: place)
            case 2: if target.count > 2 { target.remove(at: place) }
            default: target.insert(contentsOf: target[place..<min(target.count, place + 9)], at: place)
            }
        }
        return target
    }

    /// Returns the bytes of the signature, and what is signed: the last character of a signature has two bits that mean nothing.
    private static func meaning(_ target: [UInt8]) -> [[UInt8]] {
        let signature = Array(target.dropFirst().prefix { $0 != UInt8(ascii: "/") })
        return [Base64.bytes(of: signature) ?? signature, Array(target.dropFirst(1 + signature.count))]
    }

    @Test func `ten thousand mutated URLs with signatures are refused, and nothing is asked for or kept`() async throws {
        let door = try await PictureDoorDeployment()
        let seeds = [
            door.path("/picture.png", "rs:fill:20:20/q:80", format: "webp"), door.path("/picture.png"),
            door.path("/picture.png", "exp:99999999999", format: "png"),
            door.signing("/w:10/plain/" + PercentText.encoded(door.deployment.url("/picture.png")) + "@png"),
        ].map { Array($0.utf8) }
        var dice = Dice(11)
        for _ in 0..<100 {
            var targets: [[UInt8]] = []
            while targets.count < 100 {
                let seed = dice.of(seeds)
                let target = mutated(seed, 0x21...0x7e, &dice)
                // A change behind a question mark is none.
                if Self.meaning(target) != Self.meaning(seed), !target.contains(UInt8(ascii: "?")) { targets.append(target) }
            }
            let answers = try await statuses(targets, door.port)
            #expect(answers.count == 100)
            for (target, status) in zip(targets, answers) where ![400, 403, 404].contains(status) {
                Issue.record("\(status) \(String(decoding: target, as: UTF8.self))")
            }
        }
        #expect(try await door.deployment.asked() == 0)
        #expect(try await door.deployment.coordinators[0].value(of: #"tintype_cache_entries{tier="memory"}"#) == 0)
        #expect(try await door.count("refused") == 10_000)
        #expect(try await door.get(door.path("/picture.png", "w:10")).status == 200, "the door still answers")
    }

    @Test func `URLs of any bytes end in a refusal, or in the end of their connection`() async throws {
        let door = try await PictureDoorDeployment()
        let seed = Array(door.path("/picture.png", "w:10").utf8)
        var dice = Dice(12)
        for _ in 0..<500 {
            let target = mutated(seed, 0...255, &dice)
            let answers = try await statuses([target], door.port)
            // Bytes that end a line make other requests of one.
            #expect(answers.allSatisfy { (400..<500).contains($0) || $0 == 501 || $0 == 200 }, "\(answers) \(String(decoding: target, as: UTF8.self))")
        }
        #expect(try await door.get(door.path("/picture.png", "w:10")).status == 200)
    }

    @Test func `unsigned URLs are requests or refusals of this service, whatever stands in them`() async throws {
        // Only the origin of the test may be asked, so that no name is looked up.
        let folder = try TemporaryFolder("rules")
        let rules = folder.path + "/rules.json"
        try #"{"rules":[{"hosts":["*"],"access":"deny"},{"hosts":["127.0.0.1"],"access":"allow"}]}"#.write(toFile: rules, atomically: true, encoding: .utf8)
        let door = try await PictureDoorDeployment(["--images-unsigned", "--rules", rules])
        let source = PercentText.encoded(door.deployment.url("/picture.png?size=32x32"))
        let options = [
            "w:8", "rs:fill:8:4", "q:50", "bl:1", "c:4:4", "ex:1", "pd:2", "rot:90", "f:webp", "f:png", "t:10", "bg:ff0000", "dpr:2", "el:1", "fl:1:1", "sm:0",
        ]
        var dice = Dice(13)
        var counts: [Int: Int] = [:]
        for _ in 0..<20 {
            var targets: [[UInt8]] = []
            while targets.count < 50 {
                let chosen = (0..<Int.random(in: 1...3, using: &dice)).map { _ in "/" + dice.of(options) }.joined()
                let changed = mutated(Array(chosen.utf8), 0x21...0x7e, &dice).filter { $0 != UInt8(ascii: "?") }
                // The source stays whole: another port of loopback may be anybody's.
                targets.append(Array("/unsafe".utf8) + changed + Array("/plain/\(source)@png".utf8))
            }
            for (target, status) in zip(targets, try await statuses(targets, door.port)) {
                counts[status, default: 0] += 1
                if ![200, 400, 403, 404, 422].contains(status) { Issue.record("\(status) \(String(decoding: target, as: UTF8.self))") }
            }
        }
        #expect(counts.values.reduce(0, +) == 1000 && counts[200] ?? 0 > 20 && counts[400] ?? 0 > 100, "\(counts)")
    }

    @Test func `a URL of a megabyte, nested escapes and inward sources are refused`() async throws {
        let door = try await PictureDoorDeployment(["--images-unsigned"])
        let long = Array(("/unsafe/plain/http://h/" + String(repeating: "a", count: 1 << 20)).utf8)
        #expect(try await statuses([long], door.port) == [414])
        var nested = door.deployment.url("/picture.png")
        for _ in 0..<5 { nested = PercentText.encoded(nested) }
        let cases = [
            "/unsafe/plain/\(nested)", "/unsafe/plain/http://169.254.169.254/latest", "/unsafe/plain/http://10.1.2.3/a",
            "/unsafe/plain/http://%5B::ffff:10.0.0.1%5D/a",
            "/unsafe/plain/file:///etc/passwd", "/unsafe/plain/gopher://127.0.0.1:6379/_INFO", "/unsafe/plain/http://127.0.0.1%00.example/",
            "/unsafe/plain/http://h/%0d%0aHost:%20x", "/unsafe/plain/local:///etc/passwd", "/unsafe//plain/http://h/a", "/unsafe/plain/",
            "/unsafe/" + [String](repeating: "w:1", count: 65).joined(separator: "/") + "/plain/http://h/a",
        ]
        for target in cases {
            let answers = try await statuses([Array(target.utf8)], door.port)
            // An inner address is answered as a name that does not exist.
            #expect(answers.count == 1 && ((400..<500).contains(answers[0]) || answers[0] == 502), "\(answers) \(target)")
        }
        #expect(try await door.deployment.asked() == 0)
    }
}
