import Foundation
import TestSupport
import Testing
import TintypeContracts
import TintypeCore
import ImgproxyURLs
import TintypeImages
import TintypePictureDoor
import TintypeSettings
import TintypeTransport

/// The settings of the picture door: what they open, and the mistakes among them.
@Suite(.scoped) struct PictureDoorSettingsTests {
    private func read(_ arguments: [String]) throws -> CoordinatorConfiguration {
        guard case .run(let settings) = SettingsReader<CoordinatorConfiguration>.read(arguments: arguments, environment: [:]) else {
            throw TestFailure("refused: \(arguments)")
        }
        return settings
    }

    private func file(_ text: String) throws -> (path: String, folder: TemporaryFolder) {
        let folder = try TemporaryFolder("door")
        try text.write(toFile: folder.path + "/file", atomically: true, encoding: .utf8)
        return (folder.path + "/file", folder)
    }

    @Test func `without an address there is no door, and settings of one are a mistake`() throws {
        #expect(try read([]).pictureDoor.open().map { _ in true } == nil)
        for arguments in [
            ["--images-unsigned"], ["--images-presets-only"], ["--images-best-first"], ["--images-client-hints"], ["--images-formats", "webp"],
            ["--images-watermark", "https://h/a.png"], ["--images-cors", "*"], ["--images-canonical"], ["--images-unsigned-sources", "s3"],
        ] {
            #expect(throws: SettingError.self, "\(arguments)") { try read(arguments).pictureDoor.open() }
        }
    }

    @Test func `a door needs keys, or the word of the operator`() throws {
        let error = try #require(throws: SettingError.self) { try read(["--images", "127.0.0.1:0"]).pictureDoor.open() }
        #expect(error.message.contains("--images-keys") && error.message.contains("--images-unsigned"))
        #expect(try read(["--images", "127.0.0.1:0", "--images-unsigned"]).pictureDoor.open()?.signature.unsigned == .named)
        let keys = try file("aa bb\ncc dd\n")
        let door = try #require(try read(["--images", "127.0.0.1:0", "--images-keys", keys.path, "--images-formats", "webp,avif"]).pictureDoor.open())
        #expect(door.signature.pairs.count == 2 && door.signature.unsigned == .refused && door.policy.detected == [.webp, .avif])
        #expect(throws: SettingError.self) { try read(["--images", "127.0.0.1:0", "--images-keys", keys.path, "--images-presets-only"]).pictureDoor.open() }
    }

    @Test func `sources beside http need a signature, or the word of the operator`() throws {
        let unsigned = ["--images", "127.0.0.1:0", "--images-unsigned"]
        #expect(try read(unsigned + ["--images-unsigned-sources", "s3,file"]).pictureDoor.open()?.policy.unsignedSources == ["file", "s3"])
        let keys = try file("aa bb\n")
        let error = try #require(throws: SettingError.self) {
            try read(["--images", "127.0.0.1:0", "--images-keys", keys.path, "--images-unsigned-sources", "s3"]).pictureDoor.open()
        }
        #expect(error.message.contains("--images-unsigned"))
    }

    @Test func `a rate is requests and new pictures a second, and there is none by default`() throws {
        #expect(try read([]).pictureDoor.rate == nil)
        #expect(try read(["--images-rate", "100/20"]).pictureDoor.rate == PictureRate(requests: 100, pictures: 20))
        #expect(try read(["--images-rate", "0/5"]).pictureDoor.rate == PictureRate(requests: 0, pictures: 5))
    }

    @Test func `a header of the PROXY protocol is expected of named proxies, at named ports`() throws {
        let settings = try read(["--trusted-proxies", "10.0.0.0/8,::1", "--proxy-protocol", "rpc,images"])
        try settings.core.proxies.check()
        let ranges = ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) }
        #expect(settings.core.proxies.before(.rpc) == TrustedProxies(ranges, sendHeaders: true))
        #expect(settings.core.proxies.before(.http) == TrustedProxies(ranges) && settings.core.proxies.before(.images) == settings.core.proxies.before(.rpc))
        let error = try #require(throws: SettingError.self) { try read(["--proxy-protocol", "rpc"]).core.proxies.check() }
        #expect(error.message.contains("--trusted-proxies"))
    }

    @Test func `quick pictures come first, unless the operator says otherwise`() throws {
        let usual = ["--images", "127.0.0.1:0", "--images-unsigned", "--images-formats", "avif,webp"]
        #expect(try read(usual).pictureDoor.open()?.policy.isQuickFirst == true)
        #expect(try read(usual + ["--images-best-first"]).pictureDoor.open()?.policy.isQuickFirst == false)
    }

    @Test(arguments: [
        ["--images-formats", "png"], ["--images-cors", "example.org"], ["--images-cors", "https://a/b"], ["--images-watermark", "/relative"],
        ["--images", "nowhere"], ["--images-rate", "100"], ["--images-rate", "100/"], ["--images-rate", "-1/2"], ["--images-rate", "1/2/3"],
        ["--images-rate", "1/1000001"], ["--images-unsigned-sources", "http"], ["--trusted-proxies", "proxy.example"], ["--proxy-protocol", "https"],
    ])
    func `a wrong value is refused`(arguments: [String]) {
        guard case .refuse(let text) = SettingsReader<CoordinatorConfiguration>.read(arguments: arguments, environment: [:]) else {
            Issue.record("accepted: \(arguments)")
            return
        }
        #expect(text.contains(arguments[0]), "\(text)")
    }

    @Test func `a wrong file is refused with the line, and no key is shown`() throws {
        let keys = try file("aa bb\nsecret-key\n")
        guard case .refuse(let text) = SettingsReader<CoordinatorConfiguration>.read(arguments: ["--images-keys", keys.path], environment: [:]) else {
            Issue.record("accepted")
            return
        }
        #expect(text.contains(":2: ") && !text.contains("secret-key"), "\(text)")
    }

    @Test(arguments: [
        ("127.0.0.1:1", true, false, true), ("0.0.0.0:1", false, false, true), ("0.0.0.0:1", true, false, false), ("0.0.0.0:1", true, true, true),
    ])
    func `a door without signatures is for this machine, unless the operator says otherwise`(address: String, isUnsigned: Bool, isOpen: Bool, isRight: Bool)
        throws
    {
        var settings = CoordinatorConfiguration()
        (settings.pictureDoor.address, settings.pictureDoor.isUnsigned, settings.core.isOpen) = (try SocketAddress(address), isUnsigned, isOpen)
        do throws(SettingError) {
            try settings.checkExposure()
            #expect(isRight)
        } catch {
            #expect(!isRight && error.message.contains("--images-unsigned"))
        }
    }
}
