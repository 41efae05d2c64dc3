import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine
@testable import Worker

/// Real and hostile files through real pixel processes. The files are no part of the project. Without `TINTYPE_CORPUS` there
/// is nothing to read, and these tests are skipped.
@Suite(.tags(.optimized), .timeLimit(.minutes(10)), .serialized, .needsCorpus, .scoped)
@Loop
struct CorpusTests {
    /// Returns the most bytes that a process has had resident so far.
    private static func peak(_ process: Int32) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    private static let expected: Set<ErrorName> = [.badImageData, .unsupportedFormat, .limitExceeded, .timeout, .transformFailed, .encodeFailed]

    @Test func `Every hostile file ends in a result or a typed error, in its time and its memory, and the next picture works`() async throws {
        let pool = PixelPoolTests().pool()
        let good = try PixelPoolTests.job()
        var ends: [String: Int] = [:]
        for file in TestPictures.files("hostile") {
            let source = try PixelPoolTests.source(TestPictures.bytes(file))
            let planar = Rendition(operations: PixelPoolTests.small.operations, output: OutputOptions(format: .jpeg))
            for rendition in [PixelPoolTests.small, planar, Rendition(output: OutputOptions(format: .webp))] {
                // The process would be killed a second after the deadline: five seconds in all.
                let job = PixelJob(source: source, rendition: rendition, deadline: .seconds(4))
                let began = ContinuousClock.now
                do throws(TintypeError) {
                    _ = try await pool.run(job)
                    ends["result", default: 0] += 1
                } catch {
                    #expect(Self.expected.contains(error.name), "\(file): \(error)")
                    ends[error.name.rawValue, default: 0] += 1
                    if error.name == .timeout || error.message.contains("signal") { print("hostile: \(file): \(error) after \(ContinuousClock.now - began)") }
                }
            }
            let memory = pool.processIDs.map(Self.peak).max() ?? 0
            #expect(memory < 512 << 20, "\(file): \(memory >> 20) MiB")
            #expect(try await pool.run(good).output != nil)
        }
        #expect(!ends.isEmpty)
        print("hostile files: \(ends.sorted { $0.key < $1.key }), peak \((pool.processIDs.map(Self.peak).max() ?? 0) >> 20) MiB")
    }

    @Test func `Every file of a format we list decodes to its size`() async throws {
        let pool = PixelPoolTests().pool()
        var count = 0
        for file in TestPictures.files("formats") {
            let bytes = try TestPictures.bytes(file)
            guard case .image(let format)? = ImageSniff.of(bytes), ImageFormat.decodable.contains(format) else { continue }
            let header = bytes.withUnsafeBytes { ImageHeader.read($0, as: format) }.map { PictureSize($0.width, $0.height) }
            // Files made to be broken (PNGSuite marks them with an x), and two kinds that no decoder here knows.
            if ["pngsuite/x", "sharp-testimgl.jpg", "vips-subsampled.tif"].contains(where: file.contains) { continue }
            let job = PixelJob(source: try PixelPoolTests.source(bytes), rendition: Rendition(output: OutputOptions(format: .png)))
            let result = try await pool.run(job)
            let own = bytes.withUnsafeBytes { ImageHeader.read($0, as: format) }
            if let alpha = own?.hasAlpha { #expect(alpha == result.source.hasAlpha, "\(file)") }
            if let orientation = own?.orientation { #expect(orientation == result.source.orientation, "\(file)") }
            let picture = try #require(result.output)
            let size = PictureSize(picture.width, picture.height)
            let wanted = try #require(header, "\(file) has no known size")
            #expect(Orientation(exif: result.source.orientation).applied(to: wanted) == size, "\(file)")
            let image = try TestPictures.decoded(picture.bytes)
            #expect(PictureSize(image.width, image.height) == size, "\(file)")
            count += 1
        }
        #expect(count > 0)
        print("formats: \(count) files decoded to their sizes")
    }
}
