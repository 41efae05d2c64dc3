import Glibc

/// Starts a detached thread that runs `body` once. `top -H` and debuggers show `name` (15 bytes are kept).
func startThread(name: String, _ body: @escaping @Sendable () -> Void) {
    final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
    let failure = pthread_create(
        &thread, nil,
        { context in
            let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
            pthread_setname_np(pthread_self(), start.name)
            start.body()
            return nil
        }, start.toOpaque())
    precondition(failure == 0, "cannot start a thread: \(failure)")
    pthread_detach(thread)
}
