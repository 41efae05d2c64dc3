#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Synchronization

/// Opens connections. Looking up a name blocks its thread, so each connection is opened on a thread of its own, which ends with it.
package struct Dial: Sendable {
    private let loop: Loop
    private let tls: TLSContext?

    package init(loop: Loop, tls: TLSContext?) { (self.loop, self.tls) = (loop, tls) }

    package typealias Outcome = Result<Stream, Failure>

    /// Opens a connection, with TLS where the address says so.
    ///
    /// - Parameter until: When it is given up. A look-up of a name may last longer, and its result is then thrown away.
    package func open(_ address: Address, until: Loop.Instant) async -> Outcome {
        let once = Once<Outcome>()
        let timer = loop.at(until) { once.give(.failure(.lost("\(address): no connection in time", wasSent: false))) }
        defer { loop.cancel(timer) }
        Platform.thread { [self] in
            let outcome = connect(address, until)
            if !once.give(outcome), case .success(let stream) = outcome {
                // Nobody waits any more.
                loop.add(stream)
                stream.close("the connection came too late")
            }
        }
        return await withTaskCancellationHandler {
            await once.value
        } onCancel: {
            once.give(.failure(.cancelled))
        }
    }

    // MARK: - On the thread of the connection

    private func connect(_ address: Address, _ until: Loop.Instant) -> Outcome {
        do throws(Failure) {
            let descriptor = address.isUnix ? try connectUnix(address) : try connectTCP(address, until)
            do throws(Failure) {
                let session = try shakeHands(descriptor, address, until)
                return .success(Stream(descriptor: descriptor, tls: session, loop: loop))
            } catch {
                Platform.close(descriptor)
                return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }

    private func connectTCP(_ address: Address, _ until: Loop.Instant) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Platform.streamSocket
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(address.host, String(address.port), &hints, &list)
        let unknown = "\(address): cannot resolve \(address.host): \(String(cString: gai_strerror(failure)))"
        guard failure == 0, let list else { throw .lost(unknown, wasSent: false) }
        defer { freeaddrinfo(list) }
        var reason = "no address"
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let info = next?.pointee {
            next = info.ai_next
            let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
            guard descriptor >= 0 else {
                reason = Platform.text(errno)
                continue
            }
            Platform.prepare(descriptor)
            #if canImport(Darwin)
                let result = Darwin.connect(descriptor, info.ai_addr, info.ai_addrlen)
            #elseif canImport(Musl)
                let result = Musl.connect(descriptor, info.ai_addr, info.ai_addrlen)
            #else
                let result = Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen)
            #endif
            if result == 0 || errno == EINPROGRESS && wait(descriptor, POLLOUT, until) {
                var number: Int32 = 0
                var length = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
                if number == 0 { return descriptor }
                reason = Platform.text(number)
            } else {
                reason = errno == EINPROGRESS ? "no connection in time" : Platform.text(errno)
            }
            Platform.close(descriptor)
        }
        throw .lost("\(address): \(reason)", wasSent: false)
    }

    private func connectUnix(_ address: Address) throws(Failure) -> Int32 {
        let descriptor = socket(AF_UNIX, Platform.streamSocket, 0)
        guard descriptor >= 0 else { throw .lost("\(address): \(Platform.text(errno))", wasSent: false) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let path = Array(address.path.utf8)
        let fits = withUnsafeMutableBytes(of: &place.sun_path) { bytes in
            guard path.count < bytes.count else { return false }
            bytes.copyBytes(from: path)
            return true
        }
        let result = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                #if canImport(Darwin)
                    Darwin.connect(descriptor, place, socklen_t(MemoryLayout<sockaddr_un>.size))
                #elseif canImport(Musl)
                    Musl.connect(descriptor, place, socklen_t(MemoryLayout<sockaddr_un>.size))
                #else
                    Glibc.connect(descriptor, place, socklen_t(MemoryLayout<sockaddr_un>.size))
                #endif
            }
        }
        guard fits, result == 0 else {
            let reason = fits ? Platform.text(errno) : "the path is too long"
            Platform.close(descriptor)
            throw .lost("\(address): \(reason)", wasSent: false)
        }
        Platform.prepare(descriptor)
        return descriptor
    }

    private func shakeHands(_ descriptor: Int32, _ address: Address, _ until: Loop.Instant) throws(Failure) -> TLSSession? {
        guard address.isSecure, let tls else { return nil }
        let session: TLSSession
        do { session = try TLSSession(tls, host: address.host) } catch { throw .refused(error) }
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        var count = 0
        while true {
            var answers: [UInt8] = []
            let state = piece.withUnsafeBufferPointer { session.shakeHands(UnsafeBufferPointer(rebasing: $0[..<count]), answers: &answers) }
            try send(answers, descriptor, address, until)
            switch state {
            case .done: return session
            case .failed(let error): throw .refused(.local(error.name, "\(address): \(error.message)"))
            case .waits: break
            }
            repeat {
                guard wait(descriptor, POLLIN, until) else { throw .lost("\(address): no TLS in time", wasSent: false) }
                count = recv(descriptor, &piece, piece.count, Platform.dontWait)
            } while count < 0 && (errno == EAGAIN || errno == EINTR)
            if count <= 0 { throw .lost("\(address): the connection was closed during the TLS handshake", wasSent: false) }
        }
    }

    private func send(_ bytes: [UInt8], _ descriptor: Int32, _ address: Address, _ until: Loop.Instant) throws(Failure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { Platform.send(descriptor, $0.baseAddress! + start, $0.count - start) }
            if count >= 0 {
                start += count
            } else if errno != EINTR {
                guard errno == EAGAIN, wait(descriptor, POLLOUT, until) else {
                    throw .lost("\(address): the connection broke during the TLS handshake", wasSent: false)
                }
            }
        }
    }

    private func wait(_ descriptor: Int32, _ event: Int32, _ until: Loop.Instant) -> Bool {
        while true {
            let left = Loop.Instant.now.duration(to: until).seconds
            if left <= 0 { return false }
            var one = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&one, 1, Int32(min(left * 1000, 3_600_000).rounded(.up)))
            if count > 0 { return true }
            if count < 0 && errno != EINTR { return false }
        }
    }
}

