import Glibc

/// Makes writing to a peer that has gone an error instead of the end of the process. The first event loop calls it; an executable
/// that writes before it has one calls it itself.
package func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}
