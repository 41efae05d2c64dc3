#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
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

/* The kind of file system of an open file, a number of linux/magic.h; 0 where that cannot be told. */
#include <sys/statfs.h>
static inline uint32_t tintype_file_system(int descriptor) {
    struct statfs facts;
    return fstatfs(descriptor, &facts) == 0 ? (uint32_t)facts.f_type : 0;
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

/*
 * One packet into bytes; its descriptor, close-on-exec, or -1 into *descriptor. Where descriptor is NULL none is taken: the kernel closes what
 * comes. A packet that was cut short, or that carries more than it may, is -1 with EMSGSIZE, and nothing of it is kept.
 * The room for control messages has no padding: the kernel would fill that with a second descriptor.
 */
static inline long tintype_receive_packet(int socket, void *bytes, size_t room, int *descriptor, int flags) {
    struct iovec part = {.iov_base = bytes, .iov_len = room};
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor) {
        *descriptor = -1;
        message.msg_control = control.room;
        message.msg_controllen = CMSG_LEN(sizeof(int));
    }
    long count = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (count < 0) return count;
    int isWrong = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    for (struct cmsghdr *header = descriptor ? CMSG_FIRSTHDR(&message) : NULL; header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) { isWrong = 1; continue; }
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= header->cmsg_len; at += sizeof(int)) {
            int found;
            memcpy(&found, (char *)header + at, sizeof found);
            if (*descriptor >= 0) { close(found); isWrong = 1; } else *descriptor = found;
        }
    }
    /* The end of a conversation has no bytes and no descriptor. */
    if (count == 0 && descriptor && *descriptor >= 0) isWrong = 1;
    if (!isWrong) return count;
    if (descriptor && *descriptor >= 0) { close(*descriptor); *descriptor = -1; }
    errno = EMSGSIZE;
    return -1;
}

/* fstat by its own system call: glibc before 2.39 takes newfstatat, which a pixel process may not call. */
#include <sys/stat.h>
static inline int tintype_fstat(int descriptor, struct stat *facts) { return (int)syscall(SYS_fstat, descriptor, facts); }

/* Limits of a pixel process, beside seccomp. Each returns 0, or the errno of the call that failed. */

#include <linux/capability.h>
#include <sched.h>

/* Namespaces of its own for users, networks and IPC. Only while the process has one thread. */
static inline int tintype_unshare_namespaces(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0 ? 0 : errno; }

/* Gives up all capabilities of the calling thread but those in kept, a mask of the first 32. */
static inline int tintype_drop_capabilities(uint32_t kept) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0) return errno;
    data[0].effective &= kept, data[0].permitted &= kept, data[0].inheritable = 0;
    data[1].effective = 0, data[1].permitted = 0, data[1].inheritable = 0;
    return syscall(SYS_capset, &header, data) == 0 ? 0 : errno;
}

/* Makes a removed, empty folder the root of the whole process: no path leads anywhere from then on. */
static inline int tintype_leave_files(void) {
    char name[] = "/tmp/tintype-XXXXXX";
    if (!mkdtemp(name)) return errno;
    int folder = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int number = folder < 0 ? errno : 0;
    if (rmdir(name) != 0 && number == 0) number = errno;
    if (number == 0 && (fchdir(folder) != 0 || chroot(".") != 0)) number = errno;
    if (folder >= 0) close(folder);
    return number;
}

/* Landlock by its numbers: the headers of Debian 12 are older than most of them. */
struct tintype_landlock_ruleset { uint64_t files, network, scopes; };

/* The calling thread, and those that it starts, open no file at all. */
static inline int tintype_landlock_files(void) {
    long version = syscall(444, NULL, 0, 1);
    if (version < 0) return errno;
    struct tintype_landlock_ruleset rules = {.files = 0x1fff};
    if (version >= 2) rules.files |= 1 << 13;
    if (version >= 3) rules.files |= 1 << 14;
    if (version >= 5) rules.files |= 1 << 15;
    int ruleset = (int)syscall(444, &rules, sizeof rules.files, 0);
    if (ruleset < 0) return errno;
    /* From version 8 on all threads at once. */
    int number = syscall(446, ruleset, version >= 8 ? 8 : 0) == 0 ? 0 : errno;
    close(ruleset);
    return number;
}

/* The calling thread, and those that it starts, run no program, use no TCP and signal nobody outside. For a process with one thread. */
static inline int tintype_landlock_programs(void) {
    long version = syscall(444, NULL, 0, 1);
    if (version < 0) return errno;
    struct tintype_landlock_ruleset rules = {.files = 1, .network = version >= 4 ? 3 : 0, .scopes = version >= 6 ? 3 : 0};
    int ruleset = (int)syscall(444, &rules, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0);
    if (ruleset < 0) return errno;
    int number = syscall(446, ruleset, 0) == 0 ? 0 : errno;
    close(ruleset);
    return number;
}

/* For tests of a limits of a pixel process: these never succeed there. */
static inline int tintype_set_owner(int descriptor, int process) { return fcntl(descriptor, F_SETOWN, process); }
static inline int tintype_set_signal(int descriptor, int number) { return fcntl(descriptor, F_SETSIG, number); }
static inline int tintype_seal(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL); }
static inline int tintype_set_affinity(int process) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return (int)syscall(SYS_sched_setaffinity, process, sizeof set, &set);
}
static inline int tintype_set_scheduling(int process) {
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t rest; uint64_t more[3]; } attributes = {.size = 48};
    return (int)syscall(SYS_sched_setattr, process, &attributes, 0);
}
static inline int tintype_stat_path(const char *path, int flags) {
    struct stat facts;
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, &facts, flags);
}
static inline int tintype_statx_path(const char *path, int flags) {
    struct statx facts;
    return (int)syscall(SYS_statx, AT_FDCWD, path, flags, STATX_BASIC_STATS, &facts);
}
/* One packet with so many copies of a descriptor. */
static inline long tintype_send_copies(int socket, const void *bytes, size_t length, int descriptor, int copies) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    union { struct cmsghdr header; char room[CMSG_SPACE(8 * sizeof(int))]; } control = {.room = {0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = CMSG_SPACE(copies * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(copies * sizeof(int));
    for (int index = 0; index < copies; index++) memcpy(CMSG_DATA(header) + index * sizeof(int), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}
static inline int tintype_fork(void) { return (int)fork(); }
static inline int tintype_exec_true(void) {
    char *arguments[] = {"true", NULL};
    return execv("/bin/true", arguments);
}
