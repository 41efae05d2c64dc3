import Foundation
import TestSupport
import Testing
import TintypeCore
import ImgproxyURLs

/// A deployment with a picture door, whose key is that of imgproxy's documentation.
struct PictureDoorDeployment {
    static let (key, salt) = ("736563726574", "68656C6C6F")

    let deployment: Deployment
    let folder: TemporaryFolder
    private let signature: URLSignature

    /// - Parameters:
    ///   - presets: the file of presets.
    ///   - arguments: added to the command line of the coordinator.
    ///   - workers: added to that of the worker.
    ///   - root: a folder whose files the origin serves.
    init(presets: String = "", _ arguments: [String] = [], workers: [String] = [], root: String? = nil) async throws {
        folder = try TemporaryFolder("door")
        try "\(Self.key) \(Self.salt)\n".write(toFile: folder.path + "/keys", atomically: true, encoding: .utf8)
        try presets.write(toFile: folder.path + "/presets", atomically: true, encoding: .utf8)
        deployment = try await Deployment(
            coordinatorArguments: ["--images", "127.0.0.1:0", "--images-keys", folder.path + "/keys", "--images-presets", folder.path + "/presets"] + arguments,
            workerArguments: workers, root: root)
        guard let pair = URLSignature.Pair(key: Self.key, salt: Self.salt) else { throw TestFailure("no pair") }
        signature = URLSignature(pairs: [pair])
    }

    var port: UInt16 { UInt16(deployment.coordinators[0].ready["images"]?.split(separator: ":").last ?? "") ?? 0 }
    var base: String { "http://127.0.0.1:\(port)" }

    /// Returns the signed path for a picture of the origin.
    func path(_ source: String, _ options: String..., format: String? = nil) -> String {
        signature.signing(PictureURL.text(of: deployment.url(source), options: options, fileExtension: format, isPlain: false))
    }

    func signing(_ path: String) -> String { signature.signing(path) }

    func get(_ path: String, _ arguments: [String] = []) async throws -> HTTP.Response { try await HTTP.get(base + path, arguments) }

    /// Returns how many requests at the door ended so.
    func count(_ outcome: String) async throws -> Int {
        try await deployment.coordinators[0].value(of: #"tintype_door_requests_total{outcome="\#(outcome)"}"#)
    }
}
