import Foundation
import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeQueue
import Testing

/// The lines of a token file, and the effect of a token on requests.
@Suite(.timeLimit(.minutes(1))) struct AccessGrantTests {
    private static func grant(_ options: String) throws -> AccessGrant {
        let tokens = try AccessTokens(text: "# ours\nsesame-sesame \(options)\nanother-token\n", path: "t")
        return try #require(tokens.grant(AccessTokens.digest("sesame-sesame")))
    }

    @Test func `a token alone is an admin's, and the words after it change that`() throws {
        #expect(try Self.grant("").role == .admin && Self.grant("").owner == nil)
        let grant = try Self.grant("role=load scope=alice queue=web,batch name=shop")
        #expect(grant.role == .load && grant.scope == "alice" && grant.queues == ["web", "batch"] && grant.client.name == "shop")
        #expect(try Self.grant("name=shop").role == .admin)
        // Two tokens of one name are one client; other tokens are not.
        #expect(try Self.grant("role=put name=shop").owner == grant.owner && Self.grant("role=load").owner != grant.owner)
        #expect(try AccessTokens(text: "sesame-sesame", path: "t").grant(AccessTokens.digest("sesame-sesamf")) == nil)
    }

    @Test(arguments: [
        "role=loud", "role=load role=put", "scope=", "scope=alice", "queue=web", "role=admin scope=a", "role=load queue=a/b", "name=a/b", "load", "colour=red",
        "role=load scope=alice secret-rest-of-token",
    ])
    func `a line with other words is refused by its number, without showing the token`(options: String) throws {
        let mistake = try #require(throws: SettingError.self) { _ = try Self.grant(options) }
        #expect(mistake.message.hasPrefix("t:2: ") && !mistake.message.contains("sesame") && !mistake.message.contains("secret-rest"), "\(mistake.message)")
    }

    @Test func `a token that is in the file twice is refused`() throws {
        let mistake = try #require(throws: SettingError.self) { _ = try AccessTokens(text: "sesame-sesame\nsesame-sesame role=load", path: "t") }
        #expect(mistake.message.hasPrefix("t:2: "))
    }

    private static func bound(_ method: String, _ params: String, _ options: String = "role=put scope=alice queue=web,batch") throws -> JSON {
        let description = try #require(MethodCatalog.method(method))
        return .object(try grant(options).bound(try #require(try JSON(parsing: params).object), of: description))
    }

    @Test(arguments: [
        ("image.load", #"{"url":"u"}"#, #"{"url":"u","cache":{"scope":"alice"},"queue":"web"}"#),
        ("image.probe", #"{"url":"u","cache":null,"queue":null}"#, #"{"url":"u","cache":{"scope":"alice"},"queue":"web"}"#),
        ("image.submit", #"{"url":"u","cache":{"ttl":5},"queue":"batch"}"#, #"{"url":"u","cache":{"ttl":5,"scope":"alice"},"queue":"batch"}"#),
        ("image.submit", #"{"url":"u","cache":{"scope":"alice"}}"#, #"{"url":"u","cache":{"scope":"alice"},"queue":"web"}"#),
        ("cache.get", #"{"request":{"url":"u"}}"#, #"{"request":{"url":"u","cache":{"scope":"alice"},"queue":"web"}}"#),
        ("cache.contains", #"{"key":"0123456789012345678901234567890123456789"}"#, #"{"key":"0123456789012345678901234567890123456789"}"#),
        ("batch.start", #"{"items":[{"url":"u"}]}"#, #"{"items":[{"url":"u","cache":{"scope":"alice"},"queue":"web"}]}"#),
        ("chain.append", #"{"steps":[{"url":"${steps[0].x}"}]}"#, #"{"steps":[{"url":"${steps[0].x}","cache":{"scope":"alice"},"queue":"web"}]}"#),
        ("prefetch.start", #"{"urls":["u"]}"#, #"{"items":[{"url":"u","cache":{"scope":"alice"},"queue":"web"}]}"#),
        ("system.info", "{}", "{}"),
    ])
    func `requests of a bound token get its scope and its first queue`(method: String, params: String, expected: String) throws {
        #expect(try Self.bound(method, params) == JSON(parsing: expected))
    }

    @Test(arguments: [
        ("image.load", #"{"url":"u","cache":{"scope":"mallory"}}"#, ErrorName.forbidden), ("image.load", #"{"url":"u","queue":"default"}"#, .forbidden),
        ("cache.put", #"{"request":{"url":"u","cache":{"scope":"bob"}},"data":"AA=="}"#, .forbidden),
        ("cache.put", #"{"key":"0123456789012345678901234567890123456789","data":"AA=="}"#, .forbidden),
        ("cache.remove", #"{"key":"k-0123456789012345678901234567890123456789"}"#, .forbidden),
        ("batch.start", #"{"items":[{"url":"u"},{"url":"u","queue":"other"}]}"#, .forbidden),
        ("chain.start", #"{"steps":[{"url":"u"},{"url":"u","cache":{"scope":"${steps[0].json}"}}]}"#, .forbidden),
        ("chain.start", #"{"steps":[{"url":"u"},{"url":"u","cache":"${steps[0].json}"}]}"#, .invalidParams),
        ("chain.start", #"{"steps":[{"url":"u"},{"url":"u","queue":"${steps[0].json}"}]}"#, .forbidden),
        ("chain.start", #"{"steps":[{"url":"u"},{"url":"u","fallback":"${steps[0].json}"}]}"#, .invalidParams),
        ("chain.start", #"{"steps":[{"url":"u"},{"url":"u","fallback":{"key":"${steps[0].json}"}}]}"#, .invalidParams),
    ])
    func `a bound token names no other scope, queue or key`(method: String, params: String, name: ErrorName) throws {
        let error = try #require(throws: TintypeError.self) { _ = try Self.bound(method, params) }
        #expect(error.name == name)
    }

    @Test(arguments: [
        ("image.load", #"{"url":"u","saveTo":{"place":"p"}}"#), ("image.submit", #"{"url":"u","saveTo":{"place":"p"}}"#),
        ("batch.start", #"{"items":[{"url":"u"},{"url":"u","saveTo":{"place":"p"}}]}"#),
        ("chain.start", #"{"steps":[{"url":"u","saveTo":"${steps[0].json}"}]}"#),
    ]) func `files are saved for those who may put, and for no scope`(method: String, params: String) throws {
        for options in ["role=load", "role=load queue=web", "role=put scope=alice"] {
            let error = try #require(throws: TintypeError.self) { _ = try Self.bound(method, params, options) }
            #expect(error.name == .forbidden && error.details["path"]?.string?.hasSuffix("saveTo") == true)
        }
        #expect(throws: Never.self) { _ = try Self.bound(method, params, "role=put queue=web") }
        #expect(try Self.bound(method, params, "role=put") == JSON(parsing: params))
    }

    @Test func `a client's own key differs by scope, with or without a secret`() throws {
        let description = try #require(MethodCatalog.method("cache.put"))
        let secret = try KeySecret(text: String(repeating: "s", count: 32), path: "k")
        for keys in [KeySecret.none, secret] {
            let put = try Self.grant("role=put scope=alice").bound(["key": "logo", "data": "AA=="], of: description, keys: keys)
            let asked = try ImageRequest(try JSON(parsing: #"{"url":"http://a.test/","cache":{"scope":"alice","key":"logo"}}"#))
            #expect(try put["key"]?.string == ImageRequest.key(#require(asked.key), by: keys) && put["key"] != "logo")
        }
    }

    @Test(arguments: [
        ("image.load", #"{"url":"u","fallback":FALLBACK}"#), ("cache.get", #"{"request":{"url":"u","fallback":FALLBACK}}"#),
        ("batch.start", #"{"items":[{"url":"u","fallback":FALLBACK}]}"#), ("chain.start", #"{"steps":[{"url":"u","fallback":FALLBACK}]}"#),
    ])
    func `a fallback with a client's own key is bound to the scope, and others stay`(method: String, params: String) throws {
        let description = try #require(MethodCatalog.method(method))
        let secret = try KeySecret(text: String(repeating: "s", count: 32), path: "k")
        for keys in [KeySecret.none, secret] {
            let put = try #require(MethodCatalog.method("cache.put"))
            let grant = try Self.grant("role=put scope=alice")
            let own = try grant.bound(["key": "logo", "data": "AA=="], of: put, keys: keys)["key"]
            func bound(_ fallback: String) throws -> JSON {
                let asked = try #require(try JSON(parsing: params.replacing("FALLBACK", with: fallback)).object)
                let made = try JSON.object(grant.bound(asked, of: description, keys: keys))
                return try #require((made["request"] ?? made["items"]?[0] ?? made["steps"]?[0] ?? made)["fallback"])
            }
            #expect(try bound(#"{"key":"logo"}"#)["key"] == own && own != "logo")
            for other in [#"{"key":"0123456789012345678901234567890123456789"}"#, #"{"url":"v"}"#, ##"{"color":"#fff","width":1,"height":1}"##] {
                #expect(try bound(other) == JSON(parsing: other))
            }
        }
    }

    /// No method below admin, even a future one, accepts a request that leads a bound token out of its scope.
    @Test func `every method below admin that takes a request says where`() {
        let bindable: Set = ["cache", "queue", "items", "steps", "request", "urls"]
        for method in MethodCatalog.methods where method.role < .admin {
            let found = method.parameters.map(\.name).filter(bindable.contains)
            #expect(found.isEmpty == (method.requests == .none), "\(method.name): \(found)")
        }
    }

    @Test func `the terms of a receipt keep its owner beside its flags and its fallback`() throws {
        var terms = ReceiptTerms(isDetached: true, delivery: .inline)
        for owner in [nil, "n-shop", "t-0123456789abcdef", "n-d.h_j-s"] {
            for fallback in [nil, Fallback(["key": "x", "names": ["a"]])] {
                (terms.owner, terms.fallback, terms.isPinned) = (owner, fallback, owner == nil)
                #expect(ReceiptTerms(words: terms.words) == terms, "\(terms.words)")
            }
        }
    }

    @Test func `keys are plain digests without a secret, and unpredictable with one`() throws {
        let digest = Digest.sha256Hex("a".utf8, digits: 40)
        let (one, other) = (
            try KeySecret(text: String(repeating: "a", count: 32), path: "k"), try KeySecret(text: String(repeating: "b", count: 32), path: "k")
        )
        #expect(KeySecret.none.key(digest) == digest && one.key(digest) != digest && one.key(digest) != other.key(digest) && one.key(digest).count == 40)
        #expect(throws: SettingError.self) { _ = try KeySecret(text: "short", path: "k") }
    }
}
