package lavaflow;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import lavaflow.cli.Palette;
import lavaflow.linux.Terminal;
import lavaflow.scheduler.ClusterTally;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows how the cluster is at the foot of the terminal that {@code lava up} was started on, as long as somebody watches. Once a second
 * the scheduler is asked for numbers it has anyhow; nothing is listed or followed for it, and nothing is written while they stay the same.
 */
final class LiveStatus implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveStatus.class);
    private static final long PERIOD_MILLIS = 1000;
    private static final int STANDARD_OUTPUT = 1;
    private static final int USUAL_COLUMNS = 80;

    private final Supplier<@Nullable CompletableFuture<ClusterTally>> tallies;
    private final Palette palette;
    private final boolean visible;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final TerminalFoot foot = new TerminalFoot(out, LiveStatus::columns);
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable CompletableFuture<ClusterTally> asked;
    private @Nullable ClusterTally known;

    /**
     * One that shows what it is told.
     *
     * @param tallies asks how much there is of everything; null where nobody knows
     * @param visible whether there is a terminal to show it on
     */
    LiveStatus(Supplier<@Nullable CompletableFuture<ClusterTally>> tallies, Palette palette, boolean visible) {
        this.tallies = tallies;
        this.palette = palette;
        this.visible = visible;
    }

    /** On the terminal of this process, if it has one that can be drawn on. */
    static LiveStatus of(Supplier<@Nullable CompletableFuture<ClusterTally>> tallies, Palette palette) {
        return new LiveStatus(tallies, palette, Console.isTerminal() && canDraw(System.getenv("TERM")));
    }

    static boolean canDraw(@Nullable String terminal) {
        return terminal != null && !terminal.isEmpty() && !terminal.equals("dumb");
    }

    private static int columns() {
        try {
            int columns = Terminal.columns(STANDARD_OUTPUT);
            return columns == 0 ? USUAL_COLUMNS : columns;
        } catch (IOException e) {
            LOG.debug("nobody says how wide the terminal is", e);
            return USUAL_COLUMNS;
        }
    }

    /** What is logged goes above, where it goes to the same terminal. */
    private static boolean logsToTerminal() {
        Path descriptors = Path.of("/proc/self/fd");
        try {
            return Files.readSymbolicLink(descriptors.resolve("1"))
                    .equals(Files.readSymbolicLink(descriptors.resolve("2")));
        } catch (IOException e) {
            LOG.debug("nobody says where messages go", e);
            return true;
        }
    }

    /** Begins to show it, on a thread of its own: a terminal may be halted, and virtual threads would wait with it. */
    void start() {
        if (visible) {
            System.setOut(foot.above());
            if (logsToTerminal()) {
                System.setErr(foot.above());
            }
            Thread.ofPlatform().daemon().name("live status").start(this::run);
        }
    }

    private void run() {
        try {
            do {
                look();
            } while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            foot.close();
            LOG.warn("The state of the cluster is not shown any more: {}", e.toString());
        }
    }

    private void look() throws IOException, InterruptedException {
        ProgramUse program = ProgramUse.now();
        if (program.foreground()) {
            foot.show(new StatusLines(palette, columns()).of(tally(), program, Instant.now()));
        } else {
            foot.forget();
        }
    }

    /** What was told last, where the scheduler is too busy to answer at once; it is asked one question at a time. */
    private @Nullable ClusterTally tally() throws InterruptedException {
        CompletableFuture<ClusterTally> answer = asked == null ? tallies.get() : asked;
        asked = answer;
        if (answer != null) {
            try {
                known = answer.get(PERIOD_MILLIS / 2, TimeUnit.MILLISECONDS);
                asked = null;
            } catch (TimeoutException _) {
                LOG.trace("the scheduler is busy");
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
        return known;
    }

    /** Leaves the terminal as it would be without it. */
    @Override
    public void close() {
        closed.countDown();
        if (visible) {
            foot.close();
            System.setOut(out);
            System.setErr(err);
        }
    }
}
