package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.store.Contents.add;
import static lavaflow.store.Contents.committed;
import static lavaflow.store.Contents.delete;
import static lavaflow.store.Contents.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CursorTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    private Store store;

    @BeforeEach
    void open() throws IOException {
        store = Store.open(directory, StoreOptions.defaults());
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    @Test
    void deliversChangesInOrderWithWhatTheyReplaced() throws InterruptedException {
        StoredObject created = committed(store.commit(add("pods", "a/x", "1")));
        StoredObject updated = committed(store.commit(put("pods", "a/x", "2")));
        StoredObject deleted = committed(store.commit(delete("pods", "a/x")));
        StoredObject again = committed(store.commit(add("pods", "a/x", "3")));

        try (Cursor cursor = store.watch("pods", "", null, 0)) {
            Progress progress = cursor.poll(LONG);
            assertThat(progress.changes())
                    .containsExactly(
                            new Change(created, null, false),
                            new Change(updated, created, false),
                            new Change(deleted, updated, true),
                            new Change(again, null, false));
            assertThat(progress.revision()).isEqualTo(4);
        }
    }

    @Test
    void startsAfterTheGivenRevision() throws InterruptedException {
        for (int i = 1; i <= 5; i++) {
            store.commit(put("pods", "a/x", "v" + i));
        }
        for (int after = 0; after <= 5; after++) {
            try (Cursor cursor = store.watch("pods", "", null, after)) {
                assertThat(revisions(cursor.poll(Duration.ZERO))).hasSize(5 - after);
            }
        }
    }

    @Test
    void onlyItsBucketAndRangeButTheRevisionOfAll() throws InterruptedException {
        try (Cursor cursor = store.watch("pods", "b/", "b0", 0)) {
            store.commit(add("pods", "a/x", "1"));
            store.commit(add("pods", "b/x", "1"));
            store.commit(add("pods", "b0", "1"));
            store.commit(add("nodes", "b/x", "1"));
            Progress progress = cursor.poll(LONG);

            assertThat(revisions(progress)).containsExactly(2L);
            assertThat(progress.revision()).isEqualTo(4);
        }
    }

    @Test
    void returnsNothingButTheNewestRevisionWhenTheTimeIsOver() throws InterruptedException {
        try (Cursor cursor = store.watch("pods", "", null, 0)) {
            store.commit(add("nodes", "n", "1"));

            assertThat(cursor.poll(Duration.ofMillis(1))).isEqualTo(new Progress(List.of(), 1));
        }
    }

    @Test
    void aFutureStartDeliversOnlyWhatComesAfterIt() throws InterruptedException {
        try (Cursor cursor = store.watch("pods", "", null, 2)) {
            store.commit(add("pods", "a/1", "1"));
            assertThat(cursor.poll(Duration.ZERO)).isEqualTo(new Progress(List.of(), 2));
            store.commit(add("pods", "a/2", "1"));
            store.commit(add("pods", "a/3", "1"));

            assertThat(revisions(cursor.poll(LONG))).containsExactly(3L);
        }
    }

    @Test
    void aWaitingPollIsWokenByAChange() throws Exception {
        try (Cursor cursor = store.watch("pods", "", null, 0)) {
            FutureTask<Progress> poll = new FutureTask<>(() -> cursor.poll(LONG));
            Thread.startVirtualThread(poll);
            store.commit(add("pods", "a/x", "1"));

            assertThat(revisions(poll.get())).containsExactly(1L);
        }
    }

    @Test
    void aWaitingPollIsWokenByHand() throws Exception {
        try (Cursor cursor = store.watch("pods", "", null, 0)) {
            FutureTask<Progress> poll = new FutureTask<>(() -> cursor.poll(LONG));
            Thread.startVirtualThread(poll);
            cursor.wake();

            assertThat(poll.get().changes()).isEmpty();
            assertThat(cursor.poll(Duration.ZERO).changes()).isEmpty();
        }
    }

    @Test
    void aWaitingPollEndsWhenTheCursorIsClosed() {
        Cursor cursor = store.watch("pods", "", null, 0);
        FutureTask<Progress> poll = new FutureTask<>(() -> cursor.poll(LONG));
        Thread.startVirtualThread(poll);
        cursor.close();

        assertThatThrownBy(poll::get).hasCauseInstanceOf(CancellationException.class);
        assertThat(cursor.isClosed()).isTrue();
        assertThat(store.statistics().cursors()).isZero();
    }

    @Test
    void aWaitingPollEndsWhenTheStoreIsClosed() throws IOException {
        Cursor cursor = store.watch("pods", "", null, 0);
        FutureTask<Progress> poll = new FutureTask<>(() -> cursor.poll(LONG));
        Thread.startVirtualThread(poll);
        store.close();

        assertThatThrownBy(poll::get).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void longBacklogsComeInPieces() throws InterruptedException {
        int count = Cursor.POLL_CHANGES * 2 + 10;
        for (int i = 0; i < count; i++) {
            var _ = store.submit(add("pods", "a/" + i, "1"));
        }
        store.awaitRevision(count, LONG);
        try (Cursor cursor = store.watch("pods", "", null, 0)) {
            Progress first = cursor.poll(LONG);
            assertThat(first.changes()).hasSize(Cursor.POLL_CHANGES);
            assertThat(first.revision()).isEqualTo(Cursor.POLL_CHANGES);
            assertThat(cursor.poll(LONG).changes()).hasSize(Cursor.POLL_CHANGES);
            assertThat(cursor.poll(LONG)).satisfies(last -> {
                assertThat(last.changes()).hasSize(10);
                assertThat(last.revision()).isEqualTo(count);
            });
        }
    }

    @Test
    void aThousandCursorsSeeEveryChange() throws Exception {
        int cursors = 1_000;
        int changes = 100;
        CountDownLatch done = new CountDownLatch(cursors);
        List<List<Long>> seen = new ArrayList<>();
        for (int i = 0; i < cursors; i++) {
            Cursor cursor = store.watch("pods", "", null, 0);
            List<Long> mine = new ArrayList<>();
            seen.add(mine);
            Thread.startVirtualThread(() -> {
                try (cursor) {
                    while (mine.size() < changes) {
                        mine.addAll(revisions(cursor.poll(LONG)));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                done.countDown();
            });
        }
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < changes; i++) {
            expected.add(committed(store.commit(put("pods", "a/x", "v" + i))).revision());
        }
        done.await();
        assertThat(seen).allSatisfy(mine -> assertThat(mine).isEqualTo(expected));
    }

    @Test
    void aCursorThatWasNotReadInTimeLags() throws InterruptedException {
        try (Cursor slow = store.watch("pods", "", null, 0);
                Cursor elsewhere = store.watch("nodes", "", null, 0)) {
            store.commit(add("pods", "a/1", "1"));
            store.commit(add("pods", "a/2", "1"));
            store.compact(1);

            assertThatThrownBy(() -> slow.poll(LONG))
                    .isInstanceOfSatisfying(
                            LaggedException.class,
                            e -> assertThat(e.deliveredRevision()).isZero());
            assertThat(elsewhere.poll(Duration.ZERO).revision())
                    .as("nothing was lost in the other bucket")
                    .isEqualTo(2);
        }
    }

    @Test
    void watchingFromACompactedRevisionIsRefused() throws InterruptedException {
        store.commit(add("pods", "a/1", "1"));
        store.commit(add("pods", "a/2", "1"));
        store.compact(1);

        assertThatThrownBy(() -> store.watch("pods", "", null, 0)).isInstanceOf(CompactedException.class);
        try (Cursor cursor = store.watch("pods", "", null, 1)) {
            assertThat(revisions(cursor.poll(LONG))).containsExactly(2L);
        }
    }

    private static List<Long> revisions(Progress progress) {
        return progress.changes().stream().map(Change::revision).toList();
    }
}
