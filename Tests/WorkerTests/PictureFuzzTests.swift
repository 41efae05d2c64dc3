import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Random lists of operations, made from their descriptions, on real, hostile and damaged files. They run in this process, so that
/// `scripts/fuzz` can run them under the address sanitizer. `TINTYPE_FUZZ_SECONDS` sets the time; without it there are a hundred lists.
@Suite(.tags(.optimized), .timeLimit(.minutes(30)), .serialized)
struct PictureFuzzTests {
    private static let until = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_SECONDS"].flatMap { Int($0) }.map { ContinuousClock.now + .seconds($0) }

    @Test func `any list of operations on any file ends in a picture or an explained error`() throws {
        try VipsRuntime.start()
        VipsRuntime.unblock([ImageFormat.svg, .pdf].compactMap(\.codec.blocked))
        let again = ProcessInfo.processInfo.environment["TINTYPE_FUZZ_SEED"].flatMap { UInt64($0) }
        let seed = again ?? (Self.until == nil ? 7 : UInt64.random(in: 0..<1_000_000))
        var dice = Dice(seed)
        print("pictures by chance: seed \(seed)")
        let whole = try [
            OperationTests.quarters(), OperationTests.flat([9, 99, 199, 128]), OperationTests.flat([9, 99, 199], 1000, 10), OperationTests.flat([99], 1, 700),
            OperationTests.flat([9, 99, 199], 1, 1), DrawingTests.svg(), DrawingTests.pdf, TestGainMaps.picture(),
        ]
        let formats = TestPictures.files("formats")
        // Only the limits of a pixel process end a drawing that repeats itself without end: DrawingTests.
        let hostile = TestPictures.files("hostile").filter { !$0.hasSuffix(".svg") }
        var ends: [String: Int] = [:]
        var (count, hostileTurn) = (0, 0)
        while Self.until.map({ ContinuousClock.now < $0 }) ?? (count < 100) {
            count += 1
            var file = formats.isEmpty || dice.chance(0.2) ? nil : dice.of(formats)
            if file != nil, dice.chance(0.3), !hostile.isEmpty {
                // Each in its turn, so that none is left out.
                file = hostile[hostileTurn % hostile.count]
                hostileTurn += 1
            }
            // The last of our own is the only one with a gain map.
            let isMapped = file == nil && dice.chance(0.3)
            var bytes = try file.map { try TestPictures.bytes($0) } ?? (isMapped ? whole[whole.count - 1] : dice.of(whole))
            let isDamaged = dice.chance(0.3) && !bytes.isEmpty
            if isDamaged {
                for _ in 0..<Int.random(in: 1...20, using: &dice) {
                    bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
                }
                if dice.chance(0.3) { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &dice))) }
            }
            let steps = dice.steps()
            var output = dice.members(OutputOptions.parameters)
            if isMapped, dice.chance(0.7) { (output["format"], output["gainMap"]) = dice.of([("jpeg", "keep"), ("png", "apply")]) }
            let request: JSON = [
                "url": "http://a.test/", "transform": .array(steps), "output": .object(output),
                "decode": .object(dice.chance(0.2) ? dice.members(DecodeOptions.parameters) : [:]),
            ]
            // A library that ends the process says nothing of the list.
            if again != nil { print("pictures by chance: \(count): \(file ?? "own")\(isDamaged ? ", damaged" : ""): \(request.text)") }
            let isLayerHostile = dice.chance(0.2) && !hostile.isEmpty
            let end = Self.end(request, bytes, layer: isLayerHostile ? try TestPictures.bytes(dice.of(hostile)) : dice.of(whole))
            ends[end.word, default: 0] += 1
            guard !isDamaged, !isLayerHostile, file?.hasPrefix("hostile") != true else { continue }
            if end.word == "timeout" { print("pictures by chance: \(file ?? "own") \(request.text) took too long") }
            guard let message = end.unexplained else { continue }
            // A file that cannot be read with these options says nothing about the steps.
            if end.word == "badImageData", Self.end(["url": "http://a.test/", "decode": request["decode"] ?? [:]], bytes, layer: []).word == end.word {
                continue
            }
            Issue.record("\(file ?? "own") \(request.text): \(message)")
        }
        print("pictures by chance: \(count) lists, \(hostileTurn) of hostile files: \(ends.sorted { $0.key < $1.key })")
        #expect(Self.until == nil || hostileTurn >= hostile.count, "the time was too short for all hostile files")
    }

    /// Parts of our own messages for impossible operations. Any other message comes from a library, for a case that we should have detected before.
    private static let explained = ["leaves nothing", "half the shorter", "lies outside", "frame ", "there is no page"]

    /// The names of our own limits.
    private static let limits: Set<String> =
        Set([
            "maxBytes", "maxPixels", "maxSide", "maxFrames", "frameSpan", "maxDecodedBytes", "maxBands", "ancillaryBytes", "scaledSide", "textSide",
            "textPixels",
        ])
        .union(ImageFormat.encodable.map { "\($0.rawValue) side" }).union(["output.maxBytes", "decode.maxPixels", "decode.maxFramePixels"])

    /// Whether a sound file with sound parameters may end like this. The duration does not matter.
    private static func isExplained(_ error: PictureFailure) -> Bool {
        switch error.reason {
        case .limitExceeded(let which, let value, let limit): limits.contains(which) && value ?? 0 > limit
        case .unsupportedFormat:
            error.phase == .transform
                ? error.message.contains("is not installed") && !Fonts.names.contains { error.message.contains("font \"\($0)\"") }
                : error.message.contains(error.phase == .encode ? "cannot be written here" : "cannot be opened here")
        case .transformFailed:
            explained.contains { error.message.contains($0) }
        case .timeout: true
        case .badImageData, .encodeFailed, .cancelled: false
        }
    }

    private static func end(_ request: JSON, _ bytes: [UInt8], layer: [UInt8]) -> (word: String, unexplained: String?) {
        var limits = ImageLimits()
        (limits.maxPixels, limits.maxFrames) = (4_000_000, 60)
        do {
            let rendition = try ImageRequest(request).renditions[0]
            let again = try Rendition(canonical: rendition.canonical)
            let made = try TestPictures.made(
                bytes, again, limits: limits, layers: again.layers.map { _ in layer }, within: .seconds(5), graphs: PlanarGraphs(),
                formats: ImageFormat.openable)
            return ("made", made.isEmpty ? "nothing came out" : nil)
        } catch let error as PictureFailure {
            return ("\(error.reason)".prefix { $0.isLetter }.description, isExplained(error) ? nil : "\(error)")
        } catch let error as TintypeError {
            return (error.name.rawValue, error.name == .invalidParams ? nil : "\(error)")
        } catch {
            return ("other", "\(error)")
        }
    }
}

