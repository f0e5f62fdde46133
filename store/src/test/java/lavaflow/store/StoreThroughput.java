package lavaflow.store;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Figures for the store on this machine, to be read, not asserted. Run its main method; the arguments are a directory on
 * the disk to measure, and the seconds of a run.
 */
final class StoreThroughput {

    private static final int VALUE_BYTES = 1_024;

    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Path directory;
    private final long runNanos;

    private StoreThroughput(Path directory, Duration run) {
        this.directory = directory;
        this.runNanos = run.toNanos();
    }

    public static void main(String[] arguments) throws Exception {
        Path parent = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("java.io.tmpdir"));
        Duration run = Duration.ofSeconds(arguments.length > 1 ? Long.parseLong(arguments[1]) : 3);
        StoreThroughput bench = new StoreThroughput(Files.createTempDirectory(parent, "store-throughput"), run);
        bench.puts(16, false, "warm-up");
        bench.disk();
        for (int producers : List.of(1, 16, 256)) {
            bench.puts(producers, false, "durable");
        }
        bench.puts(16, true, "relaxed");
        bench.recovery(100_000);
        bench.watchers(1_000, 10_000);
    }

    /** What the disk itself can do: the bound for a single producer. */
    private void disk() throws Exception {
        try (Disk.File file = Disk.real().create(directory.resolve("raw"))) {
            file.write(ByteBuffer.allocateDirect(64 << 20), 0);
            file.force(true);
            ByteBuffer block = ByteBuffer.allocateDirect(VALUE_BYTES);
            List<Long> latencies = new ArrayList<>();
            long end = System.nanoTime() + runNanos;
            for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
                file.write(block.clear(), (long) latencies.size() * VALUE_BYTES % (64 << 20));
                file.force(false);
                latencies.add(System.nanoTime() - start);
            }
            latencies.sort(null);
            out.printf(
                    "write + fdatasync of 1 KB alone: %,.0f/s  p50 %,d us  p99 %,d us%n",
                    latencies.size() * 1e9 / runNanos,
                    latencies.get(latencies.size() / 2) / 1_000,
                    latencies.get((int) (latencies.size() * 0.99)) / 1_000);
        }
    }

    private static long cpuNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
    }

    private static Content value() {
        byte[] bytes = new byte[VALUE_BYTES];
        Arrays.fill(bytes, (byte) 'x');
        return new Content(bytes, VALUE_BYTES / 2);
    }

    private void puts(int producers, boolean relaxed, String title) throws Exception {
        Path data = directory.resolve(title + producers);
        List<long[]> latencies = new ArrayList<>();
        try (Store store = Store.open(data, StoreOptions.defaults())) {
            List<Thread> threads = new ArrayList<>();
            long cpu = cpuNanos();
            long end = System.nanoTime() + runNanos;
            for (int producer = 0; producer < producers; producer++) {
                String prefix = "ns/" + producer + "-";
                long[] mine = new long[Math.max(20_000, 1_600_000 / producers)];
                latencies.add(mine);
                threads.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < mine.length; i++) {
                        long start = System.nanoTime();
                        if (start > end) {
                            return;
                        }
                        store.commit(new Mutation.Put("pods", prefix + i % 100, Mutation.ANY, value(), relaxed));
                        mine[i] = System.nanoTime() - start;
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            cpu = cpuNanos() - cpu;
            long[] all = latencies.stream()
                    .flatMapToLong(Arrays::stream)
                    .filter(nanos -> nanos > 0)
                    .sorted()
                    .toArray();
            StoreStatistics statistics = store.statistics();
            out.printf(
                    "%-8s %4d producers: %,9.0f puts/s  p50 %,6d us  p99 %,7d us  max %,8d us  batch %.1f  cpu %.1f us/put%n",
                    title,
                    producers,
                    all.length * 1e9 / runNanos,
                    all[all.length / 2] / 1_000,
                    all[(int) (all.length * 0.99)] / 1_000,
                    all[all.length - 1] / 1_000,
                    statistics.batchSizes().sum() / statistics.batchSizes().count(),
                    cpu / 1e3 / all.length);
        }
    }

    private void recovery(int objects) throws Exception {
        Path data = directory.resolve("recovery");
        try (Store store = Store.open(data, StoreOptions.defaults().withQueue(objects, 1L << 30))) {
            for (int i = 0; i < objects; i++) {
                var _ = store.submit(new Mutation.Put("pods", "ns/pod-" + i, Mutation.ABSENT, value(), false));
            }
            store.awaitRevision(objects, Duration.ofMinutes(5));
        }
        for (int i = 0; i < 3; i++) {
            System.gc();
            long before = usedBytes();
            long cpu = cpuNanos();
            long start = System.nanoTime();
            try (Store store = Store.open(data, StoreOptions.defaults())) {
                long opened = System.nanoTime();
                cpu = cpuNanos() - cpu;
                long count = store.snapshot().count("pods", "", null);
                long scanned = System.nanoTime();
                System.gc();
                out.printf(
                        "recovery of %,d objects: %,d ms (%,d ms cpu); scan %,d us; %,d bytes of heap an object%n",
                        count,
                        (opened - start) / 1_000_000,
                        cpu / 1_000_000,
                        (scanned - opened) / 1_000,
                        (usedBytes() - before) / count);
            }
        }
    }

    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private void watchers(int cursors, int changes) throws Exception {
        AtomicLong delivered = new AtomicLong();
        try (Store store = Store.open(directory.resolve("watchers"), StoreOptions.defaults())) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < cursors; i++) {
                Cursor cursor = store.watch("pods", "", null, 0);
                threads.add(Thread.startVirtualThread(() -> {
                    try (cursor) {
                        for (long seen = 0; seen < changes; ) {
                            int size =
                                    cursor.poll(Duration.ofMinutes(1)).changes().size();
                            seen += size;
                            delivered.addAndGet(size);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }));
            }
            long cpu = cpuNanos();
            long start = System.nanoTime();
            for (int i = 0; i < changes; i++) {
                store.commit(new Mutation.Put("pods", "ns/" + i % 100, Mutation.ANY, value(), false));
            }
            long written = System.nanoTime();
            for (Thread thread : threads) {
                thread.join();
            }
            long end = System.nanoTime();
            out.printf(
                    "%,d watchers: %,d changes by one producer in %,d ms, %,d deliveries %,d ms later, cpu %,d ms%n",
                    cursors,
                    changes,
                    (written - start) / 1_000_000,
                    delivered.get(),
                    (end - written) / 1_000_000,
                    (cpuNanos() - cpu) / 1_000_000);
        }
    }
}
