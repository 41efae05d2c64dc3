import Foundation
public import Glibc
import Synchronization
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages

/// Names whose addresses change between two lookups. Replaces the C library's resolver, in this process and for libcurl too: the
/// linker prefers a function of the program with that name.
private enum Resolver {
    /// The answers for each name, one a lookup; the last one stays.
    static let answers = Mutex<[String: [String]]>([:])
    /// How often names of the test were looked up.
    static let lookups = Mutex<[String: Int]>([:])

    /// - Returns: nil for names that are not the test's.
    static func answer(_ name: String) -> String? {
        let address = answers.withLock { answers -> String? in
            guard let address = answers[name]?.first else { return nil }
            if let more = answers[name], more.count > 1 { answers[name] = Array(more.dropFirst()) }
            return address
        }
        if address != nil { lookups.withLock { $0[name, default: 0] += 1 } }
        return address
    }

    typealias Function =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?, UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
        ) -> CInt

    /// The function of the C library.
    static let next: Function? = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo").map { unsafeBitCast($0, to: Function.self) }
}

@_cdecl("getaddrinfo")
public func scriptedLookup(
    _ name: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> CInt {
    guard let next = Resolver.next else { return EAI_FAIL }
    guard let name, let address = Resolver.answer(String(cString: name)) else { return next(name, service, hints, result) }
    return next(address, service, hints, result)
}

/// DNS rebinding: a name is allowed when it is checked, and leads inside when it is connected to.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RebindingTests {
    /// One loopback address stands for the public ones; servers listen on all of loopback.
    private static let policy = AddressPolicy(allowing: [AddressRange("127.0.0.1/32")!])

    @Loop private func outcome(_ pool: TransferPool, _ url: String) async -> String {
        do throws(TintypeError) {
            let summary = try await pool.run(TransferRequest(url: url), onHead: { _ in }) { _, _, _ in .proceed }
            return "\(summary.head.status) from \(summary.remoteAddress)"
        } catch {
            return "\(error.name.rawValue) \(error.message)"
        }
    }

    @Test(arguments: ["127.0.0.2", "169.254.169.254", "10.0.0.1", "::1"])
    @Loop func `it is the address of the very connection that counts, not what a name had before`(bad: String) async throws {
        let (first, second) = (try CannedServer(["/ok": Self.fine], on: "0.0.0.0"), try CannedServer(["/ok": Self.fine], on: "0.0.0.0"))
        let name = "rebind-\(bad.filter { $0.isNumber }).test"
        Resolver.answers.withLock { $0[name] = ["127.0.0.1", bad] }
        let pool = TransferPool(policy: Self.policy)
        #expect(await outcome(pool, "http://\(name):\(first.port)/ok") == "200 from 127.0.0.1")
        // Another port needs another lookup.
        let refused = await outcome(pool, "http://\(name):\(second.port)/ok")
        #expect(refused.hasPrefix("denied ") && !refused.contains(bad), "\(refused)")
        #expect(Resolver.lookups.withLock { $0[name] } == 2)
        #expect(second.requests.isEmpty)
        // A worker that never saw the allowed address does not connect either.
        let other = await outcome(TransferPool(policy: Self.policy), "http://\(name):\(first.port)/ok")
        #expect(other.hasPrefix("denied "), "\(other)")
        #expect(first.requests.count == 1)
        first.close()
        second.close()
    }

    @Test @Loop func `a redirect to the same name is looked up again, and judged again`() async throws {
        let second = try CannedServer(["/secret": Self.fine], on: "0.0.0.0")
        let name = "rebind-redirect.test"
        let first = try CannedServer(
            ["/": "HTTP/1.1 302 Found\r\nLocation: http://\(name):\(second.port)/secret\r\nContent-Length: 0\r\n\r\n"], on: "0.0.0.0")
        Resolver.answers.withLock { $0[name] = ["127.0.0.1", "127.0.0.2"] }
        let refused = await outcome(TransferPool(policy: Self.policy), "http://\(name):\(first.port)/")
        #expect(refused.hasPrefix("denied ") && !refused.contains("127.0.0.2"), "\(refused)")
        #expect(first.requests.count == 1 && second.requests.isEmpty)
        first.close()
        second.close()
    }

    private static let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
}
