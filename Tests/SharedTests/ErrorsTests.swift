import TintypeCore
import TintypeTransport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ErrorsTests {
    /// The codes that clients rely on, written out.
    private static let codes: [(String, Int)] = [
        ("parseError", -32700), ("invalidRequest", -32600), ("methodNotFound", -32601), ("invalidParams", -32602), ("internal", -32603),
        ("invalidURL", 1001), ("denied", 1002), ("blacklisted", 1003),
        ("httpStatus", 1010), ("contentType", 1011), ("jsonInvalid", 1012), ("dns", 1013), ("connect", 1014), ("tls", 1015), ("timeout", 1016),
        ("connectionLost", 1017), ("authFailed", 1018), ("tooManyRedirects", 1019),
        ("badImageData", 1020), ("unsupportedFormat", 1021), ("limitExceeded", 1022), ("transformFailed", 1023), ("encodeFailed", 1024),
        ("decryptFailed", 1025), ("storeFailed", 1026), ("textInvalid", 1027), ("cacheMiss", 1030),
        ("cancelled", 1040), ("superseded", 1041), ("deadlineExceeded", 1042), ("workerLost", 1043),
        ("overloaded", 1050), ("unauthenticated", 1051), ("forbidden", 1052), ("shuttingDown", 1053), ("unavailable", 1054),
        ("unknownReceipt", 1060), ("unknownGroup", 1061), ("unknownQueue", 1062),
    ]

    @Test(arguments: codes) func `Every error has the code of the protocol, and back`(name: String, code: Int) throws {
        let error = try #require(ErrorName(rawValue: name))
        #expect(error.code == code)
        #expect(ErrorName(code: code) == error)
        #expect(!error.meaning.isEmpty)
    }

    @Test func `There is no error outside of the protocol`() {
        #expect(Set(ErrorName.allCases.map(\.rawValue)) == Set(Self.codes.map(\.0)))
        #expect(ErrorName(code: 0) == nil)
    }

    @Test func `In logs the text of the system follows the message, once`() {
        let bare = TintypeError(.storeFailed, .store, "It could not be written.", details: ["cause": "Read-only file system"])
        #expect("\(bare)" == "storeFailed (store): It could not be written. (Read-only file system)")
        #expect("\(TintypeError(.denied, .download, "refused: loopback", details: ["cause": "loopback"]))" == "denied (download): refused: loopback")
    }

    @Test(arguments: ErrorName.allCases) func `An error survives its JSON`(name: ErrorName) throws {
        for phase in Phase.allCases {
            let error = TintypeError(name, phase, "what \"happened\"", retryable: !name.isRetryable, details: ["status": 404, "cause": ["a": [1]]])
            #expect(TintypeError(json: try JSON(parsing: error.json.bytes())) == error)
        }
        let data = try #require(TintypeError(name, .queue, "so").json["data"])
        #expect(data["name"] == .string(name.rawValue) && data["phase"] == "queue" && data["message"] == "so")
        #expect(data["retryable"] == .bool(name.isRetryable))
    }

    @Test func `JSON that is no error of ours becomes internal`() {
        #expect(TintypeError(json: ["code": 1016]).name == .timeout)
        #expect(TintypeError(json: ["code": 1016, "data": ["name": "dns"]]).name == .dns)
        #expect(TintypeError(json: ["code": 1, "message": "m", "data": ["name": "newer", "x": 1]]).name == .internalError)
        #expect(TintypeError(json: ["code": 1, "message": "m", "data": ["x": 1]]).details == ["x": 1])
        #expect(TintypeError(json: "nonsense").name == .internalError)
    }

    @Test func `Details cannot replace the members every error has`() {
        let json = TintypeError(.dns, .download, "no such host", details: ["name": "tls", "message": "other", "host": "h"]).json
        #expect(json["data"]?["name"] == "dns" && json["data"]?["message"] == "no such host" && json["data"]?["host"] == "h")
    }

    @Test func `Addresses are redacted in every error`() {
        let secret = "https://user:secret@example.org/a?sig=secret#secret"
        var error = TintypeError(.httpStatus, .download, "404", details: ["url": .string(secret)]).adding("finalURL", .string(secret))
        error.details["location"] = .string(secret)
        #expect(!error.json.text.contains("secret"))
        #expect(error.json["data"]?["url"] == "https://example.org/a?sig=***")
    }

    @Test func `A long wrong value is shown by its beginning`() {
        let error = TintypeError.invalidParams(path: "tag", value: .string(String(repeating: "x", count: 1 << 20)), expected: "less")
        #expect(error.json.bytes().count < 1500)
        #expect(error.details["path"] == "tag" && error.details["expected"] == "less")
    }
}
