import Foundation
import TintypeCore
import TestSupport
import Testing

/// deploy/sbom, the list of what is in the image.
@Suite(.timeLimit(.minutes(1)), .scoped) struct MaterialsTests {
    private static let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../deploy").standardized.path

    private func list(_ records: [(file: String, text: String)]) async throws -> (text: String, json: JSON) {
        let folder = try TemporaryFolder("materials")
        let place = folder.path + "/var/lib/dpkg/status.d"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for record in records { try Data(record.text.utf8).write(to: URL(fileURLWithPath: "\(place)/\(record.file)")) }
        let made = try ChildProcess("\(Self.deploy)/sbom", [folder.path, "1.2.3", "6.3"])
        #expect(await made.finished() == 0, "\(made.errors)")
        return (made.output, try JSON(parsing: made.output))
    }

    private static let records = [
        (
            "libc6",
            "Package: libc6\nStatus: install ok installed\nMaintainer: GNU \"Libc\" <a@b.example>\nArchitecture: amd64\nVersion: 2.41-12\nDescription: C\n\n"
        ),
        ("libstdc++6", "Package: libstdc++6\nArchitecture: amd64\nVersion: 1:14.2.0-19+b1\n\n"),
    ]

    @Test func `each package is there once, with its version, its package URL and the place of its license`() async throws {
        let json = try await list(Self.records).json
        #expect(json["bomFormat"]?.string == "CycloneDX" && json["metadata"]?["component"]?["version"]?.string == "1.2.3")
        let parts = json["components"]?.array ?? []
        #expect(parts.compactMap { $0["name"]?.string } == ["swift", "libc6", "libstdc++6"])
        #expect(parts.compactMap { $0["version"]?.string } == ["6.3", "2.41-12", "1:14.2.0-19+b1"])
        #expect(parts.last?["purl"]?.string == "pkg:deb/debian/libstdc%2B%2B6@1%3A14.2.0-19%2Bb1?arch=amd64&distro=debian-13")
        #expect(parts[0]["purl"]?.string == "pkg:generic/swift@6.3")
        #expect(parts[1]["publisher"]?.string == #"GNU "Libc" <a@b.example>"#)
        #expect(parts.last?["properties"]?.array?.first?["value"]?.string == "/usr/share/doc/libstdc++6/copyright")
    }

    @Test func `equal packages make equal bytes`() async throws {
        #expect(try await list(Self.records).text == list(Self.records.reversed()).text)
    }

    @Test func `the image's labels and list name the version of the programs`() throws {
        let text = try String(contentsOfFile: "\(Self.deploy)/../Dockerfile", encoding: .utf8)
        let versions = text.split(separator: "\n").filter { $0.hasPrefix("ARG VERSION=") }
        #expect(versions == ["ARG VERSION=\(TintypeVersion.current)", "ARG VERSION=\(TintypeVersion.current)"])
    }

    @Test func `the image says its commit, its time and its repository by arguments of the build`() throws {
        let text = try String(contentsOfFile: "\(Self.deploy)/../Dockerfile", encoding: .utf8)
        // An argument holds in its own stage alone.
        let stage = try #require(text.components(separatedBy: "\nFROM ").last)
        let lines = stage.split(separator: "\n").map(String.init)
        let arguments = lines.filter { $0.hasPrefix("ARG ") }.compactMap { $0.dropFirst(4).split(separator: "=").first.map(String.init) }
        let labels = lines.compactMap { $0.firstMatch(of: #/org\.opencontainers\.image\.([a-z.]+)="(.*)"/#).map { (String($0.1), String($0.2)) } }
        let values = Dictionary(labels) { first, _ in first }
        #expect(values.count == labels.count)
        #expect(values.keys.sorted() == ["base.name", "created", "description", "licenses", "revision", "source", "title", "version"])
        for (label, argument) in ["version": "VERSION", "revision": "REVISION", "created": "CREATED", "source": "SOURCE", "base.name": "DEBIAN"] {
            #expect(values[label] == "$\(argument)" && arguments.contains(argument), "\(label)")
        }
        #expect(text.contains("\nFROM $DEBIAN AS system\n"))
    }
}
