import Testing
import TintypeCore
import TintypeImages

/// The requirements for a source, as a table.
struct RequirementTests {
    private static let photo = Requirement.Found(format: .jpeg, width: 400, height: 300, frames: 1, hasAlpha: false, orientation: 6)
    private static let film = Requirement.Found(format: .gif, width: 64, height: 48, frames: 12, hasAlpha: true, orientation: 1)
    private static let pages = Requirement.Found(format: .tiff, width: 64, height: 48, frames: 3, hasAlpha: nil, orientation: nil)
    private static let unknown = Requirement.Found(format: nil, width: nil, height: nil, frames: nil, hasAlpha: nil, orientation: nil)

    @Test(arguments: [
        (#"{"animated":true}"#, [false, true, false, true]), (#"{"animated":false}"#, [true, false, true, true]),
        (#"{"alpha":true}"#, [false, true, true, true]), (#"{"alpha":false}"#, [true, false, true, true]),
        (#"{"minWidth":300}"#, [true, false, false, true]), (#"{"minWidth":301}"#, [false, false, false, true]),
        (#"{"minHeight":400}"#, [true, false, false, true]), (#"{"minHeight":401}"#, [false, false, false, true]),
        (#"{"minWidth":64,"minHeight":48,"animated":true,"alpha":true}"#, [false, true, false, true]),
    ])
    func `the known properties of a source meet a requirement or do not`(text: String, met: [Bool]) throws {
        let requirement = try #require(Requirement(JSON(parsing: text)))
        for (found, isMet) in zip([Self.photo, Self.film, Self.pages, Self.unknown], met) {
            #expect(requirement.isMet(by: found) == isMet, "\(found)")
            #expect((requirement.refusal(of: found) == nil) == isMet)
        }
        #expect(Requirement(.object(requirement.canonical)) == requirement)
    }

    @Test func `a refusal has the required and the found properties`() throws {
        let requirement = try #require(Requirement(["animated": true, "minWidth": 500]))
        let refusal = try #require(requirement.refusal(of: Self.photo))
        #expect(refusal.name == .badImageData && !refusal.isRetryable && Requirement.isRefusal(refusal))
        #expect(refusal.details["required"] == ["animated": true, "minWidth": 500])
        #expect(refusal.details["found"] == ["animated": false, "alpha": false, "width": 300, "height": 400])
        #expect(!Requirement.isRefusal(TintypeError(.badImageData, .decode, "")))
    }

    @Test func `a requirement is part of its own request's key, and of no other`() throws {
        func rendition(_ more: String) throws -> Rendition { try ImageRequest(JSON(parsing: #"{"url":"http://a.test/x"\#(more)}"#)).renditions[0] }
        let plain = try rendition("")
        #expect(plain.canonical["require"] == nil && plain.requirement == nil)
        for nothing in [#","require":{}"#, #","require":null"#] { #expect(try rendition(nothing).canonical == plain.canonical) }
        let one = try rendition(#","require":{"alpha":true}"#)
        #expect(one.digest(source: "s") != plain.digest(source: "s"))
        #expect(try Rendition(canonical: one.canonical).requirement == one.requirement)
    }

    @Test(arguments: [
        #""require":{"minWidth":0}"#, #""require":{"minHeight":1000001}"#, #""require":{"animated":1}"#, #""require":{"frames":2}"#,
        #""require":{"alpha":true},"as":"bytes""#,
    ])
    func `a senseless value is refused`(member: String) throws {
        let request = try JSON(parsing: "{\"url\":\"http://a.test/x\",\(member)}")
        do throws(TintypeError) {
            _ = try ImageRequest(request)
            Issue.record("accepted")
        } catch {
            #expect(error.name == .invalidParams && error.details["path"]?.string?.hasPrefix("require") == true, "\(error)")
        }
    }
}
