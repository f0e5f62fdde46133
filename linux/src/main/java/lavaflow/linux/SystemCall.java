package lavaflow.linux;

/** System calls with their numbers on x86-64 and on the processors whose table is the common one (arm64, riscv64). */
enum SystemCall {
    READ(0, 63),
    WRITE(1, 64),
    CLOSE(3, 57),
    LSEEK(8, 62),
    PPOLL(271, 73),
    IOCTL(16, 29),
    SOCKET(41, 198),
    CONNECT(42, 203),
    SHUTDOWN(48, 210),
    BIND(49, 200),
    LISTEN(50, 201),
    GETSOCKNAME(51, 204),
    SETSOCKOPT(54, 208),
    KILL(62, 129),
    FCNTL(72, 25),
    FCHMOD(91, 52),
    STATFS(137, 43),
    EXECVE(59, 221),
    WAIT4(61, 260),
    MOUNT(165, 40),
    UMOUNT2(166, 39),
    SETHOSTNAME(170, 161),
    GETTID(186, 178),
    SETXATTR(188, 5),
    GETDENTS64(217, 61),
    OPENAT(257, 56),
    MKNODAT(259, 33),
    UNLINKAT(263, 35),
    UNSHARE(272, 97),
    EPOLL_CREATE1(291, 20),
    EPOLL_CTL(233, 21),
    EPOLL_PWAIT(281, 22),
    EVENTFD2(290, 19),
    DUP3(292, 24),
    PIPE2(293, 59),
    PRLIMIT64(302, 261),
    SETNS(308, 268),
    STATX(332, 291),
    PIDFD_SEND_SIGNAL(424, 424),
    PIDFD_OPEN(434, 434),
    CLOSE_RANGE(436, 436),
    OPENAT2(437, 437),
    MOUNT_SETATTR(442, 442);

    private static final boolean X86 = System.getProperty("os.arch", "").equals("amd64");

    private final int x86;
    private final int common;

    SystemCall(int x86, int common) {
        this.x86 = x86;
        this.common = common;
    }

    int number() {
        return X86 ? x86 : common;
    }
}
