import Testing
import TintypeCore

@testable import ImgproxyURLs

/// Only the bytes that were signed pass, with any of the pairs.
@Suite struct URLSignatureTests {
    private static let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    private static let known = "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"

    private static func pair(_ key: String, _ salt: String) throws -> URLSignature.Pair { try #require(URLSignature.Pair(key: key, salt: salt)) }
    private static func documented() throws -> URLSignature.Pair { try pair("736563726574", "68656C6C6F") }
    private static func passes(_ signature: URLSignature, _ target: String) -> Bool {
        do {
            let isSigned = try signature.check(PictureTarget(Array(target.utf8)))
            #expect(isSigned == !(target.hasPrefix("/unsafe/") || target.hasPrefix("/_/")))
            return true
        } catch {
            #expect(error.reason == .signature && error.error.name == .forbidden)
            return false
        }
    }

    @Test func `the signature of imgproxy's documentation is made and accepted`() throws {
        let signature = URLSignature(pairs: [try Self.documented()])
        #expect(signature.signature(of: Array(Self.path.utf8)) == Self.known)
        #expect(Self.passes(signature, "/\(Self.known)\(Self.path)"))
        #expect(Self.passes(signature, "/\(Self.known)\(Self.path)?utm=1"))
    }

    @Test func `one changed character anywhere is refused`() throws {
        let signature = URLSignature(pairs: [try Self.documented()])
        let target = Array("/\(Self.known)\(Self.path)".utf8)
        for index in target.indices.dropFirst() where target[index] != UInt8(ascii: "/") {
            var changed = target
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(!Self.passes(signature, String(decoding: changed, as: UTF8.self)), "\(index)")
        }
        // The same bytes: other spare bits in the last letter, padding, and the other alphabet.
        for other in ["9", "-", "_"].map({ Self.known.dropLast() + $0 }) + [Self.known + "=", Self.known.replacing("_", with: "%2F")] {
            #expect(!Self.passes(signature, "/\(other)\(Self.path)"), "\(other)")
        }
        for other in ["", "A", String(Self.known.dropLast(4)), Self.known + "AAAA", "unsafe", "_", "%00", "\(Self.known)\(Self.known)"] where !other.isEmpty {
            #expect(!Self.passes(signature, "/\(other)\(Self.path)"), "\(other)")
        }
    }

    @Test func `every pair is tried, and the first one signs`() throws {
        let pairs = [try Self.pair("aa", "bb"), try Self.documented(), try Self.pair("cc", "")]
        let all = URLSignature(pairs: pairs)
        for pair in pairs {
            let made = try #require(URLSignature(pairs: [pair]).signature(of: Array(Self.path.utf8)))
            #expect(Self.passes(all, "/\(made)\(Self.path)"))
        }
        #expect(all.signature(of: [0x2f]) == URLSignature(pairs: [pairs[0]]).signature(of: [0x2f]))
        let stranger = try #require(URLSignature(pairs: [try Self.pair("dd", "bb")]).signature(of: Array(Self.path.utf8)))
        #expect(!Self.passes(all, "/\(stranger)\(Self.path)"))
    }

    @Test(arguments: 1...31) func `a cut signature is refused`(length: Int) throws {
        let whole = try #require(Base64.bytes(of: Array(Self.known.utf8)))
        let cut = Base64.text(of: Array(whole.prefix(length))).prefix { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
        #expect(!Self.passes(URLSignature(pairs: [try Self.documented()]), "/\(cut)\(Self.path)"))
    }

    @Test func `unsigned URLs pass only if they are allowed, and only with the two words`() throws {
        let pair = try Self.documented()
        for word in ["unsafe", "_"] {
            #expect(Self.passes(URLSignature(pairs: [], unsigned: .named), "/\(word)/plain/a"))
            #expect(Self.passes(URLSignature(pairs: [pair], unsigned: .named), "/\(word)/plain/a"))
            #expect(!Self.passes(URLSignature(pairs: [pair]), "/\(word)/plain/a"))
            #expect(!Self.passes(URLSignature(pairs: []), "/\(word)/plain/a"))
        }
        for word in ["insecure", "UNSAFE", "__", "unsafe1"] { #expect(!Self.passes(URLSignature(pairs: [pair], unsigned: .named), "/\(word)/plain/a")) }
    }

    @Test(arguments: [("", "aa"), ("a", "aa"), ("aa", "a"), ("zz", "aa"), ("aa", "zz"), ("+1", "aa"), ("aa ", "aa"), ("é0", "aa")])
    func `keys and salts are hexadecimal, and no key is empty`(key: String, salt: String) { #expect(URLSignature.Pair(key: key, salt: salt) == nil) }
}
