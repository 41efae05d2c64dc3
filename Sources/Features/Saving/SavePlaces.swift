package import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport
package import Worker

extension WorkerFeature {
    /// Results that are saved as files of the operator's (`saveTo`).
    package static func saving(_ settings: SavingSettings) -> WorkerFeature {
        WorkerFeature { abilities, parts throws(TintypeError) in abilities.saving = try SavePlaces(settings.places, pool: parts.files) }
    }
}

/// The places that an operator lets results be saved in, besides the caches (`--places`). Lives on the loop.
@Loop final class SavePlaces: ResultSaver {
    private enum Place {
        case folder(PlaceFolder)
        case bucket(S3Bucket, prefix: String)
    }

    private var places: [String: Place] = [:]
    private let pool: BlockingPool

    /// - Parameters:
    ///   - pool: where files are written.
    ///   - environment: has the credentials of buckets, as for results.
    /// - Throws: `storeFailed` for a folder that cannot be entered, and for buckets without credentials.
    init(_ addresses: [PlaceAddress], pool: BlockingPool, environment: [String: String] = ProcessEnvironment.all()) throws(TintypeError) {
        self.pool = pool
        for address in addresses {
            switch address.location {
            case .folder(let path):
                let folder = PlaceFolder(path: path)
                if let error = FileCalls.makeFolders(path) { throw Self.failure("\(address.name): \(error.words)", retryable: false) }
                pool.start { folder.sweep(now: WallClock.now) }
                places[address.name] = .folder(folder)
            case .bucket(let bucket):
                let prefix = bucket.prefix.isEmpty ? "" : bucket.prefix + "/"
                places[address.name] = .bucket(S3Bucket(bucket, try ResultStores.credentials(environment), called: "The place"), prefix: prefix)
            }
        }
    }

    func save(_ bytes: [UInt8], _ info: RenditionInfo, _ target: SaveTarget) async throws(TintypeError) -> SavedFile {
        let name = target.name.filled(Self.words(info)).text
        guard let place = places[target.place] else {
            throw TintypeError(
                .denied, .store, "this worker knows no place called \(target.place): see --places", details: ["which": "place", "place": .string(target.place)])
        }
        let isKept: Bool
        switch place {
        case .folder(let folder):
            let replacing = target.replacing
            do {
                isKept = try await pool.run { try folder.save(bytes, as: name, replacing) } == .kept
            } catch {
                throw error as? TintypeError ?? Self.failure("the worker stops", retryable: true)
            }
        case .bucket(let bucket, let prefix): isKept = try await put(bytes, info, prefix + name, target.replacing, bucket)
        }
        return SavedFile(place: target.place, name: name, isKept: isKept)
    }

    private static func words(_ info: RenditionInfo) -> [SaveName.Token: String] {
        [
            .sha256: info.sha256, .extension: info.format?.fileExtension ?? info.document.map { $0 == .text ? "txt" : $0.rawValue } ?? "bin",
            .width: "\(info.width ?? 0)", .height: "\(info.height ?? 0)",
        ]
    }

    /// By which one's own objects are told from those of others.
    private static let sum = "x-amz-meta-sha256"

    /// - Returns: whether another object was there and stays.
    private func put(
        _ bytes: [UInt8], _ info: RenditionInfo, _ name: String, _ replacing: SaveTarget.Replacing, _ bucket: S3Bucket
    ) async throws(TintypeError) -> Bool {
        var headers = [("Content-Type", info.contentType), (Self.sum, info.sha256)]
        if replacing != .always { headers.append(("If-None-Match", "*")) }
        guard try await bucket.send("PUT", name, headers: headers, body: bytes)?.head.status == 412 else { return false }
        if replacing == .keep { return true }
        guard try await bucket.send("HEAD", name)?.head.header(Self.sum) == info.sha256 else { throw Self.taken }
        return false
    }

    /// There is another file of that name, which is to stay.
    nonisolated static var taken: TintypeError {
        failure("there is another file of that name already, and replace does not say true or keep", retryable: false)
    }

    nonisolated static func failure(_ cause: String, retryable: Bool) -> TintypeError {
        TintypeError(
            .storeFailed, .store, "the result could not be saved: \(cause)", retryable: retryable, details: ["which": "place", "cause": .string(cause)])
    }
}
