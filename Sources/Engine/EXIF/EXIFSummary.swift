package import ImageHeads
package import TintypeCore
import TintypeImages

/// The public facts of an EXIF block: the camera, the exposure and the time. Never the place, a serial number or a name.
struct EXIFSummary {
    let json: JSONObject

    init(_ block: EXIFBlock) {
        var object = JSONObject()
        object["orientation"] = block.orientation.map { JSON($0) }
        object["make"] = block.text(0x010f).map { .string($0) }
        object["model"] = block.text(0x0110).map { .string($0) }
        object["lens"] = block.text(0xa434).map { .string($0) }
        object["takenAt"] = Self.time(block.text(0x9003) ?? block.text(0x0132), offset: block.text(0x9011)).map { .string($0) }
        object["exposureTime"] = Self.positive(block.number(0x829a))
        object["fNumber"] = Self.positive(block.number(0x829d))
        object["iso"] = Self.positive(block.int(0x8827))
        object["focalLength"] = Self.positive(block.number(0x920a))
        object["focalLength35mm"] = Self.positive(block.int(0xa405))
        json = object
    }

    private static func positive(_ value: Double?) -> JSON? { value.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }.map { JSON($0) } }
    private static func positive(_ value: Int?) -> JSON? { value.flatMap { $0 > 0 ? $0 : nil }.map { JSON($0) } }

    /// Returns `2026:01:02 03:04:05` as ISO 8601, with the offset if the camera knew it; nil if the text is no time.
    static func time(_ text: String?, offset: String?) -> String? {
        guard let text, let date = matched(text, "dddd:dd:dd dd:dd:dd") else { return nil }
        let parts = date.split { $0 == ":" || $0 == " " }.compactMap { Int($0) }
        guard parts.count == 6, parts[0] > 0, (1...12).contains(parts[1]), (1...31).contains(parts[2]), parts[3] < 24, parts[4] < 60, parts[5] <= 60 else {
            return nil
        }
        let day = date.prefix(10).replacing(":", with: "-")
        return "\(day)T\(date.suffix(8))" + (offset.flatMap { matched($0, "+dd:dd") } ?? "")
    }

    /// Returns the text if it has this form: d for a digit, + for either sign.
    private static func matched(_ text: String, _ form: String) -> String? {
        let fits =
            text.utf8.count == form.utf8.count
            && zip(text.utf8, form.utf8).allSatisfy { byte, wanted in
                switch wanted {
                case UInt8(ascii: "d"): (0x30...0x39).contains(byte)
                case UInt8(ascii: "+"): byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                default: byte == wanted
                }
            }
        return fits ? text : nil
    }
}

extension EXIFLocator {
    /// Returns the facts about the picture.
    package func summary(in bytes: UnsafeRawBufferPointer) -> JSONObject {
        guard case .bytes(let place) = self else { return [:] }
        return EXIFBlock(ByteReader(bytes: UnsafeRawBufferPointer(rebasing: bytes[place])), at: 0).map { EXIFSummary($0).json } ?? [:]
    }
}
