import Foundation
import TintypeCore
import TestSupport
import Testing

@testable import TintypeImages

@Suite(.tags(.optimized), .scoped) struct RequestBodyTests {
    private func body(_ text: String) throws -> RequestBody { try #require(try RequestBody(JSON(parsing: text), at: "fetch.body")) }

    // AFNetworking's own form: keys in brackets, arrays with empty brackets.
    @Test(arguments: [
        (#"{"form":{"a":1,"b":"x y&z"}}"#, "a=1&b=x%20y%26z"),
        (#"{"form":{"a":{"b":{"c":true}},"d":[1,"two",2.5]}}"#, "a%5Bb%5D%5Bc%5D=true&d%5B%5D=1&d%5B%5D=two&d%5B%5D=2.5"),
        (#"{"form":{"a":null,"b":[]}}"#, ""), (#"{"form":{"a":[{"b":1},{"b":2}]}}"#, "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bb%5D=2"), (#"{"form":{}}"#, ""),
    ])
    func `a form is flattened as AFNetworking does it`(text: String, wanted: String) throws {
        let body = try body(text)
        #expect(String(decoding: body.bytes, as: UTF8.self) == wanted)
        #expect(body.contentType == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        #"{"form":{"a":[1]},"multipart":[]}"#, #"{"json":1,"x":2}"#, #"{"a":{"form":1}}"#, #"[1,{"base64":"AA=="}]"#, #"{"forms":1}"#,
    ])
    func `any other object or array is a JSON body`(text: String) throws {
        let body = try body(text)
        let given = try JSON(parsing: text)
        #expect(body.contentType == "application/json" && body.canonical == given)
        #expect(try JSON(parsing: body.bytes) == given)
    }

    @Test(arguments: [#"{"json":{"form":1}}"#, #"{"json":{"json":{"json":2}}}"#, #"{"json":[1]}"#, #"{"json":"text"}"#, #"{"json":null}"#])
    func `an object that looks like another kind may be sent as JSON`(text: String) throws {
        let body = try body(text)
        #expect(body.contentType == "application/json")
        let wanted = try JSON(parsing: text)["json"] ?? .null
        #expect(try JSON(parsing: body.bytes) == wanted)
        #expect(try RequestBody(body.canonical, at: "") == body)
    }

    @Test(arguments: [
        (#"{"form":[1]}"#, "fetch.body.form"), (#"{"form":"a"}"#, "fetch.body.form"), (#"{"base64":1}"#, "fetch.body.base64"),
        (#"{"multipart":{}}"#, "fetch.body.multipart"), (#"{"multipart":[]}"#, "fetch.body.multipart"),
        (#"{"multipart":[{"name":"a"}]}"#, "fetch.body.multipart[0]"),
        (#"{"multipart":[{"name":"a","value":"hush","base64":"AA=="}]}"#, "fetch.body.multipart[0]"),
        (#"{"multipart":[{"name":"a","base64":"hush!"}]}"#, "fetch.body.multipart[0].base64"),
        (#"{"multipart":[{"name":"a","value":"hush","type":"a\r\nX: y"}]}"#, "fetch.body.multipart[0].type"),
        (#"{"multipart":[{"name":"","value":"hush"}]}"#, "fetch.body.multipart[0].name"),
    ])
    func `an invalid body is refused with its place, without its values`(text: String, path: String) throws {
        let error = #expect(throws: TintypeError.self) { try self.body(text) }
        #expect(error?.name == .invalidParams && error?.details["path"]?.string == path, "\(error?.description ?? "")")
        #expect(error?.json.text.contains("hush") == false)
    }

    @Test func `forms that are deep or long are refused`() throws {
        let deep = JSON.object(["form": (0..<20).reduce(JSON(1)) { inner, _ in ["a": inner] }])
        #expect(throws: TintypeError.self) { try RequestBody(deep, at: "b") }
        let long = JSON.object(["form": ["a": .array((0...4096).map { JSON($0) })]])
        #expect(throws: TintypeError.self) { try RequestBody(long, at: "b") }
    }

    private static let parts = #"""
        {"multipart":[{"name":"title","value":"Ann & \"Bob\""},{"name":"photo","base64":"/9j/4A==","filename":"a\"b\r\n.jpg","type":"image/jpeg"},{"name":"notes","value":"text","filename":"n.txt"}]}
        """#

    @Test func `parts are read by somebody else's reader as they were meant`() async throws {
        let body = try body(Self.parts)
        #expect(try RequestBody(body.canonical, at: "") == body)
        let folder = try TemporaryFolder("multipart")
        try Data(Array("Content-Type: \(body.contentType)\r\nMIME-Version: 1.0\r\n\r\n".utf8) + body.bytes).write(
            to: URL(fileURLWithPath: folder.path + "/body"))
        let script = """
            import email, email.policy, json, sys, base64
            message = email.message_from_bytes(open(sys.argv[1], 'rb').read(), policy=email.policy.HTTP)
            print(json.dumps([[p.get_param('name', header='content-disposition'), p.get_filename(), p.get('content-type'),
                base64.b64encode(p.get_payload(decode=True)).decode()] for p in message.iter_parts()]))
            """
        let child = try ChildProcess("python3", ["-c", script, folder.path + "/body"])
        guard await child.finished() == 0 else { throw TestFailure("python3: \(child.errors)") }
        let told = try JSON(parsing: child.output)
        let text = Data("Ann & \"Bob\"".utf8).base64EncodedString()
        #expect(told[0] == ["title", .null, .null, .string(text)], "\(told)")
        #expect(told[1] == ["photo", "a%22b%0D%0A.jpg", "image/jpeg", "/9j/4A=="], "\(told)")
        #expect(told[2] == ["notes", "n.txt", "application/octet-stream", .string(Data("text".utf8).base64EncodedString())], "\(told)")
    }

    @Test func `the boundary is the same for the same parts, and in none of them`() throws {
        guard case .multipart(let first) = try body(Self.parts) else { throw TestFailure("no parts") }
        let again = try body(Self.parts).contentType.split(separator: "=").last.map(String.init)
        #expect(first.boundary == again)
        #expect(
            first.bytes.count == first.parts.reduce(0) { $0 + $1.bytes.count + $1.head.utf8.count + first.boundary.utf8.count + 8 } + first.boundary.utf8.count
                + 6)
    }
}
