// The C library, where its names differ.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

enum Platform {
    #if canImport(Darwin)
        static let streamSocket = SOCK_STREAM
        static let tcp = Int32(IPPROTO_TCP)
        /// Sockets have `SO_NOSIGPIPE` there.
        static let dontWait = Int32(MSG_DONTWAIT)
        private static let sendFlags = dontWait
    #elseif canImport(Musl)
        static let streamSocket = Int32(SOCK_STREAM)
        static let tcp = Int32(IPPROTO_TCP)
        static let dontWait = Int32(MSG_DONTWAIT)
        private static let sendFlags = dontWait | Int32(MSG_NOSIGNAL)
    #else
        static let streamSocket = Int32(SOCK_STREAM.rawValue)
        static let tcp = Int32(IPPROTO_TCP)
        static let dontWait = Int32(MSG_DONTWAIT)
        private static let sendFlags = dontWait | Int32(MSG_NOSIGNAL)
    #endif

    /// Runs a function on a thread of its own. The function decides when it ends.
    static func thread(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            let failure = pthread_create(&thread, nil, { Body.run($0) }, box)
        #else
            var thread = pthread_t()
            let failure = pthread_create(&thread, nil, { Body.run($0!) }, box)
        #endif
        precondition(failure == 0, "no thread can be made: \(text(failure))")
        #if canImport(Darwin)
            pthread_detach(thread!)
        #else
            pthread_detach(thread)
        #endif
    }

    /// Sends without waiting. A connection that is gone gives an error, and no signal.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.send(descriptor, bytes, count, sendFlags)
        #elseif canImport(Musl)
            Musl.send(descriptor, bytes, count, sendFlags)
        #else
            Darwin.send(descriptor, bytes, count, sendFlags)
        #endif
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    /// The words for a value of `errno`.
    static func text(_ number: Int32) -> String {
        String(cString: strerror(number))
    }
}

private final class Body: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    static func run(_ raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().body()
        return nil
    }
}
