package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import lavaflow.linux.Child;
import lavaflow.linux.Duplex;
import lavaflow.linux.OpenFile;
import lavaflow.linux.Signals;
import lavaflow.linux.Terminal;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command that runs beside a container's program, and can be ended with all it has started. */
final class Execution implements ProcessStreams {
    private static final Logger LOG = LoggerFactory.getLogger(Execution.class);

    /** Something that may fail. */
    interface Step {
        void take() throws IOException;
    }

    /** Whether the errors of a command come with its output. */
    enum Errors {
        APART,
        WITH_OUTPUT
    }

    private final String name;
    private final Step killAll;
    private final Step cleanUp;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final List<AutoCloseable> resources = new ArrayList<>();

    private OutputStream stdin = OutputStream.nullOutputStream();
    private InputStream stdout = InputStream.nullInputStream();
    private InputStream stderr = InputStream.nullInputStream();
    private @Nullable Duplex terminal;
    private @Nullable Child child;

    /**
     * A command to be.
     *
     * @param killAll kills all its processes
     * @param cleanUp is done when it is no longer needed
     */
    Execution(String name, Step killAll, Step cleanUp) {
        this.name = name;
        this.killAll = killAll;
        this.cleanUp = cleanUp;
    }

    void start(List<String> arguments, List<String> environment, StreamWishes wishes, Errors errors)
            throws IOException {
        Child started = wishes.tty()
                ? startOnTerminal(arguments, environment)
                : startOnPipes(arguments, environment, wishes, errors);
        child = started;
        started.whenEnded(ended::complete);
    }

    CompletableFuture<Integer> ended() {
        return ended;
    }

    private Child startOnPipes(List<String> arguments, List<String> environment, StreamWishes wishes, Errors errors)
            throws IOException {
        List<@Nullable OpenFile> theirs = new ArrayList<@Nullable OpenFile>();
        java.util.Collections.addAll(theirs, null, null, null);
        try {
            if (wishes.stdin()) {
                OpenFile[] pipe = OpenFile.pipe();
                theirs.set(0, pipe[0]);
                stdin = keep(pipe[1].intoOutput());
            }
            if (wishes.stdout()) {
                OpenFile[] pipe = OpenFile.pipe();
                theirs.set(1, pipe[1]);
                stdout = keep(pipe[0].intoInput());
            }
            if (errors == Errors.WITH_OUTPUT) {
                theirs.set(2, theirs.get(1));
            } else if (wishes.stderr()) {
                OpenFile[] pipe = OpenFile.pipe();
                theirs.set(2, pipe[1]);
                stderr = keep(pipe[0].intoInput());
            }
            return Child.start(arguments, environment, theirs);
        } finally {
            for (OpenFile file : theirs) {
                if (file != null) {
                    file.close();
                }
            }
        }
    }

    private <T extends AutoCloseable> T keep(T resource) {
        resources.add(resource);
        return resource;
    }

    private Child startOnTerminal(List<String> arguments, List<String> environment) throws IOException {
        Terminal opened = Terminal.open();
        ReceivedStream received = new ReceivedStream();
        Child started;
        try {
            started = Child.startOnTerminal(arguments, environment, opened.name());
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        Duplex duplex = opened.intoDuplex(bytes -> received.receive(bytes, 0), received::end);
        terminal = keep(duplex);
        stdout = keep(received);
        stdin = duplex.output(4096, () -> {});
        return started;
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

    @Override
    public void resize(int columns, int rows) {
        Duplex opened = terminal;
        if (opened != null) {
            try {
                opened.resize(columns, rows);
            } catch (IOException e) {
                LOG.debug("cannot resize {}", name, e);
            }
        }
    }

    @Override
    public int await() throws InterruptedException {
        try {
            return ended.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Ends the command with all it has started; whatever it left behind after its own end stays, as with every engine. */
    void end() {
        Child running = child;
        if (ended.isDone() || running == null) {
            return;
        }
        try {
            killAll.take();
            Signals.send(running.pid(), Signals.KILL);
        } catch (IOException e) {
            LOG.warn("cannot end {}", name, e);
        }
    }

    @Override
    public void close() {
        end();
        finish();
    }

    private void finish() {
        for (AutoCloseable resource : resources) {
            try {
                resource.close();
            } catch (Exception e) {
                LOG.debug("{}", name, e);
            }
        }
        try {
            cleanUp.take();
        } catch (IOException e) {
            LOG.debug("{}", name, e);
        }
    }
}
