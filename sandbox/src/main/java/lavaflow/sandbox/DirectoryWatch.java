package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of every file that appears in a directory, by its name; also twice. Nothing is asked for again and again. */
final class DirectoryWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryWatch.class);

    private final Path directory;
    private final WatchService service;
    private final Consumer<String> listener;

    DirectoryWatch(Path directory, Consumer<String> listener) throws IOException {
        this.directory = directory;
        this.listener = listener;
        service = directory.getFileSystem().newWatchService();
        directory.register(service, StandardWatchEventKinds.ENTRY_CREATE);
        Thread.ofVirtual().name("watch " + directory.getFileName()).start(this::run);
    }

    private void run() {
        try {
            while (true) {
                WatchKey key = service.take();
                for (WatchEvent<?> event : key.pollEvents()) {
                    if (event.kind().equals(StandardWatchEventKinds.OVERFLOW)) {
                        present().forEach(this::tell);
                    } else if (event.context() instanceof Path name) {
                        tell(name.toString());
                    }
                }
                if (!key.reset()) {
                    return;
                }
            }
        } catch (ClosedWatchServiceException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(String name) {
        try {
            listener.accept(name);
        } catch (RuntimeException e) {
            LOG.error("{} in {}", name, directory, e);
        }
    }

    List<String> present() {
        try {
            return names(directory);
        } catch (IOException e) {
            LOG.error("cannot read {}", directory, e);
            return List.of();
        }
    }

    /** What is in a directory, in order. */
    static List<String> names(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (var stream = Files.newDirectoryStream(directory)) {
            stream.forEach(path -> names.add(path.getFileName().toString()));
        }
        names.sort(null);
        return names;
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            LOG.debug("{}", directory, e);
        }
    }
}
