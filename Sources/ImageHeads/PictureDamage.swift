package import TintypeImages

/// The words for a file that its decoder gave up on: a sentence for people, and behind it the decoder's own text. Pure.
///
/// A file may also be whole, and of a kind that its decoder does not know.
enum PictureDamage {
    private enum Fault {
        /// The file ends early.
        case cut
        case broken(String)
        /// The file is right as far as anyone knows, and its decoder does not know its kind.
        case foreign(String)
    }

    /// The texts of decoders, and their meaning. The first row that occurs in a text counts.
    private static let table: [(text: String, fault: Fault)] = [
        // Our own readers.
        ("the file ends ", .cut), (" are broken", .broken("it contains codes that no encoder writes")),
        // libjpeg, also inside TIFF.
        ("Premature end of input file", .cut), ("Bogus Huffman table", .broken("a table of its codes is wrong")),
        ("Huffman table", .broken("a table of its codes is missing")), ("Quantization table", .broken("a quantization table is missing")),
        ("Bogus marker length", .broken("a segment has an impossible length")), ("component ID", .broken("a scan names a component that does not exist")),
        ("Corrupt JPEG data", .broken("its compressed data are wrong")), ("marker type", .broken("it contains an unknown marker")),
        // libpng tells the same of a wrong checksum.
        ("libpng read error", .broken("its compressed data or their checksums are wrong")),
        // libwebp.
        ("unable to parse image", .broken("its chunks are wrong")), ("unable to read pixels", .broken("its compressed data are wrong")),
        // libheif.
        ("Unexpected end of file", .cut), ("No '", .broken("a box that it needs is missing")), ("Invalid input", .broken("its boxes are wrong")),
        ("Decoder plugin generated an error", .broken("its compressed data are wrong")),
        // OpenJPEG.
        ("inconsistent with stream length", .cut), ("Stream error while reading", .broken("a box of its header is wrong")),
        ("decode the codestream", .broken("its compressed data are wrong")), ("decode image", .broken("its compressed data are wrong")),
        // libjxl has one text for all faults.
        ("JxlDecoderProcessInput", .broken("its compressed data are wrong or end early")),
        // Kinds of TIFF: halved colors outside of a JPEG (TIFF 6.0, section 21), planes in tiles of their own, other numbers of bits, and compressions.
        ("subsampled images not supported", .foreign("its colors have fewer samples than its brightness, outside of a JPEG")),
        ("separate planes not supported", .foreign("each of its planes has tiles of its own")),
        ("palette image not supported", .foreign("its palette has an unusual number of bits")),
        ("not a whole number of bytes", .foreign("its numbers have an unusual meaning or number of bits")),
        ("unsupported tiff image type", .foreign("its numbers have an unusual meaning or number of bits")),
        ("decoding is not implemented", .foreign("its compression is none of those that are read here")),
        ("support is not configured", .foreign("its compression is none of those that are read here")),
        // libtiff.
        ("Read error at scanline", .cut), ("Read error on", .cut), ("IO error during reading", .cut),
        ("Seek error accessing TIFF directory", .broken("the place of its directory is wrong")),
        ("missing required", .broken("a field that it needs is missing")), ("Incompatible type", .broken("a field of its directory is wrong")),
        ("Incorrect count", .broken("a field of its directory is wrong")), ("Decoding error", .broken("its compressed data are wrong")),
        ("code not yet in table", .broken("its compressed data are wrong")), ("tiff2vips: read error", .broken("its compressed data are wrong")),
        ("vips__tiff_openin_source", .broken("its directory is wrong")),
        // librsvg and poppler.
        ("XML parse error", .broken("its XML is wrong")), ("PDF document is damaged", .broken("its structure is wrong")),
    ]

    fileprivate static func failure(_ text: String, _ format: ImageFormat, _ file: UnsafeRawBufferPointer) -> PictureFailure {
        let least = format.head.leastLength(ByteReader(bytes: file)).flatMap { $0 > file.count ? $0 : nil }
        let fault = least == nil ? table.first { text.contains($0.text) }?.fault : .cut
        let (reason, said): (PictureFailure.Reason, String) =
            switch fault {
            case .cut: (.badImageData, "ends early, after \(amount(file.count, of: least))")
            case .broken(let part): (.badImageData, "is damaged: \(part)")
            case .foreign(let kind): (.unsupportedFormat, "cannot be opened here: \(kind)")
            case nil: (.badImageData, "cannot be decoded")
            }
        return PictureFailure(reason, .decode, "the \(format.name) \(said) (\(text))")
    }

    /// Returns a number of bytes, and what it should be at least: `180 of at least 412 kB`.
    private static func amount(_ count: Int, of least: Int?) -> String {
        func text(_ unit: Int, _ name: String) -> String {
            let (there, all) = ((count + unit / 2) / unit, least.map { ($0 + unit / 2) / unit })
            return all.map { "\(there) of at least \($0) \(name)" } ?? "\(there) \(name)"
        }
        let missing = least.map { $0 - count } ?? count
        if missing >= 10_000_000, count >= 10_000_000 { return text(1_000_000, "MB") }
        return missing >= 1000 && count >= 1000 ? text(1000, "kB") : text(1, "bytes")
    }

    /// Returns the least length of an icon whose shown picture is a PNG.
    static func shownPNG(_ reader: ByteReader) -> Int? {
        IconHeader(reader, .ico).flatMap { icon in
            let shown = icon.entries[icon.primary]
            let part = UnsafeRawBufferPointer(rebasing: reader.bytes[shown.place])
            return shown.format == .png ? shown.place.lowerBound + chunks(ByteReader(bytes: part)) : nil
        }
    }

    /// Bare codestreams of JPEG XL and JPEG 2000 have no boxes.
    static func boxes(_ reader: ByteReader) -> Int? {
        guard reader.has("ftyp", at: 4) || reader.big(0, 4) == 12 else { return nil }
        var end = 0
        _ = reader.boxes(0, reader.count, most: 4096) { _, _, behind in end = behind }
        return end
    }

    static func chunks(_ reader: ByteReader) -> Int {
        var at = 8
        while let length = reader.big(at, 4), let kind = reader.big(at + 4, 4) {
            at += 12 + length
            if kind == 0x4945_4e44 { return at }
        }
        return max(at, reader.count) + (at <= reader.count ? 12 : 0)
    }
}

extension PictureFailure {
    /// - Parameters:
    ///   - text: the decoder's text.
    ///   - file: the whole file, which tells how long it should be.
    package static func damage(_ text: String, _ format: ImageFormat, _ file: UnsafeRawBufferPointer) -> PictureFailure {
        PictureDamage.failure(text, format, file)
    }
}
