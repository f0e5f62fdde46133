package lavaflow.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a store should hold, kept in the simplest way: the state of every bucket after each revision. States are
 * {@code key -> revision/createRevision=bytes}.
 */
final class Model {

    /** A committed change, as text. */
    record Event(long revision, String bucket, String key, String text, boolean deleted) {}

    private final NavigableMap<Long, SortedMap<String, SortedMap<String, String>>> states = new TreeMap<>();
    private final List<Event> events = new ArrayList<>();

    Model() {
        states.put(0L, Collections.emptySortedMap());
    }

    void committed(Mutation mutation, StoredObject object) {
        SortedMap<String, SortedMap<String, String>> state = new TreeMap<>();
        states.lastEntry().getValue().forEach((bucket, objects) -> state.put(bucket, new TreeMap<>(objects)));
        SortedMap<String, String> objects = state.computeIfAbsent(mutation.bucket(), name -> new TreeMap<>());
        if (mutation instanceof Mutation.Delete) {
            objects.remove(object.key());
        } else {
            objects.put(object.key(), text(object));
        }
        states.put(object.revision(), state);
        events.add(new Event(
                object.revision(), mutation.bucket(), object.key(), text(object), mutation instanceof Mutation.Delete));
    }

    private static String text(StoredObject object) {
        return object.revision() + "/" + object.createRevision() + "=" + Contents.text(object);
    }

    long lastRevision() {
        return states.lastKey();
    }

    List<String> expected(long revision, String bucket) {
        List<String> expected = new ArrayList<>();
        SortedMap<String, String> none = Collections.emptySortedMap();
        states.floorEntry(revision)
                .getValue()
                .getOrDefault(bucket, none)
                .forEach((key, text) -> expected.add(key + "@" + text));
        return expected;
    }

    /** Whether the newest state of a store is the one after a revision. */
    boolean isAt(Store store, long revision, Iterable<String> buckets) {
        Snapshot snapshot = store.snapshot();
        for (String bucket : buckets) {
            if (!Contents.listing(snapshot, bucket).equals(expected(revision, bucket))) {
                return false;
            }
        }
        return true;
    }

    /** Every revision that can still be read is right, and watching from any of them gives exactly what happened. */
    void verify(Store store, long upTo, Iterable<String> buckets) throws InterruptedException {
        settle(store);
        for (String bucket : buckets) {
            assertThat(Contents.listing(store.snapshot(), bucket)).isEqualTo(expected(upTo, bucket));
            for (long revision = store.compactedRevision(); revision <= upTo; revision++) {
                assertThat(Contents.listing(store.snapshot(revision), bucket)).isEqualTo(expected(revision, bucket));
                verifyWatch(store, bucket, revision, upTo);
            }
        }
    }

    /** Waits until the writer has finished its round, after which nothing expires unless something happens. */
    static void settle(Store store) {
        store.compact(0);
    }

    private void verifyWatch(Store store, String bucket, long after, long upTo) throws InterruptedException {
        List<Event> expected = events.stream()
                .filter(event -> event.bucket().equals(bucket) && event.revision() > after && event.revision() <= upTo)
                .toList();
        List<Event> seen = new ArrayList<>();
        try (Cursor cursor = store.watch(bucket, "", null, after)) {
            Progress progress;
            do {
                progress = cursor.poll(Duration.ZERO);
                for (Change change : progress.changes()) {
                    StoredObject object = change.object();
                    seen.add(new Event(object.revision(), bucket, object.key(), text(object), change.deleted()));
                }
            } while (progress.revision() < upTo);
        }
        assertThat(seen).isEqualTo(expected);
    }

    /** A random mutation over few keys, so that all kinds of conflicts happen. */
    static Mutation random(Random random, List<String> buckets, double relaxed) {
        String bucket = buckets.get(random.nextInt(buckets.size()));
        String key = "ns/" + (char) ('a' + random.nextInt(5));
        boolean relax = random.nextDouble() < relaxed;
        Content content = Contents.json("v" + random.nextInt(1_000) + "x".repeat(random.nextInt(60)));
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> new Mutation.Delete(bucket, key, Mutation.ANY, content, relax);
            case 3, 4 -> new Mutation.Put(bucket, key, Mutation.ABSENT, content, relax);
            default -> new Mutation.Put(bucket, key, Mutation.ANY, content, relax);
        };
    }
}
