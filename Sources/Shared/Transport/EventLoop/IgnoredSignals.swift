import Glibc

/// Makes writing to a peer that has gone an error instead of the end of the process. The first event loop calls it; an executable
/// that writes before it has one calls it itself.
package func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}

/// Makes signals that mean nothing to a server mean nothing: what rotates logs sends SIGUSR1 or SIGUSR2 to whatever it knows, and each of these
/// would end the process at once, drained or not. For servers, before they begin.
package func ignoreStraySignals() {
    for stray in [SIGUSR1, SIGUSR2, SIGALRM] { signal(stray, SIG_IGN) }
}
