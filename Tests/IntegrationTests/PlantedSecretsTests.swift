import Foundation
import TintypeCore
import TestSupport
import Testing

/// Plants credentials everywhere, and searches for them everywhere.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct PlantedSecretsTests {
    /// Returns everything in Redis except cookie jars, which have to be kept.
    private func everything(in redis: RedisServer) async throws -> [(key: String, text: String)] {
        var all: [(String, String)] = []
        for key in try await redis.command("KEYS", "*").split(separator: "\n").map(String.init) where !key.contains("{cookies}") {
            let words =
                switch try await redis.command("TYPE", key) {
                case "hash": ["HGETALL", key]
                case "string": ["GET", key]
                case "list": ["LRANGE", key, "0", "-1"]
                case "set": ["SMEMBERS", key]
                case "zset": ["ZRANGE", key, "0", "-1"]
                case "stream": ["XRANGE", key, "-", "+"]
                default: ["PING"]
                }
            all.append((key, try await redis.command(words)))
        }
        return all
    }

    private func files(below folder: String) -> [(String, Data)] {
        (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).compactMap { name in
            FileManager.default.contents(atPath: "\(folder)/\(name)").map { (name, $0) }
        }
    }

    @Test func `planted secrets are in no log, no event, no answer, no key of Redis and no file`() async throws {
        let planted = "PLANTED5ecret"
        // The server sends secrets of its own, and repeats those that it gets.
        let nginx = try await NginxServer(
            """
            listen PORT; default_type text/plain;
            location /basic { auth_basic "here"; auth_basic_user_file FOLDER/files/users; add_header Set-Cookie "sid=\(planted)-a"; try_files /x =404; }
            location /signed { add_header X-Auth-Token "\(planted)-b"; return 302 "/there?X-Amz-Signature=\(planted)-c&id=1"; }
            location /there { add_header Content-Location "/y?token=\(planted)-d"; return 200 "fine"; }
            location /repeats { return 403 "no: $http_authorization $args $http_x_key"; }
            location /moved { add_header Location "http://u:\(planted)-e@b.test/?sig=\(planted)-f" always; return 409 "see http://b.test/?sig=\(planted)-g"; }
            location /asks { add_header WWW-Authenticate 'Digest realm="r", nonce="\(planted)-h"' always; return 401 "who"; }
            location /fails { return 503 "$args"; }
            """, files: ["users": Data("ann:{PLAIN}\(planted)-1\n".utf8), "x": Data("fine".utf8)])
        let debug = ["--log-level", "debug"]
        let deployment = try await Deployment(coordinatorArguments: debug, workerArguments: debug)
        let (client, listener) = (try deployment.client(), try deployment.client())
        #expect(try await listener.call("events.subscribe", #"{"queue":"default"}"#).error == nil)
        let base = "http://127.0.0.1:\(nginx.port)"
        var answers: [RPCClient.Message] = []
        func load(_ path: String, _ fetch: String, _ failure: String?) async throws {
            let answer = try await client.call(
                "image.load", #"{"url":"\#(base)\#(path)","as":"bytes","progress":true,"fetch":\#(fetch)}"#)
            #expect(answer.error?.name == failure, "\(path): \(answer)")
            answers.append(answer)
        }
        try await load("/basic", #"{"auth":{"basic":["ann","\#(planted)-1"]}}"#, nil)
        try await load("/basic?2", #"{"auth":{"basic":["ann","\#(planted)-2"]}}"#, "authFailed")
        try await load("/signed?sig=\(planted)-3", #"{"cookies":"jar"}"#, nil)
        try await load("/there?accessToken=\(planted)-3a&client%53ecret=\(planted)-3b", "{}", nil)
        try await load("/fails?authToken=\(planted)-3c", #"{"retry":{"attempts":1}}"#, "httpStatus")
        try await load("/there?X-Amz-Credential=\(planted)-4&X-Amz-Signature=\(planted)-4", #"{"auth":{"bearer":"\#(planted)-5"}}"#, nil)
        try await load("/repeats?token=\(planted)-6", #"{"headers":{"X-Key":"\#(planted)-7"},"auth":{"bearer":"\#(planted)-8"}}"#, "httpStatus")
        try await load("/moved", "{}", "httpStatus")
        try await load("/asks", "{}", "httpStatus")
        let again = #"{"retry":{"attempts":2,"base":0},"auth":{"bearer":"\#(planted)-9"}}"#
        try await load("/fails?sig=\(planted)-10", again, "httpStatus")
        try await load("/fails?access_token=\(planted)-11", #"{"retry":{"attempts":2,"base":0}}"#, "httpStatus")
        // Other pictures, for a request that fails for good and for its fallback.
        let watermark = #""transform":[{"op":"composite","url":"\#(base)/w?sig=\#(planted)-12"}]"#
        let once = #""fetch":{"retry":{"attempts":1}}"#
        for (number, other) in ["", #","fallback":{"url":"\#(base)/none?sig=\#(planted)-13"}"#].enumerated() {
            let answer = try await client.call(
                "image.load", #"{"url":"\#(base)/fails?\#(number)",\#(watermark),\#(once),"receipt":"kept-\#(number)"\#(other)}"#)
            #expect(answer.error?.name == "httpStatus", "\(answer)")
            answers.append(answer)
        }
        answers.append(try await client.call("dead.list", #"{"queue":"default"}"#))
        answers.append(try await client.call("blacklist.list"))

        for answer in answers { #expect(!"\(answer)".contains(planted), "\(answer)") }
        #expect(client.notifications.contains { $0.type == "response" })
        for told in client.notifications + listener.notifications { #expect(!"\(told)".contains(planted), "\(told)") }
        let held = try await everything(in: deployment.redis)
        #expect(held.count > 10)
        for (key, text) in held { #expect(!text.contains(planted) && !key.contains(planted), "\(key): \(text)") }
        for (name, data) in files(below: deployment.results.path) { #expect(!String(decoding: data, as: UTF8.self).contains(planted), "\(name)") }
        for service in deployment.workers + deployment.coordinators {
            let lines = service.process.errors.split(separator: "\n").filter { $0.contains(planted) }
            #expect(lines.isEmpty, "\(lines)")
        }
    }
}
