import Foundation
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator

/// The rights of tokens with roles, scopes and queues, over TCP and HTTP.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RoleTests {
    private static let tokens = """
        admin-admin
        load-load-load role=load name=shop
        load-other-token role=load name=blog
        put-put-put role=put
        alice-alice role=load scope=alice queue=web name=alice
        mallory-mallory role=put scope=mallory name=mallory
        """

    @Loop private func harness(_ folder: TemporaryFolder) async throws -> CoordinatorHarness {
        try Data(Self.tokens.utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        return try await CoordinatorHarness { $0.tokenFile = folder.path + "/tokens" }
    }

    @Loop private func client(_ h: CoordinatorHarness, _ token: String) async throws -> RPCClient {
        let client = try h.client()
        #expect(try await client.call("session.authenticate", #"{"token":"\#(token)"}"#)["ok"]?.bool == true)
        return client
    }

    @Test @Loop func `a method is permitted to tokens of its role and above, and forbidden to others`() async throws {
        let folder = try TemporaryFolder("roles")
        let h = try await harness(folder)
        for (token, role) in [("load-load-load", AccessRole.load), ("put-put-put", .put), ("admin-admin", .admin)] {
            let client = try await client(h, token)
            // Without parameters most methods refuse the call. Here it only matters whether the role is the reason.
            for method in MethodCatalog.methods where method.name != "session.authenticate" {
                let answer = try await client.call(method.name, "{}")
                #expect((answer.error?.name == "forbidden") == (role < method.role), "\(method.name) by \(role): \(answer)")
            }
            #expect(try await client.call("system.ping").result?.string == "pong")
        }
    }

    @Test @Loop func `a group is accessible to its own client and to admins, and unknown to others`() async throws {
        let folder = try TemporaryFolder("roles")
        let h = try await harness(folder)
        let (shop, again, blog) = (try await client(h, "load-load-load"), try await client(h, "load-load-load"), try await client(h, "load-other-token"))
        let (admin, steps) = (try await client(h, "admin-admin"), #""steps":[{"url":"http://origin.test/a"}]"#)
        func start(_ client: RPCClient) async throws -> String { try #require(try await client.call("chain.start", "{\(steps)}").group) }
        func isUnknown(_ group: String, to client: RPCClient) async throws -> Bool {
            let (get, wait) = (#"{"group":"\#(group)"}"#, #"{"group":"\#(group)","wait":30}"#)
            let answers = [
                try await client.call("group.get", get), try await client.call("group.get", wait),
                try await client.call("chain.append", #"{"group":"\#(group)",\#(steps)}"#),
            ]
            let cancel = try await client.call("group.cancel", get)
            return answers.allSatisfy { $0.error?.name == "unknownGroup" } && cancel["cancelled"]?.bool == false && cancel["reason"]?.string == "unknown"
        }
        let (group, admins) = (try await start(shop), try await start(admin))
        #expect(try await isUnknown(group, to: blog))
        for other in [shop, blog] { #expect(try await isUnknown(admins, to: other)) }
        // Nothing was changed, and the events of groups are for admins alone.
        #expect(try await again.call("group.get", #"{"group":"\#(group)"}"#)["state"]?.string == "running")
        #expect(try await blog.call("events.subscribe", #"{"groups":["\#(group)"]}"#).error?.name == "forbidden")
        #expect(try await admin.call("events.subscribe", #"{"groups":["\#(group)"]}"#).error == nil)
        for own in [again, admin] { #expect(try await own.call("chain.append", #"{"group":"\#(group)",\#(steps)}"#).error == nil) }
        #expect(try await admin.call("group.get", #"{"group":"\#(group)"}"#)["total"]?.int == 3)
        // A group of an earlier version has no owner: its id is the right to it.
        _ = try await h.coordinator.core.queues.redis.servers[0].command(["HDEL", .string("tintype:{default}:g:\(group)"), "owner"])
        #expect(try await blog.call("group.get", #"{"group":"\#(group)"}"#)["state"]?.string == "running")
        #expect(try await again.call("group.cancel", #"{"group":"\#(group)"}"#)["cancelled"]?.bool == true)
        #expect(try await admin.call("group.cancel", #"{"group":"\#(admins)"}"#)["cancelled"]?.bool == true)
    }

    @Test @Loop func `addresses and versions are shown to admins alone, and clients find the HTTP port`() async throws {
        let folder = try TemporaryFolder("roles")
        let h = try await harness(folder)
        let (load, admin) = (try await client(h, "load-load-load").call("system.info"), try await client(h, "admin-admin").call("system.info"))
        for member in ["version", "versions", "rpc", "redis"] { #expect(load[member] == nil && admin[member] != nil, "\(member)") }
        guard case .tcp(_, let port) = h.coordinator.httpAddress else { throw TestFailure("no port") }
        #expect(load["http"]?.string == "0.0.0.0:\(port)" && admin["http"]?.string == "127.0.0.1:\(port)", "\(load)")
        #expect(load["identity"]?["name"] == "shop" && load["limits"]?["maxBatch"] != nil)
    }

    @Test @Loop func `over HTTP the roles put and admin store pictures, and all roles read them`() async throws {
        let folder = try TemporaryFolder("roles")
        let h = try await harness(folder)
        func bearer(_ token: String) -> [String] { ["-H", "Authorization: Bearer \(token)"] }
        let put = ["-X", "PUT", "--data-binary", "picture"]
        let refused = try await HTTP.get(h.base + "/images/mine", put + bearer("load-load-load"))
        #expect(refused.status == 403 && String(decoding: refused.body, as: UTF8.self).contains("role put"))
        let long = try TemporaryFolder("long")
        try Data(repeating: 1, count: 200_000).write(to: URL(fileURLWithPath: long.path + "/x"))
        let early = try await HTTP.get(h.base + "/images/mine", ["-X", "PUT", "--data-binary", "@\(long.path)/x"] + bearer("load-load-load"))
        #expect(early.status == 403)
        #expect(try await HTTP.get(h.base + "/images/mine", put + bearer("put-put-put")).status == 201)
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("load-load-load")).status == 200)
        let computed = "/images/" + String(repeating: "0a", count: 20)
        #expect(try await HTTP.get(h.base + computed, put + bearer("load-load-load")).status == 403)
        #expect(try await HTTP.get(h.base + computed, put + bearer("mallory-mallory")).status == 403)
        #expect(try await HTTP.get(h.base + computed, put + bearer("admin-admin")).status == 201)
        // A key that the client chose belongs to the scope of the token, so the entry without a scope stays.
        let scoped = try await HTTP.get(h.base + "/images/mine", ["-X", "PUT", "--data-binary", "forged"] + bearer("mallory-mallory"))
        #expect(scoped.status == 201 && scoped.headers["location"]?.hasPrefix("/images/k-") == true)
        #expect(try await String(decoding: HTTP.get(h.base + "/images/mine", bearer("load-load-load")).body, as: UTF8.self) == "picture")
        let pause = ["-d", #"{"jsonrpc":"2.0","id":1,"method":"queue.pause","params":{"queue":"default"}}"#]
        #expect(try await String(decoding: HTTP.get(h.base + "/rpc", pause + bearer("load-load-load")).body, as: UTF8.self).contains("forbidden"))
        #expect(try await String(decoding: HTTP.get(h.base + "/rpc", pause + bearer("admin-admin")).body, as: UTF8.self).contains("paused"))
    }

    @Test @Loop func `a token with a scope and a queue stays within them, and its results stay private`() async throws {
        let folder = try TemporaryFolder("roles")
        let h = try await harness(folder)
        let (admin, alice, mallory) = (try await client(h, "admin-admin"), try await client(h, "alice-alice"), try await client(h, "mallory-mallory"))
        #expect(try await admin.call("queue.configure", #"{"queue":"web"}"#).error == nil)
        #expect(try await alice.call("image.load", #"{"url":"http://origin.test/a","queue":"default"}"#).error?.name == "forbidden")
        #expect(try await alice.call("image.load", #"{"url":"http://origin.test/a","cache":{"scope":"mallory"}}"#).error?.name == "forbidden")
        let submitted = try await alice.call("image.submit", #"{"url":"http://origin.test/a","receipt":"a1"}"#)
        #expect(submitted.error == nil, "\(submitted)")
        #expect(try await h.redis.command("EXISTS", "tintype:{web}:r:a1") == "1")
        // Another client puts the same request, which has another key.
        let put = try await mallory.call("cache.put", #"{"url":"http://origin.test/b","data":"\#(Data("forged".utf8).base64EncodedString())"}"#)
        #expect(put.error == nil, "\(put)")
        #expect(try await alice.call("cache.contains", #"{"url":"http://origin.test/b"}"#)["tiers"]?.strings == [])
        #expect(try await alice.call("cache.get", #"{"url":"http://origin.test/b"}"#).error?.name == "cacheMiss")
        #expect(try await mallory.call("cache.get", #"{"url":"http://origin.test/b"}"#).error == nil)
        #expect(try await admin.call("cache.contains", #"{"url":"http://origin.test/b"}"#)["tiers"]?.strings == [])
        #expect(try await admin.call("cache.contains", #"{"url":"http://origin.test/b","cache":{"scope":"mallory"}}"#)["tiers"]?.strings != [])
    }

    @Test @Loop func `a fallback key belongs to the scope of the token`() async throws {
        let folder = try TemporaryFolder("roles")
        let h = try await harness(folder)
        let (all, alice, mallory) = (try await client(h, "put-put-put"), try await client(h, "alice-alice"), try await client(h, "mallory-mallory"))
        #expect(try await client(h, "admin-admin").call("queue.configure", #"{"queue":"web"}"#).error == nil)
        for (client, text) in [(all, "of all"), (mallory, "mallory's")] {
            #expect(try await client.call("cache.put", #"{"key":"logo","data":"\#(Data(text.utf8).base64EncodedString())"}"#).error == nil)
        }
        let params = #"{"url":"http://origin.test/a","cache":{"policy":"only","read":["memory","results"]},"deliver":"inline","fallback":{"key":"logo"}}"#
        for (client, text) in [(all, "of all"), (mallory, "mallory's")] {
            let found = try await client.call("image.load", params)
            let rendition = found.renditions.first
            #expect(rendition?["data"]?.string == Data(text.utf8).base64EncodedString(), "\(found)")
        }
        // No client has stored one in this scope.
        #expect(try await alice.call("image.load", params).error?.name == "cacheMiss")
    }

    @Test @Loop func `receipts are accessible to their own client and to admins`() async throws {
        let folder = try TemporaryFolder("roles")
        let h = try await harness(folder)
        let (shop, again, blog) = (
            try await client(h, "load-load-load"), try await client(h, "load-load-load"), try await client(h, "load-other-token")
        )
        let admin = try await client(h, "admin-admin")
        let request = #"{"url":"http://origin.test/a","receipt":"r1","slot":"s"}"#
        #expect(try await shop.call("image.submit", request).error == nil)
        #expect(try await blog.call("receipt.get", #"{"receipt":"r1"}"#).error?.name == "unknownReceipt")
        #expect(try await blog.call("receipt.setPriority", #"{"receipt":"r1","priority":5}"#).error?.name == "unknownReceipt")
        #expect(try await blog.call("receipt.cancel", #"{"receipt":"r1"}"#)["cancelled"]?.bool == false)
        // The receipt is reached neither by repeating its request nor by its supersede key.
        #expect(try await blog.call("image.submit", request).error?.name == "invalidParams")
        #expect(try await blog.call("image.submit", #"{"url":"http://origin.test/c","receipt":"r2","slot":"s"}"#).error == nil)
        #expect(try await again.call("receipt.get", #"{"receipt":"r1"}"#).state == "queued")
        #expect(try await again.call("image.submit", request).error == nil)
        #expect(try await admin.call("receipt.get", #"{"receipt":"r1"}"#).state == "queued")
        // An item of a group belongs to the client that started the group.
        let group = try await shop.call("batch.start", #"{"items":[{"url":"http://origin.test/g","receipt":"g1"}]}"#)
        #expect(group.error == nil)
        try await h.until { try await h.redis.command("EXISTS", "tintype:{default}:r:g1") == "1" }
        #expect(try await blog.call("receipt.get", #"{"receipt":"g1"}"#).error?.name == "unknownReceipt")
        #expect(try await again.call("receipt.get", #"{"receipt":"g1"}"#).error == nil)
        // A receipt of an admin belongs to no other client.
        #expect(try await admin.call("image.submit", #"{"url":"http://origin.test/d","receipt":"r3"}"#).error == nil)
        #expect(try await shop.call("receipt.cancel", #"{"receipt":"r3"}"#)["cancelled"]?.bool == false)
        #expect(try await shop.call("receipt.cancel", #"{"receipt":"r1"}"#)["cancelled"]?.bool == true)
        // The end of a receipt removes the secrets of its fallback and keeps its owner.
        let secret = #"{"url":"http://origin.test/f","receipt":"f1","fallback":{"url":"http://u:geheim@b.test/"}}"#
        #expect(try await shop.call("image.submit", secret).error == nil)
        #expect(try await shop.call("receipt.cancel", #"{"receipt":"f1"}"#)["cancelled"]?.bool == true)
        #expect(try await again.call("receipt.get", #"{"receipt":"f1"}"#).state == "cancelled")
        #expect(try await blog.call("receipt.get", #"{"receipt":"f1"}"#).error?.name == "unknownReceipt")
        #expect(try await !"\(h.worker.queue.dump().entries)".contains("geheim"))
    }

    @Test @Loop func `keys of pictures cannot be computed without the secret`() async throws {
        let folder = try TemporaryFolder("roles")
        try Data(String(repeating: "s", count: 40).utf8).write(to: URL(fileURLWithPath: folder.path + "/secret"))
        let h = try await CoordinatorHarness { $0.common.keySecretFile = folder.path + "/secret" }
        let client = try h.client()
        let put = try await client.call("cache.put", #"{"url":"http://origin.test/b","data":"\#(Data("mine".utf8).base64EncodedString())"}"#)
        let key = try #require(put["key"]?.string)
        let plain = AdmissionPlan(try ImageRequest(try JSON(parsing: #"{"url":"http://origin.test/b"}"#)), isProbe: false).outputs[0].digest
        #expect(key != plain && key.count == 40)
        #expect(try await HTTP.get(h.base + "/images/\(plain)").status == 404)
        #expect(try await HTTP.get(h.base + "/images/\(key)").status == 200)
        // The same request leads to the same key.
        let load = try await client.call("image.load", #"{"url":"http://origin.test/b","cache":{"policy":"only"}}"#)
        #expect(load.error == nil, "\(load)")
    }
}