extension Dice {
    /// Returns some value of a parameter. Small ones are more frequent, because large ones mostly end at a limit.
    fileprivate mutating func value(_ type: ParameterType) -> JSON? {
        switch type {
        case .boolean: return .bool(chance(0.5))
        case .string: return .string("http://layer.test/")
        case .pattern(_, let rule):
            // All of them are colors.
            let color = of(["red", "#1234", "#80ff00", "transparent", "black"])
            return rule(color) ? .string(color) : nil
        case .integer(let range):
            let narrow = max(range.lowerBound, -50)...min(range.upperBound, 300)
            if chance(0.03) { return JSON(chance(0.5) ? range.lowerBound : range.upperBound) }
            return JSON(Int.random(in: chance(0.05) ? range : narrow, using: &self))
        case .number(let range):
            let narrow = max(range.lowerBound, -40)...min(range.upperBound, 40)
            return JSON(chance(0.2) ? range.lowerBound : Double.random(in: narrow, using: &self))
        case .choice(let names): return .string(of(names))
        case .array(let type, let count):
            return .array((0..<Int.random(in: count.lowerBound...min(count.upperBound, 4), using: &self)).compactMap { _ in value(type) })
        case .object(let descriptions): return .object(members(descriptions))
        case .union(let types): return value(of(types))
        case .map, .variants, .null, .any: return nil
        }
    }

    fileprivate mutating func members(_ descriptions: [ParameterDescription]) -> JSONObject {
        var object = JSONObject()
        for description in descriptions where description.isRequired || chance(0.5) {
            // An installed font, or any text.
            if description.name == "font", chance(0.9) {
                object["font"] = .string(of(Fonts.names + [Text.usualFont, "Nonesuch"]))
                continue
            }
            if let value = value(description.type) { object[description.name] = value }
        }
        return object
    }

    /// Returns a few steps, mostly; now and then as many as there may be, or one many times.
    fileprivate mutating func steps() -> [JSON] {
        if chance(0.05) { return (0..<32).map { _ in step() } }
        if chance(0.05) { return Array(repeating: step(), count: Int.random(in: 2...32, using: &self)) }
        return (0..<Int.random(in: 0...4, using: &self)).map { _ in step() }
    }

    private mutating func step() -> JSON {
        let operation = of(OperationCatalog.descriptions)
        var object = members(operation.parameters)
        object["op"] = .string(operation.name)
        return .object(object)
    }
}
