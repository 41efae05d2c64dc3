import Foundation

/// The size in a picture's own header, read by the test itself: no code of the service decides here what is right.
struct PictureBytes {
    let format: String
    let width: Int
    let height: Int

    init?(_ data: Data) {
        let bytes = [UInt8](data)
        func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 << 8 | Int(bytes[at + $1]) } }
        guard bytes.count > 30 else { return nil }
        if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) {
            (format, width, height) = ("png", number(16, 4), number(20, 4))
        } else if bytes.starts(with: [0xff, 0xd8]) {
            var position = 2
            while position + 9 < bytes.count, bytes[position] == 0xff {
                let marker = bytes[position + 1]
                if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) {
                    (format, width, height) = ("jpeg", number(position + 7, 2), number(position + 5, 2))
                    return
                }
                position += 2 + number(position + 2, 2)
            }
            return nil
        } else if bytes.starts(with: Array("GIF8".utf8)) {
            (format, width, height) = ("gif", Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
        } else if bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
            format = "webp"
            switch String(decoding: bytes[12..<16], as: UTF8.self) {
            case "VP8X":
                width = 1 + (Int(bytes[24]) | Int(bytes[25]) << 8 | Int(bytes[26]) << 16)
                height = 1 + (Int(bytes[27]) | Int(bytes[28]) << 8 | Int(bytes[29]) << 16)
            case "VP8 ":
                width = (Int(bytes[26]) | Int(bytes[27]) << 8) & 0x3fff
                height = (Int(bytes[28]) | Int(bytes[29]) << 8) & 0x3fff
            case "VP8L":
                let bits = Int(bytes[21]) | Int(bytes[22]) << 8 | Int(bytes[23]) << 16 | Int(bytes[24]) << 24
                (width, height) = ((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
            default: return nil
            }
        } else {
            return nil
        }
    }
}
