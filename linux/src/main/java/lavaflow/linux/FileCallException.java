package lavaflow.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The kernel refused a call about a file. */
public final class FileCallException extends IOException {
    private static final long serialVersionUID = 1;
    private static final int NOT_PERMITTED = 1;
    private static final int NO_ENTRY = 2;
    private static final int NO_DEVICE = 6;
    private static final int NO_ACCESS = 13;
    private static final int EXISTS = 17;
    private static final int NO_DIRECTORY = 20;
    private static final int NO_SPACE = 28;
    private static final int NAME_TOO_LONG = 36;
    private static final int NO_DATA = 61;
    private static final int NOT_SUPPORTED = 95;
    private static final int QUOTA = 122;

    private final int code;

    FileCallException(String path, int code) {
        super(new String(path.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8) + ": " + text(code));
        this.code = code;
    }

    private static String text(int code) {
        return switch (code) {
            case NOT_PERMITTED -> "operation not permitted";
            case NO_ENTRY -> "no such file or directory";
            case NO_DEVICE -> "no such device or address";
            case NO_ACCESS -> "permission denied";
            case EXISTS -> "file exists";
            case NO_DIRECTORY -> "not a directory";
            case NO_SPACE -> "no space left on device";
            case NAME_TOO_LONG -> "file name too long";
            case NOT_SUPPORTED -> "operation not supported";
            case QUOTA -> "disk quota exceeded";
            default -> "error " + code;
        };
    }

    static boolean isAbsent(int code) {
        return code == NO_ENTRY || code == NO_DIRECTORY;
    }

    static boolean isAbsentAttribute(int code) {
        return code == NO_DATA || code == NOT_SUPPORTED;
    }

    /** Nothing that will ever work here, rather than something wrong with the file. */
    public boolean isRefused() {
        return code == NOT_PERMITTED || code == NO_ACCESS || code == NOT_SUPPORTED;
    }

    public boolean isFull() {
        return code == NO_SPACE || code == QUOTA;
    }

    public boolean isNameTooLong() {
        return code == NAME_TOO_LONG;
    }
}
