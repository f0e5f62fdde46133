package lavaflow.sandbox;

import java.io.InputStream;
import java.io.OutputStream;

/** The streams of a process. Those nobody wished for are empty. */
public interface ProcessStreams extends AutoCloseable {
    OutputStream stdin();

    InputStream stdout();

    InputStream stderr();

    void resize(int columns, int rows);

    /** Waits for the end of the process. For an attachment: of the container or the attachment, then 0. */
    int await() throws InterruptedException;

    /** Ends what {@code exec} began; lets go of what was attached. */
    @Override
    void close();
}
