package lavaflow.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Mutations and readings in the words of the tests. */
final class Contents {

    private Contents() {}

    /** JSON that carries its revision, as the API server writes it. */
    static Content json(String value) {
        String before = "{\"revision\":\"";
        return new Content(
                (before + "\",\"value\":\"" + value + "\"}").getBytes(StandardCharsets.UTF_8), before.length());
    }

    static String expectedJson(long revision, String value) {
        return "{\"revision\":\"" + revision + "\",\"value\":\"" + value + "\"}";
    }

    static Mutation.Put add(String bucket, String key, String value) {
        return new Mutation.Put(bucket, key, Mutation.ABSENT, json(value), false);
    }

    static Mutation.Put put(String bucket, String key, String value) {
        return new Mutation.Put(bucket, key, Mutation.ANY, json(value), false);
    }

    static Mutation.Put relaxedPut(String bucket, String key, String value) {
        return new Mutation.Put(bucket, key, Mutation.ANY, json(value), true);
    }

    static Mutation.Put update(String bucket, String key, long expectedRevision, String value) {
        return new Mutation.Put(bucket, key, expectedRevision, json(value), false);
    }

    static Mutation.Delete delete(String bucket, String key) {
        return new Mutation.Delete(bucket, key, Mutation.ANY, json("gone"), false);
    }

    static StoredObject committed(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Committed(StoredObject object) -> object;
            case Outcome.Conflict conflict -> throw new AssertionError("expected a commit, got " + conflict);
        };
    }

    static String text(StoredObject object) {
        return new String(object.bytes(), StandardCharsets.UTF_8);
    }

    static List<String> keys(Iterable<StoredObject> objects) {
        List<String> keys = new ArrayList<>();
        objects.forEach(object -> keys.add(object.key()));
        return keys;
    }

    /** key@revision=bytes of everything in a bucket. */
    static List<String> listing(Snapshot snapshot, String bucket) {
        List<String> listing = new ArrayList<>();
        for (StoredObject object : snapshot.scan(bucket, "", null)) {
            listing.add(object.key() + "@" + object.revision() + "/" + object.createRevision() + "=" + text(object));
        }
        return listing;
    }
}
