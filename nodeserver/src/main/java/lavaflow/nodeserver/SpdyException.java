package lavaflow.nodeserver;

import java.io.IOException;

/** The other side does not speak SPDY/3.1, or not within bounds. */
final class SpdyException extends IOException {
    private static final long serialVersionUID = 1;

    SpdyException(String message) {
        super(message);
    }
}
