package lavaflow.volume;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.linux.FileTree;

/**
 * How much directories of pods take on disk. Looking at all files takes time, so the answer is kept for a hundred times as long
 * as it took to find; and where there are very many files, the first million of them must do.
 */
public final class DiskUsage {
    private static final int MOST_FILES = 1_000_000;
    private static final Duration LEAST_AGE = Duration.ofSeconds(10);
    private static final int REST = 100;

    private record Key(String podUid, Path directory) {}

    private record Measured(FileTree.Space space, long nanoTime, long tookNanos) {}

    private final LongSupplier nanoTime;
    private final Map<Key, Measured> known = new ConcurrentHashMap<>();

    public DiskUsage() {
        this(System::nanoTime);
    }

    DiskUsage(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    public FileTree.Space of(String podUid, Path directory) {
        Key key = new Key(podUid, directory);
        long now = nanoTime.getAsLong();
        Measured last = known.get(key);
        if (last != null && now - last.nanoTime() < Math.max(LEAST_AGE.toNanos(), REST * last.tookNanos())) {
            return last.space();
        }
        FileTree.Space space = FileTree.measure(directory, MOST_FILES);
        known.put(key, new Measured(space, now, nanoTime.getAsLong() - now));
        return space;
    }

    public void forget(String podUid) {
        known.keySet().removeIf(key -> key.podUid().equals(podUid));
    }
}
