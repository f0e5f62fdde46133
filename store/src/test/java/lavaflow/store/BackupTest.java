package lavaflow.store;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.store.Contents.add;
import static lavaflow.store.Contents.committed;
import static lavaflow.store.Contents.listing;
import static lavaflow.store.Contents.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BackupTest {

    @TempDir
    Path temporary;

    private Path directory() {
        return temporary.resolve("data");
    }

    private Path file() {
        return temporary.resolve("backup");
    }

    @Test
    void restoresWhatWasThere() throws IOException {
        List<String> pods;
        try (Store store = Store.open(directory(), StoreOptions.defaults())) {
            store.commit(add("pods", "a/x", "1"));
            store.commit(add("pods", "a/y", "1"));
            store.commit(put("pods", "a/x", "2"));
            store.commit(Contents.delete("pods", "a/y"));
            pods = listing(store.snapshot(), "pods");
            store.backup(file());
            store.commit(put("pods", "a/x", "after the backup"));
        }
        Path restored = temporary.resolve("restored");
        Store.restore(file(), restored);

        try (Store store = Store.open(restored, StoreOptions.defaults())) {
            assertThat(listing(store.snapshot(), "pods")).isEqualTo(pods).hasSize(1);
            assertThat(store.revision())
                    .as("clients of the lost store notice")
                    .isEqualTo(4 + Backup.RESTORED_REVISIONS_AHEAD);
            assertThatThrownBy(() -> store.watch("pods", "", null, 5)).isInstanceOf(CompactedException.class);
            store.commit(put("pods", "a/x", "3"));
        }
        try (Store store = Store.open(restored, StoreOptions.defaults())) {
            assertThat(store.revision()).isEqualTo(5 + Backup.RESTORED_REVISIONS_AHEAD);
        }
    }

    @Test
    void isConsistentWhileTheStoreIsWrittenTo() throws Exception {
        try (Store store = Store.open(directory(), StoreOptions.defaults().withHistory(Duration.ZERO, 0, 0))) {
            // One object always leads the other by at most one: a backup of different moments would show more.
            store.commit(put("pods", "a/first", "0"));
            store.commit(put("pods", "a/second", "0"));
            AtomicBoolean stop = new AtomicBoolean();
            Thread producer = Thread.startVirtualThread(() -> {
                for (int i = 1; !stop.get(); i++) {
                    store.commit(put("pods", "a/first", "" + i));
                    store.commit(put("pods", "a/second", "" + i));
                }
            });
            for (int i = 0; i < 20; i++) {
                store.backup(temporary.resolve("backup" + i));
            }
            stop.set(true);
            producer.join();
        }
        for (int i = 0; i < 20; i++) {
            Path restored = temporary.resolve("restored" + i);
            Store.restore(temporary.resolve("backup" + i), restored);
            try (Store store = Store.open(restored, StoreOptions.defaults())) {
                assertThat(value(store, "a/first") - value(store, "a/second")).isBetween(0, 1);
            }
        }
    }

    private static int value(Store store, String key) {
        String text = Contents.text(store.get("pods", key));
        return Integer.parseInt(text.replaceAll(".*\"value\":\"(\\d+)\".*", "$1"));
    }

    @Test
    void neverOverwrites() throws IOException {
        Files.writeString(file(), "precious");
        try (Store store = Store.open(directory(), StoreOptions.defaults())) {
            assertThatThrownBy(() -> store.backup(file())).isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(file()).hasContent("precious");
    }

    @Test
    void aDamagedBackupIsRefusedBeforeAnythingIsWritten() throws IOException {
        try (Store store = Store.open(directory(), StoreOptions.defaults())) {
            committed(store.commit(add("pods", "a/x", "1")));
            store.backup(file());
        }
        byte[] bytes = Files.readAllBytes(file());
        Path restored = temporary.resolve("restored");
        for (int at = 0; at < bytes.length; at++) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 4;
            Files.write(file(), damaged);
            assertThatThrownBy(() -> Store.restore(file(), restored))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessageContaining("Use another backup");
            assertThat(restored).doesNotExist();
        }
    }

    @Test
    void onlyAnEmptyDirectoryIsRestoredInto() throws IOException {
        try (Store store = Store.open(directory(), StoreOptions.defaults())) {
            store.backup(file());
        }
        assertThatThrownBy(() -> Store.restore(file(), directory())).isInstanceOf(DirectoryNotEmptyException.class);
    }
}
