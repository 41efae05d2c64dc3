import Foundation
import TintypeCore
import TestSupport
import Testing

/// Bytes that a client sends to one coordinator, and has transformed by way of another, with real processes.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct UploadFlowTests {
    enum Store: CaseIterable { case folder, redis, s3 }

    private func picture(_ deployment: Deployment, _ folder: TemporaryFolder) async throws -> String {
        let path = folder.path + "/photo.png"
        try await HTTP.get(deployment.url("/picture.png?size=60x40")).body.write(to: URL(fileURLWithPath: path))
        return path
    }

    private func json(_ response: HTTP.Response) throws -> JSON { try JSON(parsing: [UInt8](response.body)) }

    @Test(arguments: Store.allCases)
    func `an upload to one coordinator is a source at another, until it is removed`(store: Store) async throws {
        let (folder, server) = (try TemporaryFolder("uploads"), store == .s3 ? try await S3Server() : nil)
        let redis = store == .redis ? try await RedisServer() : nil
        let deployment = try await Deployment(
            coordinators: 2, coordinatorArguments: ["--log-level", "debug"], workerArguments: ["--log-level", "debug"],
            store: redis?.url ?? server?.url("all"), environment: server?.environment ?? [:])
        let photo = try await picture(deployment, folder)
        let put = try await HTTP.get(deployment.coordinators[0].base + "/uploads", ["-T", photo, "-X", "PUT", "-H", "Expect:"])
        let kept = try json(put)
        #expect(put.status == 201 && kept["contentType"] == "image/png", "\(kept)")
        let url = try #require(kept["url"]?.string)
        let id = url.dropFirst(7)

        let client = try deployment.client(1)
        func load(_ width: Int) async throws -> RPCClient.Message {
            let look = #""transform":[{"op":"resize","width":\#(width)}],"output":{"format":"jpeg"}"#
            return try await client.call("image.load", #"{"url":"\#(url)",\#(look),"deliver":"inline"}"#)
        }
        let loaded = try await load(30)
        let data = try #require((loaded.renditions.first?["data"]?.string).flatMap { Data(base64Encoded: $0) }, "\(loaded)")
        let made = try #require(PictureBytes(data))
        #expect(made.format == "jpeg" && made.width == 30 && made.height == 20 && loaded.renditions.first?["private"] == true)

        let place = deployment.coordinators[1].base + "/uploads/\(id)"
        #expect(try await HTTP.get(place, ["-X", "DELETE"]).status == 204)
        #expect(try await HTTP.get(place, ["-X", "DELETE"]).status == 404)
        let gone = try await load(20)
        #expect(gone.error?.name == "httpStatus" && gone.error?.message?.contains("PUT /uploads") == true, "\(gone)")
        // The result that was made of it stays.
        #expect(try await load(30).renditions.first?["key"] == loaded.renditions.first?["key"])
        await deployment.stop()
        for process in deployment.coordinators + deployment.workers { #expect(!process.process.errors.contains(id) && !process.process.output.contains(id)) }
        await server?.kill9()
        await redis?.kill9()
    }

    @Test func `a coordinator that is killed in the middle of an upload leaves nothing behind`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 0)
        let client = try RawClient(port: deployment.coordinators[0].httpPort)
        client.send("PUT /uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 4000000\r\n\r\n")
        await client.received { !$0.isEmpty }
        client.send([UInt8](repeating: 7, count: 3_000_000))
        // An answer to a later request: by now the loop has read what came before.
        #expect(try await HTTP.get(deployment.coordinators[0].base + "/healthz").status == 200)
        await deployment.coordinators[0].kill9()
        _ = await client.untilClosed()
        let files = FileManager.default.enumerator(atPath: deployment.results.path)?.compactMap { $0 as? String } ?? []
        let whole = files.filter { name in
            let path = deployment.results.path + "/" + name
            return ((try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) ?? nil) == .typeRegular && !name.hasSuffix("lock")
        }
        #expect(whole == [])
        // The other one takes the whole upload.
        let put = try await HTTP.get(deployment.coordinators[1].base + "/uploads", ["-X", "PUT", "-d", "hello"])
        #expect(put.status == 201)
    }

    /// Runs the command line.
    private func run(_ script: String, _ deployment: Deployment, in folder: TemporaryFolder) async throws -> (status: Int32, output: String, errors: String) {
        let environment = [
            "TINTYPE_COORDINATOR": "127.0.0.1:\(deployment.coordinators[0].rpcPort)",
            "PATH": ServiceProcess.productsFolder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
        ]
        let child = try ChildProcess("/bin/sh", ["-c", "cd '\(folder.path)' && \(script)"], environment: environment)
        return (await child.finished(), child.output, child.errors)
    }

    @Test func `tintype load takes a file or standard input in place of a URL, and leaves no upload behind`() async throws {
        let folder = try TemporaryFolder("uploads")
        let deployment = try await Deployment(coordinatorArguments: ["--max-upload", "100KiB"])
        _ = try await picture(deployment, folder)
        for source in ["load photo.png", "load - < photo.png", "load ./photo.png"] {
            let words = source.split(separator: "<", maxSplits: 1)
            let end = words.count == 2 ? " <\(words[1])" : ""
            let done = try await run("tintype \(words[0]) --resize 30x20 --quiet -o out.webp\(end)", deployment, in: folder)
            #expect(done.status == 0, "\(done.errors)")
            let made = try #require(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/out.webp"))))
            #expect(made.format == "webp" && made.width == 30 && made.height == 20)
            try FileManager.default.removeItem(atPath: folder.path + "/out.webp")
        }
        // A picture that cannot be read leaves none either.
        let broken = try await run("echo nothing > broken.png; tintype load broken.png --json", deployment, in: folder)
        #expect(broken.status == 1 && broken.output.contains("badImageData"), "\(broken)")
        let kept = FileManager.default.enumerator(atPath: deployment.results.path + "/sources")?.compactMap { $0 as? String } ?? []
        #expect(kept.filter { !$0.hasPrefix("tmp") && !$0.hasPrefix("trash") && $0.count > 10 } == [])

        let missing = try await run("tintype load photo.pgn", deployment, in: folder)
        #expect(missing.status == 2 && missing.errors.contains("no file photo.pgn (did you mean photo.png?)"), "\(missing.errors)")
        let empty = try await run("tintype load - < /dev/null", deployment, in: folder)
        #expect(empty.status == 2 && empty.errors.contains("standard input is empty"), "\(empty.errors)")
        let long = try await run("head -c 200000 /dev/zero > long; tintype load long", deployment, in: folder)
        #expect(long.status == 1 && long.errors.contains("status 413") && long.errors.contains("102400"), "\(long.errors)")
        let closed = try await run("tintype load photo.png --http 127.0.0.1:1", deployment, in: folder)
        #expect(closed.status == 1 && closed.errors.contains("127.0.0.1:1") && closed.errors.contains("--http HOST:PORT"), "\(closed.errors)")
    }
}
