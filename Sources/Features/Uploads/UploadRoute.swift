import Coordinator
import TintypeCore
import TintypeImages
import TintypeTransport

/// `PUT /uploads`: keeps the bytes of a client as a source. `DELETE /uploads/{id}`: removes them early.
@Loop
final class UploadRoute {
    nonisolated static let path = "/uploads"
    /// The name of its routes in metrics.
    nonisolated static let name = "uploads"
    /// The role that a token needs: bytes are stored, as by `PUT /images/{key}`.
    static let role = MethodCatalog.cachePut.role

    private let uploads: Uploads
    private let access: AccessControl
    private let scope: TaskScope

    init(_ uploads: Uploads, access: AccessControl, scope: TaskScope) { (self.uploads, self.access, self.scope) = (uploads, access, scope) }

    /// The longest body, in bytes.
    var maxBody: Int { uploads.most }

    /// - Parameter answer: Called once.
    func put(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        let client = Session(exchange, peer: "http")
        client.grant = access.grant(exchange)
        guard client.grant != nil else { return answer(.unauthenticated) }
        if let refusal = WholeBody.refusal(exchange, "all bytes in one request", "the bytes without an encoding") { return answer(refusal) }
        do throws(TintypeError) {
            if let (name, value) = exchange.query.first { throw .invalidParams(path: name, value: .string(value), expected: "no query") }
            guard !exchange.body.isEmpty else { throw .invalidParams(path: "", value: "", expected: "the bytes as the body") }
            let (bytes, promised) = (exchange.body, try ContentDigest.sha256(exchange.list("Content-Digest")))
            // The id is in no name of a task: these are logged.
            scope.run("upload") { [uploads] in
                do throws(TintypeError) {
                    let kept = try await uploads.keep(bytes, promised: promised, of: client)
                    answer(.json(201, kept.answer, headers: [("Location", "\(Self.path)/\(kept.source.id)"), ("Cache-Control", "no-store")]))
                } catch {
                    answer(Self.failure(error))
                }
            }
        } catch {
            answer(Self.failure(error))
        }
    }

    /// - Parameter answer: Called once.
    func remove(_ exchange: HTTPExchange, _ answer: @escaping @Loop (WebAnswer) -> Void) {
        guard let grant = access.grant(exchange) else { return answer(.unauthenticated) }
        // An upload of another client is as unknown as none.
        guard let upload = UploadedSource(id: exchange.path.dropFirst(Self.path.count + 1)), upload.belongs(to: grant.owner) else {
            return answer(Self.absent)
        }
        scope.run("remove an upload") { [uploads] in
            do throws(TintypeError) {
                answer(try await uploads.remove(upload, of: grant) ? WebAnswer(status: 204, headers: []) : Self.absent)
            } catch {
                answer(Self.failure(error))
            }
        }
    }

    private static var absent: WebAnswer { .notFound("there is no upload of this client with this id, or it has expired") }

    private nonisolated static func failure(_ error: TintypeError) -> WebAnswer {
        .failure(error.name == .invalidParams ? 400 : error.name == .limitExceeded ? 413 : 503, error)
    }
}
