package lavaflow.apiserver;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

import lavaflow.store.Store;

/** {@code /lavaflow/backup}: the whole store at one revision, as one file. Masters only, like every unlisted path. */
final class BackupEndpoint {
    private final Store store;

    BackupEndpoint(Store store) {
        this.store = store;
    }

    void handle(Exchange exchange) throws IOException {
        Path directory = Files.createTempDirectory("lava-backup");
        Path file = directory.resolve("backup");
        try {
            store.backup(file);
            exchange.setHeader("Content-Length", Long.toString(Files.size(file)));
            try (OutputStream out = exchange.stream(200, "application/octet-stream")) {
                Files.copy(file, out);
            }
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        }
    }
}
