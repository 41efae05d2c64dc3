#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Starts a program as a child that cannot outlive the thread that started it: the kernel sends it death_signal when that
 * thread ends, which posix_spawn cannot ask for. The child stands in a process group of its own, so that Ctrl-C on a
 * terminal reaches only the parent, which stops its children in order. Descriptors above 2 are closed. Between fork and
 * execve only async-signal-safe calls are made. Returns -1 with errno set if fork fails; exits 127 if execve does.
 */
static inline pid_t tintype_spawn(const char *path, char *const argv[], char *const envp[], int output, int death_signal) {
    pid_t parent = getpid();
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t child = fork();
    if (child != 0) {
        int failure = errno;
        sigprocmask(SIG_SETMASK, &before, 0);
        errno = failure;
        return child;
    }
    prctl(PR_SET_PDEATHSIG, death_signal);
    if (getppid() != parent) _exit(127);
    setpgid(0, 0);
    if (output >= 0) dup2(output, 1);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, 0);
    close_range(3, ~0U, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    execve(path, argv, envp);
    _exit(127);
}
