package lavaflow.image;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Where things are made before they are visible. Each job has a directory with a locked file; the lock ends with the process,
 * however that ends, so what was left half done is told from what is being done. The file names the layers the job counts on:
 * nobody deletes those meanwhile.
 */
final class WorkArea {
    private static final String LEASE = "lease";
    /** The jobs of this process: closing a file anywhere in a process gives up all locks the process has on it. */
    private static final Map<Path, Set<String>> OWN = new ConcurrentHashMap<>();

    private final Path directory;
    private final Path former;

    /**
     * @param former where earlier versions did the same; what they left is swept, too
     */
    WorkArea(Path directory, Path former) {
        this.directory = directory;
        this.former = former;
    }

    /** A job under way. */
    static final class Job implements AutoCloseable {
        private final Path directory;
        private final FileChannel channel;
        private int next;

        private Job(Path directory, FileChannel channel) {
            this.directory = directory;
            this.channel = channel;
        }

        /** A name for something new in the job's directory. */
        synchronized Path place() {
            return directory.resolve(Integer.toString(next++));
        }

        /** Counts on a layer from now on, whether it is there already or not. */
        synchronized void lease(String layer) throws IOException {
            OWN.getOrDefault(directory, Set.of()).add(layer);
            channel.write(StandardCharsets.US_ASCII.encode(layer + "\n"));
        }

        @Override
        public void close() throws IOException {
            try (channel) {
                FileTrees.delete(directory);
            } finally {
                OWN.remove(directory);
            }
        }
    }

    /** Begins a job. Called while the store is locked, so that no sweep sees its directory before its lock. */
    Job begin() throws IOException {
        Path place = directory.toAbsolutePath().resolve(UUID.randomUUID().toString());
        OWN.put(place, ConcurrentHashMap.newKeySet());
        Files.createDirectories(place);
        FileChannel channel =
                FileChannel.open(place.resolve(LEASE), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            channel.lock();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return new Job(place, channel);
    }

    /** Deletes what jobs that are no more have left; returns the layers that running jobs count on. */
    Set<String> sweep() throws IOException {
        Set<String> leased = sweep(directory);
        leased.addAll(sweep(former));
        try {
            Files.deleteIfExists(former);
        } catch (DirectoryNotEmptyException e) {
            // A process of the version before is at work there.
            return leased;
        }
        return leased;
    }

    private static Set<String> sweep(Path directory) throws IOException {
        Set<String> leased = new HashSet<>();
        if (!Files.isDirectory(directory)) {
            return leased;
        }
        try (DirectoryStream<Path> jobs = Files.newDirectoryStream(directory.toAbsolutePath())) {
            for (Path job : jobs) {
                Set<String> own = OWN.get(job);
                Collection<String> lease = own != null ? own : leaseOf(job);
                if (lease == null) {
                    FileTrees.delete(job);
                } else {
                    leased.addAll(lease);
                }
            }
        }
        return leased;
    }

    /** What a running job counts on; null where nobody runs it. */
    private static @Nullable List<String> leaseOf(Path job) throws IOException {
        Path file = job.resolve(LEASE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null ? Files.readAllLines(file) : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
