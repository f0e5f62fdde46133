package lavaflow.nodeserver;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Wakes those who wait for something to be written in a directory. One watch of the system's for all of them, which is there only while
 * somebody waits. Safe for all threads.
 */
final class LogWatch {
    private static final LogWatch SHARED = new LogWatch();

    private record Watched(WatchKey key, List<Runnable> wakes) {}

    private final Map<Path, Watched> directories = new HashMap<>();
    private @Nullable WatchService service;

    /** No longer wanted. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    static Registration watch(Path directory, Runnable wake) throws IOException {
        SHARED.add(directory, wake);
        return () -> SHARED.remove(directory, wake);
    }

    private synchronized void add(Path directory, Runnable wake) throws IOException {
        WatchService open = service;
        if (open == null) {
            WatchService opened = FileSystems.getDefault().newWatchService();
            service = opened;
            open = opened;
            Thread.ofVirtual().name("log watch").start(() -> run(opened));
        }
        Watched watched = directories.get(directory);
        if (watched == null) {
            try {
                WatchKey key = directory.register(
                        open, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
                watched = new Watched(key, new ArrayList<>());
                directories.put(directory, watched);
            } catch (IOException e) {
                closeIfUnused();
                throw e;
            }
        }
        watched.wakes().add(wake);
    }

    private synchronized void remove(Path directory, Runnable wake) {
        Watched watched = directories.get(directory);
        if (watched == null || !watched.wakes().remove(wake) || !watched.wakes().isEmpty()) {
            return;
        }
        watched.key().cancel();
        directories.remove(directory);
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (directories.isEmpty() && service != null) {
            try {
                service.close();
            } catch (IOException e) {
                // Nothing is lost with it.
            }
            service = null;
        }
    }

    private void run(WatchService opened) {
        try {
            while (true) {
                WatchKey key = opened.take();
                key.pollEvents();
                key.reset();
                wakes(key).forEach(Runnable::run);
            }
        } catch (ClosedWatchServiceException e) {
            // Nobody waits any more.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized List<Runnable> wakes(WatchKey key) {
        for (Watched watched : directories.values()) {
            if (watched.key().equals(key)) {
                return List.copyOf(watched.wakes());
            }
        }
        return List.of();
    }
}
