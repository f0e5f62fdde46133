package lavaflow;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when the program does not get to its work any more, and writes down what its threads do at that moment: whoever looks
 * later, when all is well again, finds nothing. Everything is done by virtual threads, so one that does not begin is the sign.
 */
final class StallWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);
    /** Room for the beginnings of a few stalls; nobody reads more. */
    private static final int MOST_REPORTS = 5;

    private final Path reports;
    private final Executor work;
    private final Duration patience;
    private final CountDownLatch closed = new CountDownLatch(1);
    private int written;

    StallWatch(Path reports) {
        this(reports, Thread::startVirtualThread, Duration.ofSeconds(5));
    }

    /**
     * A watch over something else.
     *
     * @param work what has to begin in time
     */
    StallWatch(Path reports, Executor work, Duration patience) {
        this.reports = reports;
        this.work = work;
        this.patience = patience;
    }

    /** A thread of its own: a virtual one would wait with all the others. */
    void start() {
        Thread.ofPlatform().name("stall watch").daemon().start(this::run);
    }

    private void run() {
        try {
            while (written < MOST_REPORTS && !closed.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives the program something to do, and waits until it has done it. */
    private void look() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        long since = System.nanoTime();
        work.execute(begun::countDown);
        if (begun.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            return;
        }
        Usage before = Usage.now();
        Path report = report();
        while (!begun.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            if (closed.getCount() == 0) {
                return;
            }
        }
        LOG.warn(
                "Nothing was done for {} s. Of the time after the first {} s {}. What the threads did then: {}",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since),
                patience.toSeconds(),
                before.until(Usage.now()),
                report);
    }

    /** Where it says what all threads do. */
    private Path report() {
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString().replace(":", "");
        Path file = reports.resolve("stall-" + time + "-" + ++written + ".txt");
        try {
            Files.createDirectories(reports);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        } catch (IOException e) {
            LOG.warn("What the threads did could not be written to {}: {}", file, e.getMessage());
        }
        return file;
    }

    /** What was used of the processor until now, in milliseconds. */
    private record Usage(long processor, long collecting) {
        static Usage now() {
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            return new Usage(
                    TimeUnit.NANOSECONDS.toMillis(system.getProcessCpuTime()),
                    ManagementFactory.getGarbageCollectorMXBeans().stream()
                            .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                            .sum());
        }

        String until(Usage later) {
            return (later.processor - processor) + " ms of a processor were used and " + (later.collecting - collecting)
                    + " ms went to collecting memory";
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
