import Foundation
import TintypeCore
import TestSupport
import Testing

/// The requests, commands and rules of docs/recipes.md, run as they stand there. Below a request or command the page shows the part of the answer that
/// matters, in which `…` stands for any value.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct RecipeTests {
    /// A fenced block of the page, and the part of the answer below it.
    struct Block: Sendable {
        let language: String
        let text: String
        let heading: String
        var answer: String?

        var json: JSON? { try? JSON(parsing: text) }
        var isRequest: Bool { language == "json" && json?["method"] != nil }
        var isRules: Bool { language == "json" && json?["rules"] != nil }
        /// A command that starts a service: it does not end by itself.
        var isService: Bool { language == "sh" && text.hasPrefix("tintype up") }
    }

    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs/recipes.md").standardized

    private static let blocks: [Block] = {
        var blocks: [Block] = []
        for block in (try? CodeBlock.all(in: page)) ?? [] {
            if block.language == "text", !blocks.isEmpty {
                blocks[blocks.count - 1].answer = block.text
            } else {
                blocks.append(Block(language: block.language, text: block.text, heading: block.heading))
            }
        }
        return blocks
    }()

    /// A service with the folders, the place and the key that the page names, and an origin with its pictures.
    private struct Kitchen {
        let deployment: Deployment
        let client: RPCClient
        let root: TemporaryFolder
        let photos: TemporaryFolder
        let archive: TemporaryFolder
        let work: TemporaryFolder
        private var rate = 0

        init() async throws {
            (root, photos) = (try TemporaryFolder("root"), try TemporaryFolder("photos"))
            (archive, work) = (try TemporaryFolder("archive"), try TemporaryFolder("work"))
            let keys = work.path + "/keys"
            try "vault: aes-256-cbc \(Self.key) legacy-cbc hosts=127.0.0.1\n".write(toFile: keys, atomically: true, encoding: .utf8)
            let fileRoot = ["--file-root", photos.path]
            deployment = try await Deployment(
                coordinatorArguments: fileRoot,
                workerArguments: fileRoot + ["--places", "archive=file://\(archive.path)", "--decryption-keys", keys, "--pixels", "2"], root: root.path)
            client = try deployment.client()
            let picture = deployment.url("/picture.png?size=600x400")
            try await make(
                "product.png", in: root,
                #"{"url":"\#(deployment.url("/picture.png"))","output":{"format":"png"},"#
                    + #""transform":[{"op":"extend","top":60,"right":90,"bottom":40,"left":120,"color":"white"}]"#)
            try await make(
                "dance.gif", in: root, #"{"url":"\#(picture)","transform":[{"op":"animate","columns":2,"rows":2,"delay":80}],"output":{"format":"gif"}"#)
            try await make("photo.png", in: work, #"{"url":"\#(picture)","output":{"format":"png"}"#)
            try await make("a.jpg", in: photos, #"{"url":"\#(picture)","output":{"format":"jpeg"}"#)
            try await make("plain.png", in: work, #"{"url":"\#(picture)","output":{"format":"png"}"#)
            let slow = try await make("slow.jpg", in: root, #"{"url":"\#(picture)","output":{"format":"jpeg","quality":95,"progressive":true}"#)
            rate = slow / 3
            try await seal()
            try await Gate.until("both pixel processes are warm: one that is not has no room for previews") { [deployment] in
                try await deployment.workers[0].value(of: #"tintype_pixel_processes{state="idle"}"#) == 2
            }
        }

        private static let key = String(repeating: "07", count: 32)

        /// Makes a picture by the service itself, and returns its length. `request` lacks its last brace.
        @discardableResult
        private func make(_ name: String, in folder: TemporaryFolder, _ request: String) async throws -> Int {
            let made = try await client.call("image.load", request + #","deliver":"inline"}"#)
            let bytes = try #require((made.renditions.first?["data"]?.string).flatMap { Data(base64Encoded: $0) }, "\(made)")
            try bytes.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            return bytes.count
        }

        /// Encrypts a picture as the origin of the recipe does, with the cipher that the openssl command knows.
        private func seal() async throws {
            let vector = [UInt8](repeating: 10, count: 16)
            let child = try ChildProcess(
                "openssl",
                ["enc", "-aes-256-cbc", "-K", Self.key, "-iv", String(repeating: "0a", count: 16), "-in", work.path + "/plain.png", "-out", work.path + "/ct"])
            #expect(await child.finished() == 0, "\(child.errors)")
            let sealed = Data(vector) + (try Data(contentsOf: URL(fileURLWithPath: work.path + "/ct")))
            try sealed.write(to: URL(fileURLWithPath: root.path + "/sealed.bin"))
        }

        /// The path of the origin that stands for a path of the page's example.org.
        private func path(_ name: Substring) -> String {
            switch name {
            case "missing.jpg": "/status/404"
            case "busy.jpg": "/status/503?times=2"
            case "private.jpg": "/basic/shop/secret"
            case "slow.jpg": "/slow/slow.jpg?rate=\(rate)"
            case "logo.png": "/picture.png?size=200x100"
            case "product.png", "dance.gif", "sealed.bin": "/files/\(name)"
            case let name: "/picture.png?size=1600x1200&of=\(name)"
            }
        }

        /// Returns a block of the page with the URLs, ports and folders of this service.
        func served(_ text: String) -> String {
            text.replacing(/https:\/\/example\.org\/([A-Za-z0-9.\/_-]+)/) { deployment.url(path($0.1)) }
                .replacingOccurrences(of: "127.0.0.1:7411", with: "127.0.0.1:\(deployment.coordinators[0].rpcPort)")
                .replacingOccurrences(of: "127.0.0.1:7412", with: "127.0.0.1:\(deployment.coordinators[0].httpPort)")
                .replacingOccurrences(of: "/srv/photos", with: photos.path)
                .replacingOccurrences(of: "/srv/archive", with: archive.path)
        }

        /// Runs commands of the page in a folder of its own, and returns the status and both outputs.
        func run(_ text: String) async throws -> (status: Int32, output: String, errors: String) {
            let path = ServiceProcess.productsFolder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            let coordinator = "127.0.0.1:\(deployment.coordinators[0].rpcPort)"
            let child = try ChildProcess(
                "bash", ["-ec", "cd '\(work.path)'\n" + served(text)], environment: ["PATH": path, "TINTYPE_COORDINATOR": coordinator])
            return (await child.finished(), child.output, child.errors)
        }
    }

    /// Whether `answer` has what the page shows: `…` is any value, and an object may have more members.
    private func has(_ answer: JSON, _ shown: JSON) -> Bool {
        if shown.string == "…" { return answer != .null }
        if let object = shown.object { return object.members.allSatisfy { name, value in answer[name].map { has($0, value) } ?? false } }
        if let elements = shown.array {
            return answer.array.map { $0.count == elements.count && zip($0, elements).allSatisfy { has($0, $1) } } ?? false
        }
        return answer == shown
    }

    @Test func `the page has requests, commands and rules`() {
        #expect(Self.blocks.count { $0.isRequest } >= 12)
        #expect(Self.blocks.count { $0.language == "sh" } >= 8)
        #expect(Self.blocks.count { $0.isRules } >= 2)
        for block in Self.blocks where block.language == "json" { #expect(block.isRequest || block.isRules, "\(block.heading): \(block.text)") }
        for block in Self.blocks { #expect(["json", "sh", "html"].contains(block.language), "\(block.heading): \(block.language)") }
    }

    @Test func `every request and every command of the page succeeds, with the answer that the page shows`() async throws {
        let kitchen = try await Kitchen()
        let first = try #require(Self.blocks.first { $0.isRequest })
        try kitchen.served(first.text).write(toFile: kitchen.work.path + "/request.json", atomically: true, encoding: .utf8)
        var group = ""
        for block in Self.blocks where block.isRequest || block.language == "sh" {
            if block.isRequest {
                let request = try JSON(parsing: kitchen.served(block.text).replacingOccurrences(of: "GROUP", with: group))
                let method = try #require(request["method"]?.string)
                let answer = try await kitchen.client.call(method, (request["params"] ?? [:]).text)
                #expect(answer.error == nil, "\(block.heading): \(answer)")
                if let shown = block.answer { #expect(has(answer.body, try JSON(parsing: shown)), "\(block.heading): \(answer)") }
                guard method.hasSuffix(".start") else { continue }
                group = try #require(answer.group)
                let end = try await kitchen.client.call("group.get", #"{"group":"\#(group)","wait":60}"#)
                #expect(end.state == "succeeded", "\(block.heading): \(end)")
                for item in end["results"]?.array ?? [] { #expect(item["state"]?.string == "succeeded", "\(block.heading): \(item)") }
            } else {
                let run = try await kitchen.run(block.isService ? block.text.trimmingCharacters(in: .newlines) + " --print-config" : block.text)
                #expect(run.status == 0, "\(block.heading): \(run)")
                if let shown = block.answer { #expect(ShownText.matches(run.output, shown), "\(block.heading): \(run)") }
            }
        }
    }

    @Test func `a coordinator accepts the rules of the page`() async throws {
        let redis = try await RedisServer()
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        for block in Self.blocks where block.isRules {
            try block.text.write(toFile: file, atomically: true, encoding: .utf8)
            let coordinator = try await ServiceProcess.coordinator(redis: redis.url, ["--rules", file])
            #expect(await coordinator.stop() == 0, "\(block.heading): \(coordinator.process.errors)")
        }
    }
}
