import Glibc

/// Makes writing to a peer that has gone an error instead of the end of the process. Every executable calls it first.
package func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}
