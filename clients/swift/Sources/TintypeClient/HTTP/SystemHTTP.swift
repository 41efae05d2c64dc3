#if canImport(Darwin)
    import Foundation

    /// `https://` on Apple systems, by URLSession: it trusts the authorities of the system and of the device's owner.
    ///
    /// No test runs this: the tests of the client run on Linux.
    final class SystemHTTP: Sendable {
        private let session = URLSession(configuration: .ephemeral)

        func exchange(_ request: HTTPRequest, to address: Address, until: ContinuousClock.Instant) async -> HTTPConnection.Outcome {
            guard let url = URL(string: "\(address)\(request.path)") else { return .failure(.refused(.local(.invalidURL, "\(request.name) is no URL"))) }
            let seconds = max(0.001, ContinuousClock.now.duration(to: until).seconds)
            var sent = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: request.mostSilence?.seconds ?? seconds)
            sent.httpMethod = request.method
            for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
            if let body = request.body { sent.httpBody = Data(body) }
            do {
                if let pieces = request.pieces { return try await stream(sent, pieces) }
                let (body, response) = try await session.data(for: sent)
                guard body.count <= request.most else {
                    return .failure(.lost("\(address): \(request.name): the answer has more than \(request.most) bytes", wasSent: true))
                }
                return .success(HTTPAnswer(head: head(response), body: Array(body)))
            } catch is CancellationError {
                return .failure(.cancelled)
            } catch {
                if Task.isCancelled { return .failure(.cancelled) }
                let code = (error as? URLError)?.code
                if code == .timedOut { return .failure(.refused(.late("\(address): \(request.name)"))) }
                if let code, SystemFault.isRefusal(code.rawValue) { return .failure(.refused(.local(.tls, "\(address): \(error.localizedDescription)"))) }
                let wasSent = code != .cannotConnectToHost && code != .cannotFindHost && code != .notConnectedToInternet
                return .failure(.lost("\(address): \(error.localizedDescription)", wasSent: wasSent))
            }
        }

        func close() {
            session.invalidateAndCancel()
        }

        private func stream(_ request: URLRequest, _ pieces: @Sendable (UnsafeBufferPointer<UInt8>) -> Void) async throws -> HTTPConnection.Outcome {
            let (bytes, response) = try await session.bytes(for: request)
            let head = head(response)
            var piece: [UInt8] = []
            for try await byte in bytes {
                piece.append(byte)
                // Events are told line by line.
                guard byte == UInt8(ascii: "\n"), head.status == 200 else { continue }
                piece.withUnsafeBufferPointer(pieces)
                piece.removeAll(keepingCapacity: true)
            }
            return .success(HTTPAnswer(head: head, body: head.status == 200 ? [] : piece))
        }

        private func head(_ response: URLResponse) -> HTTPHead {
            let http = response as? HTTPURLResponse
            var headers: [String: String] = [:]
            for (name, value) in http?.allHeaderFields ?? [:] { headers["\(name)".lowercased()] = "\(value)" }
            return HTTPHead(status: http?.statusCode ?? 0, headers: headers)
        }
    }
#endif
