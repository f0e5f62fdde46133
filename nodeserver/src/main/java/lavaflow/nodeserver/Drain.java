package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;

/**
 * The end of a conversation. A connection closed with something unread in it is reset, and what the other side has not read yet is lost: so
 * the client gets a moment to say its last words.
 */
final class Drain {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private Drain() {}

    /** Waits for the thread that reads from the client to see its end. */
    static void end(InputStream in, OutputStream out, Thread reader) {
        try {
            out.flush();
            if (!reader.join(PATIENCE)) {
                in.close();
            }
        } catch (IOException e) {
            // It is gone already.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
