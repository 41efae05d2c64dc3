import Foundation
import TestSupport
import Testing

/// The programs of docs/cookbook.md, run as they stand there with their clients. Below each one the page shows what the program prints, in which `…`
/// stands for any text.
@Suite(.timeLimit(.minutes(20)), .scoped) struct CookbookTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized.path

    static let programs = PageProgram.all(in: URL(fileURLWithPath: root + "/docs/cookbook.md"))

    /// The addresses of the page: those of the pictures, of JSON-RPC, of HTTP and of the picture door.
    static let addresses = ["https://example.org/", "127.0.0.1:7411", "127.0.0.1:7412", "127.0.0.1:7414"]

    /// The pictures and failures of the origin behind the paths of the page's example.org. Rules lead there, for programs put URLs together from parts.
    private static let origin: [(path: String, shown: String, query: String)] = [
        ("/photo.jpg", "/picture.png", #""size": "1600x1200""#),
        ("/beach.jpg", "/picture.png", #""size": "1600x1200", "of": "beach""#),
        ("/forest.jpg", "/picture.png", #""size": "1600x1200", "of": "forest""#),
        ("/large.jpg", "/slow/picture.png", #""size": "1600x1200", "rate": "4000000""#),
        ("/photos/beach.jpg", "/picture.png", #""of": "beach""#),
        ("/photos/busy.jpg", "/status/503", #""times": "2""#),
        ("/photos/forest.jpg", "/picture.png", #""of": "forest""#),
        ("/photos/missing.jpg", "/status/404", ""),
    ]

    private static var rules: String {
        let rules = origin.map { path, shown, query in
            #"{"paths": ["\#(path)"], "filters": [{"path": {"from": "\#(path)", "to": "\#(shown)"}}, {"setParams": {\#(query)}}]}"#
        }
        return #"{"rules": [\#(rules.joined(separator: ","))]}"#
    }

    /// A service with a picture door, and a folder with the files that the page names.
    private struct Kitchen {
        let door: PictureDoorDeployment
        let folder: TemporaryFolder

        init() async throws {
            folder = try TemporaryFolder("cookbook")
            try CookbookTests.rules.write(toFile: folder.path + "/rules.json", atomically: true, encoding: .utf8)
            door = try await PictureDoorDeployment(["--rules", folder.path + "/rules.json"])
            try "\(PictureDoorDeployment.key) \(PictureDoorDeployment.salt)\n".write(toFile: folder.path + "/keys", atomically: true, encoding: .utf8)
            let photo = "/photo.jpg"
            let paths = [
                door.path(photo, "rs:fill:300:200", "q:80", format: "webp"), door.path(photo, "w:400", format: "jpg"),
                door.path(photo, "unsharp_masking:1:2:3"),
            ]
            try paths.map { $0 + "\n" }.joined().write(toFile: folder.path + "/urls.txt", atomically: true, encoding: .utf8)
            try FileManager.default.createDirectory(atPath: folder.path + "/photos", withIntermediateDirectories: true)
            for (path, _, _) in CookbookTests.origin where path.hasPrefix("/photos/") { try Data().write(to: URL(fileURLWithPath: folder.path + path)) }
        }

        /// The addresses of this service, in the order of `addresses`.
        var addresses: [String] {
            let coordinator = door.deployment.coordinators[0]
            return [door.deployment.url("/")] + [coordinator.rpcPort, coordinator.httpPort, door.port].map { "127.0.0.1:\($0)" }
        }

        /// Returns a text of the page with the addresses and folders of this service.
        func served(_ text: String) -> String {
            let text = text.replacingOccurrences(of: "./clients/typescript/", with: "\(CookbookTests.root)/clients/typescript/")
            return zip(CookbookTests.addresses, addresses).reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
        }

        /// Returns the status of every picture that a page in the folder shows.
        func shown(by page: String) async throws -> [Int] {
            let text = try String(contentsOfFile: "\(folder.path)/\(page)", encoding: .utf8)
            var statuses: [Int] = []
            for match in text.matches(of: /\/images\/[^" ]+/) {
                statuses.append(try await HTTP.get("http://127.0.0.1:\(door.deployment.coordinators[0].httpPort)\(match.output)").status)
            }
            return statuses
        }
    }

    /// The command that runs a program in the folder of a kitchen, into which it writes the program.
    private func command(_ program: PageProgram, in kitchen: Kitchen) async throws -> [String] {
        // Compiled before; the addresses are its arguments.
        if program.language == "swift" { return [try await CookbookPackage.program(program.heading)] + kitchen.addresses }
        let (words, file) = try interpreter(program.language)
        try kitchen.served(program.text).write(toFile: "\(kitchen.folder.path)/\(file)", atomically: true, encoding: .utf8)
        return words + [file]
    }

    /// The command that runs a file of a language, and the name that the file needs.
    private func interpreter(_ language: String) throws -> (words: [String], file: String) {
        let python = ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"] ?? "python3"
        switch language {
        case "sh": return (["bash", "-e"], "program.sh")
        case "python": return ([python, "-B"], "program.py")
        case "ts":
            let deno = URL(fileURLWithPath: python).deletingLastPathComponent().path + "/deno"
            return ([deno, "run", "--quiet", "--no-lock", "--no-check", "--allow-all"], "program.ts")
        default: throw TestFailure("no way is known to run \(language)")
        }
    }

    @Test func `the page has each task in each language`() {
        let tasks = Self.programs.reduce(into: [String]()) { if $0.last != $1.heading { $0.append($1.heading) } }
        #expect(tasks.count == 5)
        for task in tasks {
            let languages = Set(Self.programs.filter { $0.heading == task }.map(\.language))
            #expect(languages.isSuperset(of: ["sh", "python", "ts", "swift"]), "\(task)")
        }
    }

    @Test func `the programs in TypeScript fit the types of the client`() async throws {
        let (folder, deno) = (try TemporaryFolder("cookbook"), try interpreter("ts").words[0])
        var files: [String] = []
        for (index, program) in Self.programs.filter({ $0.language == "ts" }).enumerated() {
            files.append("\(folder.path)/\(index).ts")
            let text = program.text.replacingOccurrences(of: "./clients/typescript/", with: "\(Self.root)/clients/typescript/")
            try text.write(toFile: files[index], atomically: true, encoding: .utf8)
        }
        let child = try ChildProcess(deno, ["check", "--quiet", "--no-lock"] + files, environment: ["DENO_DIR": folder.path + "/deno", "NO_COLOR": "1"])
        #expect(await child.finished() == 0, "\(child.output)\(child.errors)")
    }

    @Test(arguments: programs) func `a program of the page prints what the page shows`(program: PageProgram) async throws {
        let kitchen = try await Kitchen()
        let folder = kitchen.folder
        let environment = [
            "PATH": ServiceProcess.productsFolder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""), "PYTHONPATH": Self.root + "/clients/python/src",
            "TINTYPE_COORDINATOR": "127.0.0.1:\(kitchen.door.deployment.coordinators[0].rpcPort)", "DENO_DIR": folder.path + "/deno", "NO_COLOR": "1",
        ]
        let words = try await command(program, in: kitchen).map { "'\($0)'" }.joined(separator: " ")
        let child = try ChildProcess("bash", ["-c", "cd '\(folder.path)' && exec \(words)"], environment: environment)
        let status = await child.finished()
        let shown = kitchen.served(program.output)
        #expect(status == 0 && ShownText.matches(child.output, shown), "\(child.output)\(child.errors)")
        switch program.heading {
        case "A thumbnail":
            let picture = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/thumb.webp"))
            #expect(picture.prefix(4) == Data("RIFF".utf8))
        case "A progress bar" where program.language != "sh": #expect(child.errors.contains("#") && child.errors.contains("%"), "\(child.errors)")
        case "A gallery with placeholders": #expect(try await kitchen.shown(by: "gallery.html") == [Int](repeating: 200, count: 6))
        default: break
        }
    }
}
