#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
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

/* Doors to calls that Swift cannot make: variadic functions and the macros around control messages. */

#include <stdint.h>
#include <sys/syscall.h>

/* Bytes written to a socket that the other side has not received (tcp(7), unix(7)); 0 where that cannot be told. */
#include <asm/ioctls.h>
static inline int tintype_unreceived(int socket) {
    int count = 0;
    return syscall(SYS_ioctl, socket, TIOCOUTQ, &count) == 0 ? count : 0;
}

static inline int tintype_prctl(int option, unsigned long value) { return prctl(option, value, 0, 0, 0); }

#include <linux/openat2.h>

/* Opens a file for reading below the folder `root`: the kernel refuses every way out, by "..", an absolute path or a link. */
static inline int tintype_open_beneath(int root, const char *path) {
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

static inline int tintype_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/* One packet with at most one descriptor (-1: none). Returns what sendmsg returns; never raises SIGPIPE. */
static inline long tintype_send_packet(int socket, const void *bytes, size_t length, int descriptor, int flags) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

/* One packet into bytes; its descriptor, close-on-exec, or -1 into *descriptor. A packet that was cut short is -1 with EMSGSIZE. */
static inline long tintype_receive_packet(int socket, void *bytes, size_t room, int *descriptor, int flags) {
    struct iovec part = {.iov_base = bytes, .iov_len = room};
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    *descriptor = -1;
    long count = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (count < 0) return count;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header))
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    if (message.msg_flags & MSG_TRUNC) {
        if (*descriptor >= 0) close(*descriptor);
        *descriptor = -1;
        errno = EMSGSIZE;
        return -1;
    }
    return count;
}

/* For tests of a pixel process's walls: these never succeed there. */
static inline int tintype_fork(void) { return (int)fork(); }
static inline int tintype_exec_true(void) {
    char *arguments[] = {"true", NULL};
    return execv("/bin/true", arguments);
}
