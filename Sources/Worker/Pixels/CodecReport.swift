import Engine
import TintypeCore
import TintypeImages

/// `tintype-worker --role codecs [--formats NAME,…] [--fonts NAME,…]`: prints what the libraries of this machine read and write, as one line of JSON.
///
/// Only `tintype doctor` asks. Every codec works on a sample of our own, so nothing from outside is read.
enum CodecReport {
    /// - Returns: the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do throws(VipsError) {
            try VipsRuntime.start()
        } catch {
            StandardStream.printError("\(error)")
            return 1
        }
        let formats = PixelChild.words(of: "--formats", arguments).map { Set($0.compactMap { ImageFormat(rawValue: $0) }) } ?? Set(ImageFormat.decodable)
        VipsRuntime.unblock(formats.compactMap(\.blockedClass))
        let fonts = PixelChild.words(of: "--fonts", arguments) ?? Text.usualFonts
        StandardStream.printLine(CodecWarmUp.run(PlanarGraphs(), fonts: fonts, formats: formats).text)
        return 0
    }
}
