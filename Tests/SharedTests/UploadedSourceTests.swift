import TintypeCore
import TintypeImages
import TintypeQueue
import Testing

struct UploadedSourceTests {
    private static let id = String(repeating: "0123456789abcdef", count: 3)

    private func source(_ url: String, scope: String? = nil) throws -> Source { try Source(urls: [url], fetch: FetchOptions(), scope: scope) }

    @Test func `an upload is a source of its own, without a host, and private`() throws {
        let source = try source("upload:\(Self.id)")
        let address = try #require(source.addresses.first)
        guard case .upload(let upload) = address.kind else { return #expect(Bool(false), "\(address.kind)") }
        #expect(upload.id == Self.id && upload.url == "upload:\(Self.id)")
        #expect(address.host == "data:" && !address.kind.isRemote && !source.mayBeKept && source.isPersonal)
        #expect(try self.source("UPLOAD:\(Self.id)").digest == source.digest)
        #expect(try self.source("upload:\(String(Self.id.reversed()))").digest != source.digest)
    }

    @Test(arguments: [
        "upload:", "upload:x", "upload://\(id)", "upload:\(id)0", "upload:\(id.dropLast())", "upload:\(id.uppercased())", "upload:\(id)?a=b", "upload:\(id)#x",
        "upload:/\(id)", "upload:\(id.dropLast())é",
    ])
    func `text that is no id is refused, and says how an id comes about`(url: String) throws {
        let error = #expect(throws: TintypeError.self) { try source(url) }
        #expect(error?.name == .invalidURL && error?.message.contains("PUT /uploads") == true)
        #expect(error?.json.text.contains(Self.id.dropLast()) == false)
    }

    @Test func `each upload has an id of its own, which only its owner and admins may use`() throws {
        let mine = UploadedSource(of: "n-mine")
        #expect(mine.id.count == 48 && UploadedSource(of: "n-mine") != mine)
        #expect(mine.belongs(to: "n-mine") && mine.belongs(to: nil) && !mine.belongs(to: "n-other"))
        let admins = UploadedSource(of: nil)
        #expect(admins.belongs(to: nil) && !admins.belongs(to: "n-mine"))
        // A client that knows an id cannot make another owner of it: that is another key, under which nothing is.
        let other = UploadedSource(of: "n-other")
        let forged = try #require(UploadedSource(id: mine.id.prefix(32) + other.id.suffix(16)))
        #expect(!forged.belongs(to: "n-mine") && forged.key != mine.key)
    }

    @Test func `the key in the store is no key that a client can name, and does not show the id`() throws {
        let upload = UploadedSource(of: nil)
        #expect(!CacheTier.isKey(upload.key) && !upload.key.contains(upload.id.prefix(8)))
    }

    @Test func `an id is never shown whole`() throws {
        #expect(RedactedURL("upload:\(Self.id)").description == "upload:01234567***")
        #expect(RedactedURL("Upload:\(Self.id)?x").description == "upload:01234567***")
        let bare = CredentialStripper.text(of: ["url": .string("upload:\(Self.id)")], renditions: [])
        #expect(bare == #"{"bare":true,"url":"upload:01234567***"}"#)
    }

    private func request(_ json: JSON) throws -> ImageRequest { try ImageRequest(json) }

    @Test(arguments: [
        #"{"url":"%"}"#, #"{"urls":["https://a.test/x","%"]}"#, #"{"url":"https://a.test/x","transform":[{"op":"composite","url":"%"}]}"#,
        #"{"url":"https://a.test/x","fallback":{"url":"%"}}"#,
    ])
    func `an upload of another client is refused wherever a request names it`(text: String) throws {
        func request(_ url: String) throws -> ImageRequest { try ImageRequest(JSON(parsing: text.replacing("%", with: url))) }
        let mine = try request(UploadedSource(of: "n-mine").url)
        #expect(throws: Never.self) { try mine.checkUploads(of: "n-mine") }
        #expect(throws: Never.self) { try mine.checkUploads(of: nil) }
        let error = #expect(throws: TintypeError.self) { try mine.checkUploads(of: "n-other") }
        #expect(error?.name == .forbidden && error?.message.contains("PUT /uploads") == true)
    }
}