extension Platform {
    /// Lets nothing wait: neither calls, nor short messages for longer ones. A host that is gone is noticed.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, length)
        setsockopt(descriptor, tcp, TCP_NODELAY, &on, length)
        #if canImport(Darwin)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, length)
        #else
            var (idle, between, tries): (Int32, Int32, Int32) = (10, 5, 3)
            setsockopt(descriptor, tcp, TCP_KEEPIDLE, &idle, length)
            setsockopt(descriptor, tcp, TCP_KEEPINTVL, &between, length)
            setsockopt(descriptor, tcp, TCP_KEEPCNT, &tries, length)
        #endif
    }
}

/// A value that comes once, for one that waits. Later values are not taken.
final class Once<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waits(UnsafeContinuation<Value, Never>)
        case given(Value)
        case taken
    }

    private let state = Mutex(State.empty)

    /// Whether the value has come.
    var isGiven: Bool {
        state.withLock { state in
            switch state {
            case .empty, .waits: false
            case .given, .taken: true
            }
        }
    }

    /// Gives the value. Returns false when there is one already.
    @discardableResult
    func give(_ value: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<Value, Never>?) in
            switch state {
            case .empty:
                state = .given(value)
                return (true, nil)
            case .waits(let waiter):
                state = .taken
                return (true, waiter)
            case .given, .taken: return (false, nil)
            }
        }
        waiter?.resume(returning: value)
        return isFirst
    }

    /// Waits for the value. For one caller.
    var value: Value {
        get async {
            await withUnsafeContinuation { waiter in
                let value = state.withLock { state -> Value? in
                    if case .given(let value) = state {
                        state = .taken
                        return value
                    }
                    state = .waits(waiter)
                    return nil
                }
                if let value { waiter.resume(returning: value) }
            }
        }
    }
}
