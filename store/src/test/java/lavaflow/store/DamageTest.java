package lavaflow.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.store.Contents.add;
import static lavaflow.store.Contents.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Directories that cannot be trusted are refused, and left as they are. */
class DamageTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final List<String> BUCKETS = List.of("pods", "leases");

    private final SimulatedDisk disk = new SimulatedDisk();
    private final Model model = new Model();

    private static Store open(SimulatedDisk disk) throws IOException {
        StoreOptions options = StoreOptions.defaults().withDisk(disk).withFiles(1_024, 2_500);
        return Store.open(DIRECTORY, options, new SameThread());
    }

    @BeforeEach
    void fill() throws IOException {
        Random random = new Random(7);
        try (Store store = open(disk)) {
            while (disk.files().stream()
                                    .filter(file -> name(file).startsWith("log-"))
                                    .count()
                            < 3
                    || disk.files().stream().noneMatch(file -> name(file).startsWith("snapshot-"))) {
                Mutation mutation = Model.random(random, BUCKETS, 0.2);
                if (store.commit(mutation) instanceof Outcome.Committed(StoredObject object)) {
                    model.committed(mutation, object);
                }
                Model.settle(store); // the files are looked at only when the writer rests
            }
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    private Path last(String prefix) {
        return disk.files().stream()
                .filter(file -> name(file).startsWith(prefix))
                .toList()
                .getLast();
    }

    @Test
    void everyDamagedByteIsDetectedOrHarmless() throws Exception {
        int detected = 0;
        int harmless = 0;
        for (Path file : disk.files()) {
            byte[] content = disk.content(file);
            for (int at = 0; at < content.length; at++) {
                SimulatedDisk damaged = disk.afterKill();
                byte[] bytes = content.clone();
                bytes[at] ^= (byte) (1 << (at % 8));
                damaged.replace(file, bytes);
                try (Store store = open(damaged)) {
                    assertThat(model.isAt(store, model.lastRevision(), BUCKETS))
                            .as("%s with byte %d damaged", file, at)
                            .isTrue();
                    assertThat(store.revision()).isGreaterThanOrEqualTo(model.lastRevision());
                    harmless++;
                } catch (CorruptStoreException | UnsupportedFormatException e) {
                    assertThat(e).hasMessageContaining(file.toString());
                    assertThat(damaged.content(file)).as("nothing is changed").isEqualTo(bytes);
                    detected++;
                }
            }
        }
        assertThat(detected).isGreaterThan(harmless);
    }

    @Test
    void aSealedSegmentOrSnapshotThatIsTooShortIsDetected() throws Exception {
        for (Path file : disk.files()) {
            if (file.equals(last("log-"))) {
                continue; // a short newest segment is what a crash leaves
            }
            byte[] content = disk.content(file);
            for (int length = 0; length < content.length; length++) {
                SimulatedDisk damaged = disk.afterKill();
                damaged.replace(file, Arrays.copyOf(content, length));
                assertThatThrownBy(() -> open(damaged)).isInstanceOf(CorruptStoreException.class);
            }
        }
    }

    @Test
    void aMissingFileIsDetected() throws IOException {
        for (Path file : disk.files()) {
            if (file.equals(last("log-"))) {
                continue; // nothing on disk says that there was one more
            }
            SimulatedDisk damaged = disk.afterKill();
            damaged.delete(file);
            assertThatThrownBy(() -> open(damaged))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessageContaining("restore a backup");
        }
    }

    @Test
    void aSegmentOfAnotherStoreIsDetected() throws IOException {
        SimulatedDisk other = new SimulatedDisk();
        Random random = new Random(7);
        try (Store store = open(other)) {
            while (store.revision() < model.lastRevision()) {
                store.commit(Model.random(random, BUCKETS, 0.2));
            }
        }
        Path segment = last("log-");
        assertThat(other.files()).contains(segment);
        disk.replace(segment, other.content(segment));

        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("another store");
    }

    @Test
    void aNewerFormatIsRefused() throws IOException {
        Path segment = last("log-");
        byte[] bytes = disk.content(segment);
        ByteBuffer header = ByteBuffer.wrap(bytes);
        header.putInt(8, Frames.VERSION + 1);
        CRC32C checksum = new CRC32C();
        checksum.update(header.slice(0, 60));
        header.putInt(60, (int) checksum.getValue());
        disk.replace(segment, bytes);

        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("format version 2")
                .hasMessageContaining("newer program");
    }

    @Test
    void aValueThatLooksLikeAFrameIsNotOne() throws IOException {
        Path segment = last("log-");
        byte[] log = disk.content(segment);
        SimulatedDisk crashed = disk.afterKill();
        StoreOptions large = StoreOptions.defaults().withDisk(crashed).withFiles(1 << 16, 1 << 20);
        try (Store store = Store.open(DIRECTORY, large, new SameThread())) {
            crashed.failForceAt(crashed.forces() + 1);
            Content forged = new Content(log, Content.NO_REVISION);
            assertThatThrownBy(() -> store.commit(new Mutation.Put("pods", "ns/f", Mutation.ANY, forged, false)))
                    .isInstanceOf(StoreUnavailableException.class);
        }
        // Frames of this store itself are the hardest case: they are genuine, but claim nothing newer than is there.
        try (Store store = open(crashed.afterTornWrite(crashed.lastWriteBytes() - 1))) {
            assertThat(model.isAt(store, model.lastRevision(), BUCKETS)).isTrue();
        }
    }

    @Test
    void leftoversOfACrashAreRemoved() throws IOException {
        disk.replace(DIRECTORY.resolve("snapshot.tmp"), new byte[10]);
        disk.replace(DIRECTORY.resolve("segment-0.tmp"), new byte[10]);
        open(disk).close();

        assertThat(disk.files()).noneMatch(file -> name(file).endsWith(".tmp"));
    }

    @Test
    void aDirectoryIsOpenedOnlyOnce(@TempDir Path directory) throws IOException {
        Store first = Store.open(directory, StoreOptions.defaults());
        assertThatThrownBy(() -> Store.open(directory, StoreOptions.defaults()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another process");
        first.close();
        Store.open(directory, StoreOptions.defaults()).close();
    }

    @Test
    void filesAreForTheirOwnerOnly(@TempDir Path parent) throws IOException {
        Path directory = parent.resolve("data");
        try (Store store = Store.open(directory, StoreOptions.defaults())) {
            store.commit(add("secrets", "ns/a", "1"));
            store.backup(parent.resolve("backup"));
        }
        assertThat(Files.getPosixFilePermissions(directory)).hasSize(3);
        try (var files = Files.list(directory)) {
            assertThat(files)
                    .isNotEmpty()
                    .allSatisfy(file ->
                            assertThat(Files.getPosixFilePermissions(file)).hasSize(2));
        }
        assertThat(Files.getPosixFilePermissions(parent.resolve("backup"))).hasSize(2);
    }

    @Test
    void theRevisionSurvivesWhenEverythingIsDeletedAndForgotten() throws IOException {
        SimulatedDisk empty = new SimulatedDisk();
        long revision;
        try (Store store = open(empty)) {
            for (int i = 0; i < 60; i++) {
                store.commit(put("pods", "ns/a", "v" + i));
                store.commit(Contents.delete("pods", "ns/a"));
            }
            revision = store.revision();
            store.compact(revision);
            assertThat(store.statistics().historyEvents()).isZero();
        }
        assertThat(empty.files()).anyMatch(file -> name(file).startsWith("snapshot-"));
        try (Store store = open(empty)) {
            assertThat(store.revision()).isEqualTo(revision);
            assertThat(store.buckets()).isEmpty();
        }
    }
}
