package lavaflow.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.store.Contents.add;
import static lavaflow.store.Contents.committed;
import static lavaflow.store.Contents.delete;
import static lavaflow.store.Contents.expectedJson;
import static lavaflow.store.Contents.keys;
import static lavaflow.store.Contents.listing;
import static lavaflow.store.Contents.put;
import static lavaflow.store.Contents.text;
import static lavaflow.store.Contents.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StoreTest {

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

    private void reopen() throws IOException {
        store.close();
        open();
    }

    @Test
    void revisionsStartAtOneAndRiseByOne() {
        assertThat(store.revision()).isZero();
        assertThat(committed(store.commit(add("pods", "a/x", "1"))).revision()).isEqualTo(1);
        assertThat(committed(store.commit(add("nodes", "n", "1"))).revision()).isEqualTo(2);
        assertThat(committed(store.commit(delete("pods", "a/x"))).revision()).isEqualTo(3);
        assertThat(store.revision()).isEqualTo(3);
    }

    @Test
    void theRevisionIsSplicedIntoTheBytes() {
        StoredObject object = committed(store.commit(add("pods", "a/x", "1")));

        assertThat(text(object)).isEqualTo(expectedJson(1, "1"));
        assertThat(store.get("pods", "a/x")).isSameAs(object);
    }

    @Test
    void bytesWithoutRevisionAreKeptAsTheyAre() {
        byte[] bytes = "{}".getBytes(StandardCharsets.UTF_8);
        StoredObject object = committed(store.commit(
                new Mutation.Put("pods", "a/x", Mutation.ABSENT, new Content(bytes, Content.NO_REVISION), false)));

        assertThat(object.bytes()).isEqualTo(bytes);
    }

    @Test
    void creatingWhatExistsConflictsWithTheCurrentVersion() {
        StoredObject first = committed(store.commit(add("pods", "a/x", "1")));

        assertThat(store.commit(add("pods", "a/x", "2"))).isEqualTo(new Outcome.Conflict(first));
        assertThat(store.revision()).isEqualTo(1);
    }

    @Test
    void anUpdateNeedsTheCurrentRevision() {
        StoredObject first = committed(store.commit(add("pods", "a/x", "1")));
        StoredObject second = committed(store.commit(update("pods", "a/x", first.revision(), "2")));

        assertThat(second.createRevision()).isEqualTo(first.revision());
        assertThat(store.commit(update("pods", "a/x", first.revision(), "3"))).isEqualTo(new Outcome.Conflict(second));
        assertThat(store.commit(update("pods", "a/y", 7, "3"))).isEqualTo(new Outcome.Conflict(null));
    }

    @Test
    void aDeletionNeedsAnObjectAndItsRevision() {
        assertThat(store.commit(delete("pods", "a/x"))).isEqualTo(new Outcome.Conflict(null));
        StoredObject first = committed(store.commit(add("pods", "a/x", "1")));
        assertThat(store.commit(new Mutation.Delete("pods", "a/x", 9, Contents.json("gone"), false)))
                .isEqualTo(new Outcome.Conflict(first));

        StoredObject last = committed(
                store.commit(new Mutation.Delete("pods", "a/x", first.revision(), Contents.json("gone"), false)));

        assertThat(text(last)).isEqualTo(expectedJson(2, "gone"));
        assertThat(last.createRevision()).isEqualTo(1);
        assertThat(store.get("pods", "a/x")).isNull();
        assertThat(store.commit(delete("pods", "a/x"))).isEqualTo(new Outcome.Conflict(null));
    }

    @Test
    void anObjectCreatedAgainHasANewCreateRevision() {
        store.commit(add("pods", "a/x", "1"));
        store.commit(delete("pods", "a/x"));

        assertThat(committed(store.commit(add("pods", "a/x", "2"))).createRevision())
                .isEqualTo(3);
    }

    @Test
    void mutationsOfOneBatchSeeEachOther() {
        List<CompletableFuture<Outcome>> outcomes = List.of(
                store.submit(add("pods", "a/x", "1")),
                store.submit(add("pods", "a/x", "2")),
                store.submit(update("pods", "a/x", 1, "3")),
                store.submit(delete("pods", "a/x")),
                store.submit(add("pods", "a/x", "4")));

        assertThat(committed(outcomes.get(0).join()).revision()).isEqualTo(1);
        assertThat(outcomes.get(1).join()).isInstanceOf(Outcome.Conflict.class);
        assertThat(committed(outcomes.get(2).join()).revision()).isEqualTo(2);
        assertThat(committed(outcomes.get(3).join()).revision()).isEqualTo(3);
        assertThat(committed(outcomes.get(4).join()).createRevision()).isEqualTo(4);
    }

    @Test
    void aSnapshotShowsTheStoreAsItWas() {
        store.commit(add("pods", "a/x", "1"));
        store.commit(add("pods", "a/y", "1"));
        Snapshot then = store.snapshot();
        store.commit(put("pods", "a/x", "2"));
        store.commit(delete("pods", "a/y"));
        store.commit(add("pods", "a/z", "1"));

        assertThat(listing(then, "pods"))
                .containsExactly("a/x@1/1=" + expectedJson(1, "1"), "a/y@2/2=" + expectedJson(2, "1"));
        assertThat(listing(store.snapshot(4), "pods")).containsExactly("a/x@3/1=" + expectedJson(3, "2"));
        assertThat(listing(store.snapshot(0), "pods")).isEmpty();
        assertThat(then.get("pods", "a/y")).isNotNull();
        assertThat(then.get("pods", "a/z")).isNull();
        assertThat(store.snapshot().get("pods", "a/y")).isNull();
        assertThat(then.count("pods", "", null)).isEqualTo(2);
    }

    @Test
    void aScanIsBoundedByKeys() {
        for (String key : List.of("b/1", "a/2", "c/1", "a/1", "b/2")) {
            store.commit(add("pods", key, "1"));
        }
        Snapshot snapshot = store.snapshot();

        assertThat(keys(snapshot.scan("pods", "", null))).containsExactly("a/1", "a/2", "b/1", "b/2", "c/1");
        assertThat(keys(snapshot.scan("pods", "b/", "b0"))).containsExactly("b/1", "b/2");
        assertThat(keys(snapshot.scan("pods", "a/2", "b/2"))).containsExactly("a/2", "b/1");
        assertThat(keys(snapshot.scan("pods", "b/2", "a/2"))).isEmpty();
        assertThat(keys(snapshot.scan("nodes", "", null))).isEmpty();
        assertThat(snapshot.count("pods", "b/", "b0")).isEqualTo(2);
    }

    @Test
    void theFutureCanBeAwaitedButNotRead() throws InterruptedException {
        store.commit(add("pods", "a/x", "1"));

        assertThat(store.awaitRevision(1, Duration.ZERO)).isTrue();
        assertThat(store.awaitRevision(2, Duration.ofMillis(1))).isFalse();
        assertThatThrownBy(() -> store.snapshot(2)).isInstanceOf(IllegalArgumentException.class);
        Thread later = Thread.startVirtualThread(() -> store.commit(add("pods", "a/y", "1")));
        assertThat(store.awaitRevision(2, Duration.ofMinutes(1))).isTrue();
        later.join();
    }

    @Test
    void bucketsAreThoseWithObjects() {
        store.commit(add("pods", "a/x", "1"));
        store.commit(add("apps/deployments", "a/x", "1"));
        store.commit(add("nodes", "n", "1"));
        store.commit(delete("nodes", "n"));

        assertThat(store.buckets()).containsExactly("apps/deployments", "pods");
    }

    @Test
    void everythingIsThereAfterReopening() throws IOException {
        store.commit(add("pods", "a/x", "1"));
        store.commit(add("nodes", "n", "1"));
        store.commit(put("pods", "a/x", "2"));
        store.commit(add("pods", "a/y", "1"));
        store.commit(delete("pods", "a/y"));
        reopen();

        assertThat(store.revision()).isEqualTo(5);
        assertThat(listing(store.snapshot(), "pods")).containsExactly("a/x@3/1=" + expectedJson(3, "2"));
        assertThat(listing(store.snapshot(), "nodes")).containsExactly("n@2/2=" + expectedJson(2, "1"));
        assertThat(listing(store.snapshot(2), "pods"))
                .as("the history survives as well")
                .containsExactly("a/x@1/1=" + expectedJson(1, "1"));
        assertThat(committed(store.commit(add("pods", "a/z", "1"))).revision()).isEqualTo(6);
        reopen();
        assertThat(store.revision()).isEqualTo(6);
    }

    @Test
    void theAttachmentIsSharedByAllReaders() {
        store.commit(add("pods", "a/x", "1"));
        store.get("pods", "a/x").attachment("parsed");

        assertThat(store.get("pods", "a/x").attachment()).isEqualTo("parsed");
        assertThat(committed(store.commit(put("pods", "a/x", "2"))).attachment())
                .as("a new version starts without")
                .isNull();
    }

    @Test
    void aClosedStoreRefusesMutations() throws IOException {
        store.commit(add("pods", "a/x", "1"));
        store.close();

        assertThatThrownBy(() -> store.commit(add("pods", "a/y", "1")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("closed");
        assertThat(store.get("pods", "a/x")).as("reads still work").isNotNull();
    }

    @Test
    void whatIsTooLongIsRefused() {
        assertThatThrownBy(() -> store.submit(add("pods", "k".repeat(5_000), "1")))
                .isInstanceOf(IllegalArgumentException.class);
        Content huge = new Content(new byte[StoreOptions.defaults().valueBytes() + 1], Content.NO_REVISION);
        assertThatThrownBy(() -> store.submit(new Mutation.Put("pods", "a/x", Mutation.ANY, huge, false)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
