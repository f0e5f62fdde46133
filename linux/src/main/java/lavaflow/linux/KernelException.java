package lavaflow.linux;

import java.io.IOException;

/** What the kernel refused, with its number for those who expect some refusals. */
public final class KernelException extends IOException {
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;

    private final int errno;

    public KernelException(String what, int errno, String meaning) {
        super(what + ": " + meaning);
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
