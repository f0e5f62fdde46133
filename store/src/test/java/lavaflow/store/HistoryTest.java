package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static lavaflow.store.Contents.add;
import static lavaflow.store.Contents.committed;
import static lavaflow.store.Contents.delete;
import static lavaflow.store.Contents.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The past is bounded by time, bytes and count. */
class HistoryTest {

    private final Path directory = Path.of("/data");
    private final SimulatedDisk disk = new SimulatedDisk();

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

    private StoreOptions options(Duration window, long bytes, int events) {
        InstantSource clock = now::get;
        return StoreOptions.defaults()
                .withHistory(window, bytes, events)
                .withClock(clock)
                .withDisk(disk)
                .withFiles(16 << 10, 1 << 20);
    }

    @Test
    void revisionsExpireWithTime() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofMinutes(5), 1 << 20, 1_000))) {
            store.commit(add("pods", "a/x", "1"));
            now.set(Instant.EPOCH.plusSeconds(200));
            store.commit(put("pods", "a/x", "2"));
            now.set(Instant.EPOCH.plusSeconds(301));
            store.commit(put("pods", "a/x", "3"));
            Model.settle(store);

            assertThat(store.compactedRevision()).isEqualTo(1);
            assertThatThrownBy(() -> store.snapshot(0)).isInstanceOfSatisfying(CompactedException.class, e -> {
                assertThat(e.requestedRevision()).isZero();
                assertThat(e.compactedRevision()).isEqualTo(1);
            });
            assertThat(store.snapshot(1).get("pods", "a/x").revision()).isEqualTo(1);
            assertThat(store.snapshot(2).get("pods", "a/x").revision()).isEqualTo(2);
        }
    }

    @Test
    void revisionsExpireInAnIdleStore() throws Exception {
        try (Store store = Store.open(directory, options(Duration.ofMinutes(5), 1 << 20, 1_000))) {
            store.commit(add("pods", "a/x", "1"));
            now.set(Instant.EPOCH.plusSeconds(301));
            Model.settle(store);

            assertThat(store.compactedRevision()).isEqualTo(1);
            assertThat(store.get("pods", "a/x")).isNotNull();
        }
    }

    @Test
    void theNumberOfChangesIsBounded() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 30, 100))) {
            for (int i = 0; i < 1_000; i++) {
                store.commit(put("pods", "a/" + i % 10, "v"));
                store.commit(put("nodes", "n", "v"));
            }
            Model.settle(store);

            assertThat(store.statistics().historyEvents()).isBetween(90L, 100L);
            assertThat(store.revision() - store.compactedRevision()).isBetween(90L, 100L);
        }
    }

    @Test
    void theBytesOfOldVersionsAreBounded() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 100_000, 1_000_000))) {
            for (int i = 0; i < 1_000; i++) {
                store.commit(put("pods", "a/x", "v".repeat(1_000)));
            }
            Model.settle(store);
            StoreStatistics statistics = store.statistics();

            assertThat(statistics.historyBytes()).isLessThanOrEqualTo(100_000);
            assertThat(statistics.historyEvents()).isBetween(10L, 100L);
            assertThat(statistics.liveBytes()).isBetween(1_000L, 2_000L);
        }
    }

    @Test
    void aLiveObjectDoesNotKeepOldVersions() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 20, 1_000))) {
            store.commit(put("pods", "a/x", "1"));
            store.commit(put("pods", "a/x", "2"));
            StoredObject newest = committed(store.commit(put("pods", "a/x", "3")));
            assertThat(newest.older).isNotNull();
            store.compact(3);

            assertThat(newest.older).isNull();
            assertThat(store.get("pods", "a/x")).isSameAs(newest);
        }
    }

    @Test
    void deletedKeysLeaveNothingBehind() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 20, 1_000))) {
            for (int i = 0; i < 100; i++) {
                store.commit(add("pods", "a/" + i, "1"));
                store.commit(delete("pods", "a/" + i));
            }
            assertThat(store.statistics().historyBytes()).isPositive();
            store.compact(store.revision());
            StoreStatistics statistics = store.statistics();

            assertThat(statistics.historyBytes()).isZero();
            assertThat(statistics.historyEvents()).isZero();
            assertThat(statistics.liveBytes()).isZero();
            assertThat(statistics.objects()).isEmpty();
        }
    }

    @Test
    void aKeyCreatedAgainSurvivesTheCompactionOfItsDeletion() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 20, 1_000))) {
            store.commit(add("pods", "a/x", "1"));
            store.commit(delete("pods", "a/x"));
            store.commit(add("pods", "a/x", "2"));
            store.compact(2);

            assertThat(store.get("pods", "a/x").revision()).isEqualTo(3);
            assertThat(store.snapshot(2).get("pods", "a/x")).isNull();
        }
    }

    @Test
    void aScanThatIsOvertakenByCompactionSaysSo() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 20, 1_000))) {
            store.commit(add("pods", "a/x", "1"));
            store.commit(add("pods", "a/y", "1"));
            store.commit(add("pods", "a/z", "1"));
            Iterator<StoredObject> scan =
                    store.snapshot().scan("pods", "", null).iterator();
            scan.next();
            store.commit(put("pods", "a/z", "2"));
            store.compact(4);

            assertThatThrownBy(() -> scan.forEachRemaining(object -> {})).isInstanceOf(CompactedException.class);
        }
    }

    @Test
    void theHistoryIsBoundedAfterAReopenAsWell() throws IOException {
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 30, 1_000))) {
            for (int i = 0; i < 500; i++) {
                store.commit(put("pods", "a/x", "v" + i));
            }
        }
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 30, 100))) {
            assertThat(store.statistics().historyEvents()).isBetween(90L, 100L);
            assertThat(store.snapshot(450).get("pods", "a/x").revision()).isEqualTo(450);
        }
        now.set(Instant.EPOCH.plus(Duration.ofDays(2)));
        try (Store store = Store.open(directory, options(Duration.ofDays(1), 1 << 30, 100))) {
            assertThat(store.statistics().historyEvents()).isZero();
            assertThat(store.compactedRevision()).isEqualTo(500);
        }
    }
}
