import Foundation
import TintypeCore
import TintypeTransport
import TintypeSettings
import TestSupport
import Testing

/// The addresses that a coordinator refuses at start, and the places of passwords.
@Suite(.timeLimit(.minutes(1))) struct ExposureTests {
    @Test(arguments: [
        ("127.0.0.1:1", "[::1]:1", true), ("unix:/tmp/s", "localhost:1", true), ("127.8.0.1:0", "127.0.0.1:0", true), ("0.0.0.0:1", "127.0.0.1:1", false),
        ("127.0.0.1:1", "0.0.0.0:1", false), ("[::]:1", "127.0.0.1:1", false), ("192.168.1.2:1", "127.0.0.1:1", false), ("127.0.0.1:1", "example.org:1", false),
    ])
    func `other machines are let in by a token, or by the word of the operator`(listen: String, http: String, isLocal: Bool) throws {
        var settings = CoordinatorSettings()
        (settings.listen, settings.http) = (try SocketAddress(listen), try SocketAddress(http))
        do throws(SettingError) {
            try settings.checkExposure()
            #expect(isLocal)
        } catch {
            #expect(!isLocal && error.message.contains("--token-file") && error.message.contains("--open"))
        }
        settings.isOpen = true
        try settings.checkExposure()
        (settings.isOpen, settings.tokenFile) = (false, "/tokens")
        try settings.checkExposure()
    }

    @Test(arguments: [
        (["--redis", "redis://:pass@h:1"], ["--redis"]), (["--redis=redis://u:pass@h"], ["--redis"]), (["--redis", "unix:///s?db=1&password=x"], ["--redis"]),
        (["--proxy", "http://u:p@h:1", "--results", "redis://:p@h"], ["--proxy", "--results"]), (["redis://:p@h"], ["an argument"]),
        (["--redis", "redis://user@h:6379/0", "--http", "127.0.0.1:1", "--results", "s3://b/p?endpoint=http://h:1"], []),
        (["--redis", "redis://h:6379/a@b:c"], []),
    ])
    func `a flag that holds a password is named, and the password is not`(arguments: [String], found: [String]) {
        #expect(PasswordArguments.flags(in: arguments) == found)
    }

    @Test(arguments: [
        ("redis://h:1/2", "redis://:p%40ss%3Aw@h:1/2"), ("redis://user@h", "redis://user:p%40ss%3Aw@h"), ("unix:///s", "unix:///s?password=p%40ss%3Aw"),
        ("unix:///s?db=3", "unix:///s?db=3&password=p%40ss%3Aw"),
    ])
    func `the password of a file goes into the URL`(url: String, expected: String) throws {
        let folder = try TemporaryFolder("password")
        try Data("p@ss:w\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/p"))
        var settings = SharedSettings()
        (settings.redis, settings.redisPasswordFile) = (url, folder.path + "/p")
        try settings.takeRedisPassword()
        #expect(settings.redis == expected && settings.redisPasswordFile == nil)
        #expect(try RedisEndpoint(settings.redis).password == "p@ss:w")
        settings.redisPasswordFile = folder.path + "/p"
        #expect(throws: SettingError.self) { try settings.takeRedisPassword() }
    }
}
