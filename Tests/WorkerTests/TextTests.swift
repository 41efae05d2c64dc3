import Foundation
import Glibc
@testable import ImageHeads
import TintypeCore
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// Text over pictures, in this process: its place, its size, its look.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized)
struct TextTests {
    private static let white = [255.0, 255, 255]

    private func drawn(_ members: String, on source: [UInt8]? = nil, _ width: Int = 400, _ height: Int = 200) throws -> VipsImage {
        try PictureTests.made(source ?? OperationTests.flat(Self.white, width, height), #"{"op":"text",\#(members)}"#)
    }

    /// Returns the box around everything that is not white.
    private func ink(_ image: VipsImage) throws -> PictureWindow? {
        let samples = try gray(image).samples()
        var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
        samples.withUnsafeBufferPointer { samples in
            for place in samples.indices where samples[place] < 215 {
                (left, right) = (min(left, place % image.width), max(right, place % image.width))
                (top, bottom) = (min(top, place / image.width), max(bottom, place / image.width))
            }
        }
        return right < 0 ? nil : PictureWindow(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    private func box(_ members: String, _ width: Int = 400, _ height: Int = 200) throws -> PictureWindow {
        try #require(try ink(drawn(members, width, height)), "nothing was drawn: \(members)")
    }

    private func gray(_ image: VipsImage) throws -> VipsImage {
        try VipsOperation("colourspace").set("in", ColorStep.flatten(image, .white)).set("space", Int(VipsColors.gray.rawValue)).image()
    }

    /// Returns the amount of ink, in pixels' worth of black.
    private func weight(_ image: VipsImage) throws -> Double {
        let gray = try gray(image)
        let stats = try VipsOperation("stats").set("in", gray).image()
        return Double(gray.width * gray.height) - (try stats.pixel(2, 0)[0]) / 255
    }

    // MARK: Place and size

    struct Anchor: Sendable, CustomTestStringConvertible {
        var gravity: String
        var x: Double
        var y: Double
        var testDescription: String { gravity }
    }

    static let anchors = Gravity.anchors.map { Anchor(gravity: $0.name, x: $0.x, y: $0.y) }

    @Test(arguments: anchors) func `a text lies at its gravity, to the pixel`(_ anchor: Anchor) throws {
        let found = try box(#""text":"Hxg","size":40,"valign":"ink","gravity":"\#(anchor.gravity)""#)
        #expect(found.width > 40 && found.width < 120 && found.height > 30 && found.height < 60, "\(found)")
        let spare = PictureSize(400 - found.width, 200 - found.height)
        #expect(abs(Double(found.x) - Double(spare.width) * anchor.x) <= 2, "\(found)")
        #expect(abs(Double(found.y) - Double(spare.height) * anchor.y) <= 2, "\(found)")
    }

    @Test func `x and y go inwards from the edges, and from the corner without a gravity`() throws {
        let plain = try box(#""text":"H","size":40,"gravity":"bottomRight""#)
        let moved = try box(#""text":"H","size":40,"gravity":"bottomRight","x":30,"y":20"#)
        #expect(moved.x == plain.x - 30 && moved.y == plain.y - 20 && moved.size == plain.size)
        let corner = try box(#""text":"H","size":40,"valign":"ink","x":30,"y":20"#)
        #expect(abs(corner.x - 30) <= 1 && abs(corner.y - 20) <= 1)
        let middle = try box(#""text":"H","size":40"#), right = try box(#""text":"H","size":40,"gravity":"center","x":15"#)
        #expect(right.x == middle.x + 15)
        let point = try box(#""text":"H","size":40,"gravity":{"x":0.25,"y":0.5}"#)
        #expect(abs(point.x + point.width / 2 - 100) <= 1)
        #expect(try ink(drawn(#""text":"H","x":500"#)) == nil)
        #expect(try box(#""text":"HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH","size":40,"gravity":"right""#).width >= 395)
    }

    /// The baseline and the height of a line box in Chromium 156 (`line-height: normal`). Pango rounds ascent and descent up, each to a whole pixel.
    static let lines: [(font: String, size: Int, baseline: Int, height: Int)] = [
        ("sans", 20, 19, 24), ("sans", 40, 37, 46), ("sans", 100, 93, 117), ("serif", 20, 19, 24), ("serif", 40, 38, 47), ("serif", 100, 94, 118),
        ("monospace", 20, 19, 24), ("monospace", 40, 37, 46), ("monospace", 100, 93, 117),
    ]

    /// Returns the first row below the ink of a text.
    private func foot(_ text: String, _ members: String) throws -> Int {
        let found = try box(#""text":"\#(text)",\#(members)"#, 600, 300)
        return found.y + found.height
    }

    @Test(arguments: lines)
    func `texts of one size stand on one line, where CSS has the baseline`(_ one: (font: String, size: Int, baseline: Int, height: Int)) throws {
        for style in ["", #","bold":true,"italic":true"#] {
            let font = #""font":"\#(one.font)","size":\#(one.size)\#(style)"#
            for (gravity, above) in [("topLeft", 0.0), ("left", 0.5), ("bottomRight", 1)] {
                let place = #"\#(font),"gravity":"\#(gravity)""#
                let base = try foot("H", place)
                let wanted = Double(300 - one.height) * above + Double(one.baseline)
                #expect(abs(Double(base) - wanted) <= 2, "\(place): \(base), not \(wanted)")
                // Round letters reach a little below the line. Where there are descenders, the tops tell.
                #expect(try (0...max(1, one.size / 40)).contains(foot("acen", place) - base), "\(place)")
                #expect(try (0...max(1, one.size / 40)).contains(foot("Extend", place) - base), "\(place)")
                let tops = try ["F", "Fp", "F\u{5b57}"].map { try box(#""text":"\#($0)",\#(place)"#, 600, 300).y }
                #expect(Set(tops.prefix(2)).count == 1 && tops[2] <= tops[0], "\(place): \(tops)")
                // A letter of no font, drawn as digits in a box, has the baseline of the named font.
                #expect(try foot("H\u{5b57}", place) == foot("\u{5b57}", place), "\(place)")
            }
        }
    }

    @Test func `the ink of a text is placed if that is asked for`() throws {
        for text in ["acen", "Extend", "Flip"] {
            let members = #""text":"\#(text)","size":40,"valign":"ink""#
            #expect(try box(members + #","gravity":"topLeft""#).y <= 1 && foot(text, #""size":40,"valign":"ink","gravity":"bottom""#) >= 299)
        }
    }

    @Test func `a background is as high as the lines, and letters that stick out of them move nothing`() throws {
        func boxed(_ text: String, _ more: String = "") throws -> PictureWindow {
            try box(#""text":"\#(text)","size":40,"background":"navy","color":"white","gravity":"left"\#(more)"#)
        }
        let one = try boxed("acen")
        #expect(abs(one.height - 47) <= 1)
        for text in ["Extend", "Flip", "a", "\u{5b57}"] {
            let other = try boxed(text)
            #expect(other.y == one.y && other.height == one.height, "\(text): \(other), not \(one)")
        }
        #expect(try boxed("acen", #","padding":7"#).height == one.height + 14)
        #expect(try boxed("acen\\nFlip").height == 2 * one.height && boxed("acen\\nFlip", #","spacing":9"#).height == 2 * one.height + 9)
        // Two marks above a capital reach beyond the ascent of DejaVu Sans.
        for gravity in ["topLeft", "left", "bottom"] {
            let place = #""size":40,"gravity":"\#(gravity)""#
            #expect(try foot("\u{1ea4}", place) == foot("A", place))
        }
        let turned = try [180, 90].map { try box(#""text":"\#u{1ea4}","size":60,"angle":\#($0)"#) }
        let plain = try [180, 90].map { try box(#""text":"A","size":60,"angle":\#($0)"#) }
        #expect(abs(turned[0].y - plain[0].y) <= 1 && abs(turned[1].x - plain[1].x) <= 1, "\(turned), \(plain)")
    }

    @Test func `a text grows with its size, and a pixel of size is a pixel`() throws {
        var heights: [Int] = []
        for size in [10, 20, 40, 80, 160] { heights.append(try box(#""text":"H","size":\#(size)"#).height) }
        for (height, size) in zip(heights, [10.0, 20, 40, 80, 160]) {
            // Capitals of DejaVu Sans are 0.73 of an em.
            #expect(abs(Double(height) - size * 0.73) <= 1.5, "\(heights)")
        }
        #expect(try weight(drawn(#""text":"H","size":40,"bold":true"#)) > weight(drawn(#""text":"H","size":40"#)) * 1.2)
        #expect(try drawn(#""text":"H","size":40,"italic":true"#).samples() != drawn(#""text":"H","size":40"#).samples())
    }

    /// The last sizes that cairo draws, and the first that it does not.
    @Test(arguments: [49, 49.5, 50, 51, 52, 52.4, 53, 80]) func `a line that cairo could not draw is refused by its length`(size: Double) throws {
        let failure = try failure(#""text":"\#(String(repeating: "a", count: 1000))","bold":true,"size":\#(size)"#)
        let isRefused = if case .limitExceeded("textSide", let side, 32767) = failure?.reason { side ?? .max > 32767 } else { false }
        #expect(isRefused || failure == nil && size < 50, "\(size): \(failure.map { "\($0)" } ?? "drawn")")
    }

    private func failure(_ members: String) throws -> PictureFailure? {
        do {
            _ = try drawn(members)
            return nil
        } catch let failure as PictureFailure {
            return failure
        }
    }

    @Test func `fonts differ`() throws {
        let widths = try ["sans", "serif", "monospace"].map { try box(#""text":"iiiiWW","size":30,"font":"\#($0)""#).width }
        #expect(Set(widths).count == 3, "\(widths)")
        #expect(try box(#""text":"iiiiWW","size":30,"font":"Serif""#).width == widths[1])
    }

    @Test func `lines are broken only at the width, or at line breaks of the text`() throws {
        let text = #""text":"the quick brown fox jumps over the lazy dog","size":20"#
        let one = try box(text, 800, 400)
        #expect(one.width > 350 && one.height < 30)
        let pixels = try box(text + #","width":150"#, 800, 400)
        #expect(pixels.width <= 151 && pixels.width > 80 && pixels.height > 2 * one.height, "\(pixels)")
        let share = try box(text + #","width":0.1875"#, 800, 400)
        #expect(share == pixels)
        // A word without spaces is broken between letters.
        let word = try box(#""text":"Donaudampfschifffahrtsgesellschaft","size":20,"width":100"#, 800, 400)
        #expect(word.width <= 100 && word.height > 40, "\(word)")
        let lines = try box(#""text":"one\ntwo","size":20"#)
        #expect(lines.height > 28 && lines.height < 45)
        let apart = try box(#""text":"one\ntwo","size":20,"spacing":30"#)
        #expect(apart.height == lines.height + 30)
    }

    @Test func `shorter lines are aligned left, centered or right`() throws {
        var starts: [Int] = []
        for align in ["left", "center", "right"] {
            let image = try drawn(#""text":"MMMMMMMM\nM","size":30,"gravity":"topLeft","align":"\#(align)""#)
            let lower = try CropStep.apply(PictureWindow(x: 0, y: 30, width: 400, height: 170), to: image)
            starts.append(try #require(try ink(lower)).x)
        }
        #expect(starts[0] < 6 && starts[1] > 60 && starts[2] > starts[1] + 60, "\(starts)")
    }

    // MARK: Color

    @Test func `the letters have their color and nothing else changes`() throws {
        let image = try drawn(##""text":"\u2588","size":100,"color":"#0080ff""##, on: OperationTests.flat([10, 20, 30], 400, 200))
        #expect(try near(image.pixel(200, 100), [0, 128, 255], within: 1.5) && near(image.pixel(5, 5), [10, 20, 30], within: 0.5))
        #expect(image.bands == 3)
        let half = try drawn(#""text":"\u2588","size":100,"color":"red","opacity":0.5"#)
        #expect(try near(half.pixel(200, 100), [255, 127, 127], within: 1.5))
        let thin = try drawn(##""text":"\u2588","size":100,"color":"#ff000080""##)
        #expect(try near(thin.pixel(200, 100), [255, 127, 127], within: 1.5))
        let gray = try drawn(#""text":"\u2588","size":100,"color":"red""#, on: OperationTests.flat([77], 400, 200))
        #expect(try near(gray.pixel(200, 100), [255, 0, 0], within: 1.5) && near(gray.pixel(5, 5), [77, 77, 77], within: 0.5))
        let clear = try drawn(#""text":"\u2588","size":100,"color":"red""#, on: OperationTests.flat([9, 9, 9, 0], 400, 200))
        #expect(try near(clear.pixel(200, 100), [255, 0, 0, 255], within: 1.5) && clear.pixel(5, 5)[3] == 0)
    }

    @Test func `a background is a box around the text, with its own transparency`() throws {
        let plain = try box(#""text":"Hxg","size":40"#)
        let image = try drawn(#""text":"Hxg","size":40,"valign":"ink","background":"navy","color":"white","padding":12"#)
        let boxed = try #require(try ink(image))
        #expect(abs(boxed.width - plain.width - 24) <= 2 && abs(boxed.height - plain.height - 24) <= 2, "\(boxed)")
        #expect(try near(image.pixel(boxed.x + 2, boxed.y + 2), [0, 0, 128], within: 1.5))
        let thin = try drawn(##""text":"Hxg","size":40,"valign":"ink","background":"#00008080","padding":12"##)
        #expect(try near(thin.pixel(boxed.x + 2, boxed.y + 2), [127, 127, 191], within: 1.5))
    }

    @Test func `a text turns and is repeated over everything`() throws {
        let plain = try box(#""text":"Hxgxgxg","size":30"#)
        let turned = try box(#""text":"Hxgxgxg","size":30,"angle":90"#)
        #expect(abs(turned.width - plain.height) <= 2 && abs(turned.height - plain.width) <= 2)
        let tiled = try drawn(#""text":"Hxg","size":20,"tile":true,"padding":10,"angle":30,"opacity":0.6"#)
        for (x, y) in [(0, 0), (300, 0), (0, 100), (300, 100)] {
            #expect(try ink(CropStep.apply(PictureWindow(x: x, y: y, width: 100, height: 100), to: tiled)) != nil, "\(x), \(y)")
        }
    }

    // MARK: Any text

    @Test func `markup is text`() throws {
        let width = try box(#""text":"<b>&amp;</b> <span>\"'","size":20"#, 800, 100).width
        let unmarked = try box(#""text":"& \"'","size":20"#, 800, 100).width
        #expect(width > unmarked * 3)
        // Markup is not interpreted: the width is that of its characters, in a monospaced font.
        let marked = try box(#""text":"<b>&lt;</b>","size":20,"font":"monospace""#, 800, 100)
        let plain = try box(#""text":"Hbxxltxxxbx","size":20,"font":"monospace""#, 800, 100)
        #expect(abs(marked.width - plain.width) <= 6, "\(marked) \(plain)")
    }

    static let texts = [
        "\u{1f600}\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", "\u{4f60}\u{597d}\u{4e16}\u{754c}",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} abc \u{645}\u{631}\u{62d}\u{628}\u{627}",
        "\u{0e2a}\u{0e27}\u{0e31}\u{0e2a}\u{0e14}\u{0e35}\u{0e0a}\u{0e32}\u{0e27}\u{0e42}\u{0e25}\u{0e01}", "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}",
        "a\u{301}\u{302}\u{303}\u{304}", "\u{fdfd}\u{12031}", "\u{e000}\u{10ffff}\u{fffe}", "\u{202e}abc\u{2066}d", "tab\tbed",
        String(repeating: "\n", count: 30) + "x",
    ]

    @Test(arguments: texts) func `text of any script is drawn, as boxes where no font has it`(text: String) throws {
        #expect(try ink(drawn(#""text":\#(JSON.string(text).text),"size":24"#)) != nil || text.hasPrefix("\n"))
    }

    @Test func `an invisible text is not drawn`() throws {
        for text in [" ", "\n\n", "\t \u{a0}", "\u{200b}\u{2060}"] { #expect(try ink(drawn(#""text":\#(JSON.string(text).text),"background":"red""#)) == nil) }
    }

    @Test func `a thousand characters fit, and an enormous text is refused by its size`() throws {
        let long = String(repeating: "word ", count: 200)
        let found = try box(#""text":"\#(long)","size":12,"width":1"#)
        #expect(found.width > 350 && found.height > 150)
        let line = String(repeating: "w", count: 900)
        for members in [
            #""text":"\#(line)","size":30,"angle":45"#, #""text":"\#(line)","size":8,"angle":-30,"background":"red","padding":1000"#,
            #""text":"\#(long)","size":900"#, #""text":"\#(String(repeating: "W\\n", count: 500))","size":900,"width":1"#,
        ] {
            let error = try #require(throws: PictureFailure.self) { _ = try drawn(members) }
            guard case .limitExceeded(let which, _, _) = error.reason else { throw TestProblem() }
            #expect(which.hasPrefix("text") && error.phase == .transform)
        }
    }

    @Test func `a missing font is named, with the installed ones`() throws {
        let error = try #require(throws: PictureFailure.self) { _ = try drawn(#""text":"a","font":"No Such Font""#) }
        #expect(error.reason == .unsupportedFormat && error.phase == .transform && error.message.contains("no such font") && error.message.contains("serif"))
    }

    // MARK: Among other steps

    @Test func `every frame gets the text, at its place in the upright picture`() throws {
        let moving = try TestPictures.animation(100, 40, [Self.white, [255, 255, 0]], delays: [50, 70], loop: 0, .gif)
        let text = #"{"op":"text","text":"\u2588","size":30,"gravity":"left","color":"red"}"#
        let bytes = try TestPictures.made(moving, PictureTests.rendition(text, #"{"format":"webp","lossless":true}"#))
        let image = try TestPictures.decoded(bytes, frames: 2)
        #expect(image.pages == 2 && image.ints("delay") == [50, 70])
        for y in [20, 60] { #expect(try nearOpaque(image.pixel(8, y), [255, 0, 0], within: 4), "\(y)") }
        let turned = try PictureTests.made(OperationTests.flat(Self.white, 100, 40), #"{"op":"rotate","angle":90},\#(text)"#)
        #expect(turned.width == 40 && turned.height == 100)
        #expect(try near(turned.pixel(8, 50), [255, 0, 0], within: 4) && near(turned.pixel(8, 10), Self.white, within: 4))
    }

    @Test func `only as many faces are opened as cairo keeps open`() {
        let choice = FontChoice(["sans", "serif", "monospace", "sans-serif", "no such font", "SANS"], most: 5)
        #expect(choice.families.map(\.name) == ["sans", "serif", "monospace", "sans-serif"])
        #expect(choice.families.allSatisfy { $0.faces.first == .regular })
        #expect(choice.families.reduce(0) { $0 + $1.faces.count } <= 7)
        #expect(FontChoice(["no such font"], most: 10).families.isEmpty)
    }
}
