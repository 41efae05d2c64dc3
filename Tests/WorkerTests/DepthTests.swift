import Foundation
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Sixteen bits give the same results as eight: every operation on a picture, and on the same one with numbers 257 times as large.
@Suite(.tags(.optimized), .timeLimit(.minutes(5)), .serialized)
struct DepthTests {
    private static let url = "http://a.test/layer"

    /// The steps. Those that only use places and sizes are left out, except those that fill areas.
    static let steps =
        [
            #"{"op":"resize","width":20}"#, #"{"op":"resize","width":20,"linear":true}"#,
            ##"{"op":"resize","width":30,"height":30,"fit":"contain","background":"#ff800080"}"##,
            ##"{"op":"extend","left":4,"color":"#30609080"}"##, ##"{"op":"pad","aspect":1,"color":"teal"}"##,
            ##"{"op":"rotate","angle":12,"background":"#20408060"}"##,
            ##"{"op":"roundCorners","radius":9,"border":{"width":3,"color":"#ff8000a0"}}"##, ##"{"op":"border","width":2,"color":"#00ff0080"}"##,
            #"{"op":"mask","shape":"circle"}"#, #"{"op":"mask","url":"URL"}"#, #"{"op":"blur","sigma":2,"mask":"URL"}"#,
            #"{"op":"composite","url":"URL","opacity":0.6}"#, #"{"op":"composite","url":"URL","scale":0.3,"tile":true}"#,
            #"{"op":"text","text":"Tin","size":14,"color":"orange","opacity":0.7}"#, ##"{"op":"background","color":"#cc3344"}"##,
            ##"{"op":"background","color":"#ff000080"}"##,
            #"{"op":"blur","sigma":2}"#, #"{"op":"blur","sigma":9}"#, #"{"op":"blur","radius":3}"#, #"{"op":"blur","preset":"light"}"#,
            #"{"op":"blur","preset":"dark","radius":4}"#,
            #"{"op":"sharpen","sigma":1.5}"#, #"{"op":"sharpen"}"#, #"{"op":"pixelate","size":5}"#,
            #"{"op":"modulate","brightness":1.2,"contrast":0.8,"gamma":1.4}"#,
            #"{"op":"modulate","hue":70,"saturation":1.3}"#, #"{"op":"grayscale"}"#, #"{"op":"sepia","amount":0.7}"#, #"{"op":"invert"}"#,
            ##"{"op":"tint","color":"#00aa5590","blend":"softLight"}"##, ##"{"op":"tint","color":"#00aa5590"}"##,
            ##"{"op":"duotone","shadow":"navy","highlight":"#ffd966"}"##,
        ] + Blend.allCases.map { #"{"op":"composite","url":"URL","blend":"\#($0.rawValue)"}"# }

    /// Returns ramps with an edge across them. With alpha, the transparency goes from nothing to opaque.
    private static func picture(_ bands: Int, turned: Bool) throws -> VipsImage {
        let (width, height) = (48, 36)
        var samples: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) = turned ? (Double(y) / 35, Double(x) / 47) : (Double(x) / 47, Double(y) / 35)
                let edge = u + v > 1.1 ? 0.25 : 0
                let colors = [u * 0.75 + edge, v * 0.75 + edge, (1 - u) * 0.75 + edge]
                let seen = (bands < 3 ? [colors[0]] : colors) + (bands % 2 == 0 ? [v] : [])
                samples += seen.map { UInt8(($0 * 255).rounded()) }
            }
        }
        return try VipsImage.of(samples, width: width, height: height, bands: bands)
    }

    private static func file(_ image: VipsImage, deep: Bool) throws -> [UInt8] {
        let space: VipsColors = image.bands < 3 ? (deep ? .gray16 : .gray) : deep ? .rgb16 : .sRGB
        var image = image
        if deep {
            image = try VipsOperation("linear").set("in", image).set("a", [257]).set("b", [0]).image()
            image = try VipsOperation("cast").set("in", image).set("format", Int(VipsBandFormat.uint16.rawValue)).image()
        }
        return try TestPictures.encoded(VipsOperation("copy").set("in", image).set("interpretation", Int(space.rawValue)).image(), .png)
    }

    /// Returns all numbers of a result, 0…1, with the colors weighted by alpha.
    private static func seen(_ bytes: [UInt8]) throws -> (size: [Int], numbers: [Double]) {
        let image = try TestPictures.decoded(bytes)
        let samples = try image.withSamples { raw in
            image.format == .uint16 ? raw.bindMemory(to: UInt16.self).map { Double($0) / 65535 } : raw.map { Double($0) / 255 }
        }
        let (bands, colors) = (image.bands, image.hasAlpha ? image.bands - 1 : image.bands)
        var numbers: [Double] = []
        for at in stride(from: 0, to: samples.count, by: bands) {
            let alpha = colors < bands ? samples[at + colors] : 1
            for color in 0..<3 { numbers.append(samples[at + (colors == 1 ? 0 : color)] * alpha) }
            numbers.append(alpha)
        }
        return ([image.width, image.height], numbers)
    }

    @Test(arguments: steps) func `Sixteen bits give the same result as eight`(step: String) throws {
        try VipsRuntime.start()
        let text = #"{"transform":[\#(step.replacing("URL", with: Self.url))],"output":{"format":"png"}}"#
        let rendition = try Rendition(canonical: JSON(parsing: text))
        func made(_ bands: Int, deep: Bool, _ layer: [UInt8]) throws -> (size: [Int], numbers: [Double]) {
            try Self.seen(
                TestPictures.made(Self.file(Self.picture(bands, turned: false), deep: deep), rendition, layers: rendition.layers.isEmpty ? [] : [layer]))
        }
        for bands in 1...4 {
            for layerBands in rendition.layers.isEmpty ? [4] : [1, 2, 3, 4] {
                let layer = try Self.picture(layerBands, turned: true)
                let eight = try made(bands, deep: false, Self.file(layer, deep: false))
                for (isDeep, isLayerDeep) in rendition.layers.isEmpty ? [(true, false)] : [(true, false), (true, true), (false, true)] {
                    let deep = try made(bands, deep: isDeep, Self.file(layer, deep: isLayerDeep))
                    #expect(deep.size == eight.size)
                    let off = zip(deep.numbers, eight.numbers).map { abs($0 - $1) }.max() ?? 1
                    #expect(off < 0.02, "\(bands) bands, layer of \(layerBands), \(isDeep), \(isLayerDeep): \(off)")
                }
            }
        }
    }
}
