import Foundation
import PNG
import TintypeImages
import TestSupport
import Testing

@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct PlainPictureTests {
    /// Read by another decoder: Python's zlib, row by row.
    @Test(arguments: [(1, 1), (8, 1), (9, 3), (258, 8), (2063, 1), (4096, 4096)])
    func `A plain picture is a PNG of its size, and short`(width: Int, height: Int) async throws {
        let folder = try TemporaryFolder()
        let bytes = PlainPicture.png(Color(red: 1, green: 2, blue: 3, alpha: 4), width: width, height: height)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/a.png"))
        let script = """
            import struct, sys, zlib
            data = open(sys.argv[1], 'rb').read(); at = 8; seen = {}
            while at < len(data):
                size, = struct.unpack('>I', data[at:at+4]); kind = data[at+4:at+8].decode(); body = data[at+8:at+8+size]
                assert struct.unpack('>I', data[at+8+size:at+12+size])[0] == zlib.crc32(data[at+4:at+8+size])
                seen[kind] = body; at += 12 + size
            width, height = struct.unpack('>II', seen['IHDR'][:8])
            rows = zlib.decompress(seen['IDAT'])
            assert rows == bytes((1 + (width + 7) // 8) * height)
            print(width, height, list(seen['PLTE']), list(seen['tRNS']))
            """
        let child = try ChildProcess("python3", ["-c", script, folder.path + "/a.png"])
        #expect(await child.finished() == 0, "\(child.errors)")
        #expect(child.output == "\(width) \(height) [1, 2, 3] [4]\n")
        #expect(bytes.count < 120 + width * height / 1000)
    }
}
