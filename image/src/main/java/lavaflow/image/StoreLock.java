package lavaflow.image;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One change at a time, among the threads of this process and among processes. */
final class StoreLock {
    /** The locks of files are between processes only, and a second one in the same process is an error. */
    private static final Map<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

    private final Path file;
    private final ReentrantLock threads;

    interface Change<T, E extends Exception> {
        T make() throws IOException, E;
    }

    StoreLock(Path file) {
        this.file = file;
        this.threads = THREADS.computeIfAbsent(file.toAbsolutePath().normalize(), _ -> new ReentrantLock());
    }

    <T, E extends Exception> T locked(Change<T, E> change) throws IOException, E {
        threads.lock();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            return change.make();
        } finally {
            threads.unlock();
        }
    }
}
