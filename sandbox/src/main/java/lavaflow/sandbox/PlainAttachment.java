package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

import lavaflow.linux.ProcessWatch;

/** The streams of a plain container's program, as they come into its log. */
final class PlainAttachment implements ProcessStreams {
    private final PlainContainer container;
    private final PlainLog.Listener listener;
    private final ReceivedStream stdout = new ReceivedStream();
    private final ReceivedStream stderr = new ReceivedStream();
    private final OutputStream stdin;
    private final CountDownLatch ended = new CountDownLatch(1);

    PlainAttachment(PlainContainer container, StreamWishes wishes, ProcessWatch processes) throws SandboxException {
        this.container = container;
        listener = (stream, bytes) -> {
            if (stream.equals("stdout") && wishes.stdout()) {
                stdout.receive(bytes, 0);
            } else if (stream.equals("stderr") && wishes.stderr()) {
                stderr.receive(bytes, 0);
            }
        };
        Path pipe = container.directory().resolve("stdin");
        try {
            stdin = wishes.stdin() && Files.exists(pipe)
                    ? Files.newOutputStream(pipe, java.nio.file.StandardOpenOption.WRITE)
                    : OutputStream.nullOutputStream();
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
        container.log().add(listener);
        processes.add(container.supervisorPid(), this::end);
    }

    private void end() {
        container.log().copy(true);
        container.log().remove(listener);
        stdout.end();
        stderr.end();
        ended.countDown();
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public InputStream stdout() {
        return stdout;
    }

    @Override
    public InputStream stderr() {
        return stderr;
    }

    /** Plain programs have no terminal. */
    @Override
    public void resize(int columns, int rows) {}

    @Override
    public int await() throws InterruptedException {
        ended.await();
        return 0;
    }

    @Override
    public void close() {
        container.log().remove(listener);
        stdout.close();
        stderr.close();
        ended.countDown();
        try {
            stdin.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
