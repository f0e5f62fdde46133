package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.store.Contents.committed;
import static lavaflow.store.Contents.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ConcurrencyTest {

    @TempDir
    Path directory;

    @Test
    void manyProducersEachSeeTheirWritesInOrder() throws Exception {
        int producers = 64;
        int writes = 50;
        ConcurrentSkipListMap<Long, String> acknowledged = new ConcurrentSkipListMap<>();
        try (Store store = Store.open(directory, StoreOptions.defaults());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> done = new ArrayList<>();
            for (int producer = 0; producer < producers; producer++) {
                String key = "a/" + producer;
                done.add(threads.submit(() -> {
                    long last = 0;
                    for (int i = 0; i < writes; i++) {
                        StoredObject object = committed(
                                store.commit(new Mutation.Put("pods", key, last, Contents.json("v" + i), false)));
                        assertThat(object.revision()).isGreaterThan(last);
                        assertThat(store.revision()).isGreaterThanOrEqualTo(object.revision());
                        assertThat(store.get("pods", key)).isSameAs(object);
                        acknowledged.put(object.revision(), key);
                        last = object.revision();
                    }
                }));
            }
            for (Future<?> each : done) {
                each.get();
            }
            assertThat(store.revision()).isEqualTo((long) producers * writes);
            assertThat(acknowledged).hasSize(producers * writes);
            List<Long> watched = new ArrayList<>();
            try (Cursor cursor = store.watch("pods", "", null, 0)) {
                while (watched.size() < acknowledged.size()) {
                    cursor.poll(Duration.ofMinutes(1)).changes().forEach(change -> {
                        watched.add(change.revision());
                        assertThat(change.object().key()).isEqualTo(acknowledged.get(change.revision()));
                    });
                }
            }
            assertThat(watched).isEqualTo(List.copyOf(acknowledged.keySet()));
        }
    }

    @Test
    void readersNeverMissAnObjectHoweverFastTheHistoryGoes() throws Exception {
        int keys = 10;
        StoreOptions options = StoreOptions.defaults().withHistory(Duration.ofDays(1), 1 << 20, 4);
        try (Store store = Store.open(directory, options)) {
            for (int i = 0; i < keys; i++) {
                store.commit(put("pods", "a/" + i, "v"));
            }
            AtomicBoolean stop = new AtomicBoolean();
            Thread producer = Thread.ofPlatform().start(() -> {
                for (int i = 0; !stop.get(); i++) {
                    store.commit(new Mutation.Put("pods", "a/" + i % keys, Mutation.ANY, Contents.json("v"), true));
                }
            });
            AtomicInteger complete = new AtomicInteger();
            for (int i = 0; i < 20_000; i++) {
                assertThat(store.get("pods", "a/" + i % keys)).isNotNull();
                try {
                    assertThat(store.snapshot().count("pods", "", null)).isEqualTo(keys);
                    complete.incrementAndGet();
                } catch (CompactedException e) {
                    // the right answer when it cannot be complete
                }
            }
            stop.set(true);
            producer.join();
            assertThat(complete).hasPositiveValue();
        }
    }

    @Test
    void tooManyWaitingMutationsAreRefusedWithoutHarm() throws Exception {
        AtomicBoolean hold = new AtomicBoolean();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        InstantSource clock = () -> {
            if (hold.compareAndSet(true, false)) {
                held.countDown();
                await(release);
            }
            return Instant.EPOCH;
        };
        StoreOptions options =
                StoreOptions.defaults().withClock(clock).withQueue(10, 1 << 20).withBatch(1, 1 << 20);
        try (Store store = Store.open(directory, options)) {
            committed(store.commit(put("pods", "a/before", "1")));
            hold.set(true);
            CompletableFuture<Outcome> first = store.submit(put("pods", "a/first", "1"));
            held.await();
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            while (outcomes.stream().noneMatch(CompletableFuture::isCompletedExceptionally)) {
                outcomes.add(store.submit(put("pods", "a/" + outcomes.size(), "1")));
            }
            release.countDown();
            assertThatThrownBy(outcomes.getLast()::join)
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("overloaded");
            outcomes.removeLast();
            committed(first.join());
            // The writer is held before or after it took the first one.
            assertThat(outcomes).hasSizeBetween(9, 10).allSatisfy(outcome -> committed(outcome.join()));
            assertThat(store.statistics().queued()).isZero();
            committed(store.commit(put("pods", "a/again", "1")));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void closingCommitsWhatWasSubmitted() throws IOException {
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        Store store = Store.open(directory, StoreOptions.defaults());
        for (int i = 0; i < 2_000; i++) {
            outcomes.add(store.submit(put("pods", "a/" + i, "1")));
        }
        store.close();
        assertThat(outcomes).allSatisfy(outcome -> committed(outcome.join()));
        try (Store next = Store.open(directory, StoreOptions.defaults())) {
            assertThat(next.snapshot().count("pods", "", null)).isEqualTo(2_000);
        }
    }

    @Test
    @Timeout(600)
    void snapshotsAreWrittenBesideTheWriterAndBoundTheFiles() throws Exception {
        StoreOptions options = StoreOptions.defaults().withFiles(64 << 10, 256 << 10);
        long revision;
        try (Store store = Store.open(directory, options)) {
            for (int i = 0; i < 3_000; i++) {
                var _ = store.submit(put("pods", "a/" + i % 50, "v".repeat(1_000)));
            }
            store.awaitRevision(3_000, Duration.ofMinutes(1));
            // 3 MB were written, 50 KB are live; the snapshot under way may take a while, but it comes.
            while (filesBytes() > 1_000_000) {
                store.commit(put("pods", "a/1", "v"));
            }
            revision = store.revision();
        }
        try (Store store = Store.open(directory, options)) {
            assertThat(store.revision()).isEqualTo(revision);
            assertThat(store.snapshot().count("pods", "", null)).isEqualTo(50);
        }
    }

    private long filesBytes() throws IOException {
        long bytes = 0;
        for (String name : Disk.real().list(directory)) {
            bytes += directory.resolve(name).toFile().length();
        }
        return bytes;
    }
}
