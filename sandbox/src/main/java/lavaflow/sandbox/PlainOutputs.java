package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Copies the output of all plain containers into their logs as it comes. */
final class PlainOutputs implements AutoCloseable {
    private final WatchService service;
    private final Thread thread;
    private final Map<WatchKey, PlainContainer> watched = new ConcurrentHashMap<>();

    PlainOutputs() throws IOException {
        service = FileSystems.getDefault().newWatchService();
        thread = Thread.ofVirtual().name("plain outputs").start(this::run);
    }

    void add(PlainContainer container) {
        try {
            WatchKey key = container.directory().register(service, StandardWatchEventKinds.ENTRY_MODIFY);
            watched.put(key, container);
            container.log().copy(false);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    void remove(PlainContainer container) {
        watched.entrySet().removeIf(entry -> {
            boolean found = entry.getValue().equals(container);
            if (found) {
                entry.getKey().cancel();
            }
            return found;
        });
    }

    private void run() {
        try {
            while (true) {
                WatchKey key = service.take();
                PlainContainer container = watched.get(key);
                boolean output = key.pollEvents().stream()
                        .anyMatch(event -> event.context() == null
                                || event.context().toString().matches("stdout|stderr"));
                if (container != null && output) {
                    container.log().copy(false);
                }
                key.reset();
            }
        } catch (ClosedWatchServiceException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when nothing is copied any more, for somebody else may go on with it. */
    @Override
    public void close() {
        try {
            service.close();
            thread.join();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
