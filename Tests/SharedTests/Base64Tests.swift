import Testing

@testable import TintypeCore

/// The decoder reads both alphabets, and refuses what is no base64.
@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("QQ==", "A"), ("QQ", "A"), ("QUI=", "AB"), ("QUI", "AB"), ("QUJD", "ABC"), (" Q\nU\tJ\rD ", "ABC"), ("Pz8_", "???"), ("Pz8/", "???"),
    ]) func `a text with or without padding is decoded`(text: String, decoded: String) {
        #expect(Base64.bytes(of: Array(text.utf8)) == Array(decoded.utf8))
    }

    @Test(arguments: ["Q", "QQ=", "QQ===", "QUI==", "QUJD=", "Q=Q=", "QQ==QQ==", "QQ=Q", "=QUJD", "=", "QU*D", "QUJ\0", "Q"])
    func `a text with wrong padding or other characters is refused`(text: String) {
        #expect(Base64.bytes(of: Array(text.utf8)) == nil)
    }
}
