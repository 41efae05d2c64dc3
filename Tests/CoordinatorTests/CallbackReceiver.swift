import TintypeCore
import Foundation
import TestSupport

/// An independent web server that receives callbacks: Python's, with Python's HMAC.
///
/// The first part of a path gives the answers of the tries. It is a list of statuses (`/500,500,200/…`, the last one repeats), or `hold`,
/// which never answers the first try. Each request is one line of its output, written as soon as it has arrived.
struct CallbackReceiver {
    /// A request as the receiver saw it.
    struct Request: @unchecked Sendable {  // property-list values, never changed after parsing
        let path: String
        /// Whether the signature is the HMAC-SHA256 of the body under the secret `geheim`; nil without a signature.
        let isSigned: Bool?
        let event: JSON
        let status: Int
        var type: String? { event["type"]?.string }
    }

    private let process: ChildProcess
    let base: String

    init() async throws {
        process = try ChildProcess("python3", ["-u", "-c", Self.program])
        base = "http://127.0.0.1:" + (try await process.line(beginning: "ready ")).dropFirst(6)
        TestScope.ends(process)
    }

    /// Returns the callback parameter for a path.
    func parameter(_ path: String, secret: String? = "geheim") -> String {
        #"{"url":"\#(base)\#(path)"\#(secret.map { #","secret":"\#($0)""# } ?? "")}"#
    }

    /// Waits for the request with this number, counted from 1.
    func request(_ number: Int) async throws -> Request {
        let line = try await process.line(beginning: "\(number) ")
        let text = line.dropFirst("\(number) ".count)
        let object = try JSON(parsing: String(text))
        return Request(
            path: object["path"]?.string ?? "", isSigned: object["signed"]?.bool, event: object["event"] ?? [:],
            status: object["status"]?.int ?? 0)
    }

    var count: Int { process.output.split(separator: "\n").count - 1 }

    private static let program = """
        import hashlib, hmac, http.server, json, threading
        lock, tries, total = threading.Lock(), {}, 0
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                global total
                body = self.rfile.read(int(self.headers['Content-Length']))
                signature = self.headers.get('Tintype-Signature')
                right = 'sha256=' + hmac.new(b'geheim', body, hashlib.sha256).hexdigest()
                with lock:
                    n = tries[self.path] = tries.get(self.path, 0) + 1
                    answers = self.path.split('/')[1].split(',')
                    answer = answers[min(n, len(answers)) - 1]
                    hold = answer == 'hold' and n == 1
                    status = 0 if hold else 200 if answer == 'hold' else int(answer)
                    total += 1
                    print(total, json.dumps({'path': self.path, 'signed': None if signature is None else hmac.compare_digest(signature, right),
                        'event': json.loads(body), 'status': status, 'type': self.headers['Content-Type']}))
                if hold: threading.Event().wait()
                self.send_response(status)
                if status // 100 == 3: self.send_header('Location', '/200/redirected')
                self.end_headers()
                self.wfile.write(b'x' * 100000)
            def log_message(self, *words): pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        print('ready', server.server_address[1])
        server.serve_forever()
        """
}
