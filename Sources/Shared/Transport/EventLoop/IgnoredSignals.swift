import Glibc

/// Turns writing to a closed peer into an error instead of the end of the process. The first event loop calls it. An executable that writes before it
/// has a loop calls it itself.
package func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}

/// Ignores signals without meaning for a server. Log rotation sends SIGUSR1 or SIGUSR2 to any process it knows, and each of these would end the process
/// at once, without a drain. Servers call it before they start.
package func ignoreStraySignals() {
    for stray in [SIGUSR1, SIGUSR2, SIGALRM] { signal(stray, SIG_IGN) }
}
