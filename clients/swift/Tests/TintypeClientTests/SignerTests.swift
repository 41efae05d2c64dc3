import Foundation
import Testing

@testable import TintypeClient

/// URLs of the picture door, signed without the service.
@Suite struct SignerTests {
    private let source = "https://example.org/a.jpg"
    private let end = "/aHR0cHM6Ly9leGFtcGxlLm9yZy9hLmpwZw"

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    // NIST: FIPS 180-4 examples.
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ] as [(String, String)])
    func pure_aHashIsThatOfTheStandard(_ text: String, _ hash: String) {
        #expect(hex(SHA256.hash(Array(text.utf8))) == hash)
    }

    // RFC 4231, test cases 1, 2, 3, 4, 6 and 7.
    @Test(
        arguments: [
            ([UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            ([UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (Array(1...25), [UInt8](repeating: 0xCD, count: 50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            (
                [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array(
                    "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
                        .utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ] as [([UInt8], [UInt8], String)])
    func pure_anAuthenticationCodeIsThatOfRFC4231(_ key: [UInt8], _ message: [UInt8], _ code: String) {
        #expect(hex(SHA256.authenticationCode(message, key: key)) == code)
    }

    @Test func pure_aSignatureIsThatOfImgproxysDocumentation() throws {
        let signer = try Signer(key: "736563726574", salt: "68656C6C6F")
        let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        #expect(signer.signature(path) == "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8")
        #expect(!"\(signer)".contains("736563726574"))
    }

    @Test func pure_signaturesAreThoseOfTwoBuildersOfOtherAuthors() throws {
        let table = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../Tests/DoorTests/Fixtures/foreign.tsv").standardized
        let signer = try Signer(key: "736563726574", salt: "68656C6C6F")
        var rows = 0
        for line in try String(contentsOf: table, encoding: .utf8).split(separator: "\n") {
            let path = line.split(separator: "\t")[1].dropFirst()
            let slash = path.firstIndex(of: "/")!
            #expect(signer.signature(String(path[slash...])) == String(path[..<slash]))
            rows += 1
        }
        #expect(rows > 5)
    }

    @Test func pure_operationsAndOutputsHaveTheWordsOfImgproxy() throws {
        let signer = Signer(unsignedAt: "https://p.example/")
        let rows: [(ImageTransform, ImageOutput?, String)] = [
            ([], nil, end),
            (.resize(320), nil, "/w:320\(end)"),
            (.resize(320, 0), .auto, "/w:320\(end)"),
            (.resize(nil, 200), .webp, "/h:200\(end).webp"),
            (.resize(320, 200, fit: .cover, gravity: .attention), .jpeg(quality: 80), "/rs:fill:320:200/g:sm/q:80\(end).jpeg"),
            (.resize(320, 200), nil, "/rs:fit:320:200\(end)"),
            (.resize(320, dpr: 2, enlarge: true), .heif, "/w:320/el:1/dpr:2\(end).heic"),
            (
                .rotate(90).flip(horizontal: true).resize(10, 20, fit: .fill).background(color: "#ffcc00").blur(sigma: 3).sharpen(sigma: 0.5).pixelate(size: 8),
                .png,
                "/rot:90/fl:1:0/rs:force:10:20/bg:ffcc00/bl:3/sh:0.5/pix:8\(end).png"
            ),
        ]
        for (transform, output, path) in rows { #expect(try signer.url(for: source, transform, as: output) == "https://p.example/unsafe\(path)") }
        let expires = Date(timeIntervalSince1970: 1_800_000_000.9)
        #expect(
            try signer.url(for: URL(string: source)!, .resize(1), options: "/cb:v2/", expires: expires)
                == "https://p.example/unsafe/w:1/cb:v2/exp:1800000000\(end)")
    }

    @Test(
        arguments: [.grayscale(), .resize(10).rotate(90), .rotate(45), .blur(preset: .light), .resize(10, fit: .outside), .resize(10).resize(20), .resize()]
            as [ImageTransform])
    func pure_whatAURLCannotSayIsRefused(_ transform: ImageTransform) {
        let error = #expect(throws: TintypeError.self) { try Signer(unsignedAt: "").url(for: source, transform) }
        #expect(error?.name == .invalidParams)
        #expect(throws: TintypeError.self) { try Signer(unsignedAt: "").url(for: source, as: .webp(lossless: true)) }
    }

    @Test func pure_aSrcsetHasTheShapeOfThePicture() throws {
        let set = try Signer(unsignedAt: "").srcset(for: source, widths: [160, 320], height: 200, ofWidth: 300, fit: .cover)
        #expect(set == "/unsafe/rs:fill:160:107\(end) 160w, /unsafe/rs:fill:320:213\(end) 320w")
    }

    @Test(arguments: [("", ""), ("0", "00"), ("xy", "00"), ("00", "")] as [(String, String)])
    func pure_aKeyThatIsNotHexadecimalIsRefused(_ key: String, _ salt: String) {
        #expect(throws: TintypeError.self) { try Signer(key: key, salt: salt) }
    }
}
