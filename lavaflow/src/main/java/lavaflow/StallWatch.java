package lavaflow;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when the program does not get to its work any more, and writes down what its threads do at that moment: whoever looks
 * later, when all is well again, finds nothing.
 */
final class StallWatch implements Pulse.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);
    /** Room for the beginnings of a few stalls; nobody reads more. */
    private static final int MOST_REPORTS = 5;

    private final Path reports;
    private final Duration patience;
    private int written;
    private @Nullable Stall stall;

    /** Work waits, since so long, and this was written down of it. */
    private record Stall(Duration waited, Usage before, Path report) {}

    StallWatch(Path reports) {
        this(reports, Duration.ofSeconds(5));
    }

    /**
     * A watch with other nerves.
     *
     * @param patience how long work may wait
     */
    StallWatch(Path reports, Duration patience) {
        this.reports = reports;
        this.patience = patience;
    }

    @Override
    public void late(Duration waited) {
        if (stall == null && written < MOST_REPORTS && waited.compareTo(patience) >= 0) {
            stall = new Stall(waited, Usage.now(), report());
        }
    }

    @Override
    public void began(Duration waited) {
        Stall over = stall;
        stall = null;
        if (over != null) {
            LOG.warn(
                    "Nothing was done for {} s. Of the time after the first {} s {}. What the threads did then: {}",
                    waited.toSeconds(),
                    over.waited.toSeconds(),
                    over.before.until(Usage.now()),
                    over.report);
        }
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
}
