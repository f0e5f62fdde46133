package lavaflow.linux;

import java.io.IOException;

/** The kernel refused a call. */
public final class SystemException extends IOException {
    private static final long serialVersionUID = 1;

    private final int code;

    SystemException(String what, int code) {
        super(what + ": " + CLibrary.describe(code));
        this.code = code;
    }

    /** The number of the error, see {@link ErrorCode}. */
    public int code() {
        return code;
    }

    public boolean is(int errorCode) {
        return code == errorCode;
    }
}
