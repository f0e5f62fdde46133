package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import lavaflow.store.CompactedException;
import lavaflow.store.Snapshot;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Something made of all objects of a few buckets, remade when it is asked for after one of them changed: who wrote an
 * object and asks again sees what it means. No thread, no cost while nobody asks, two reads of memory where nothing
 * changed. For buckets that change seldom. Any thread may ask.
 */
public final class Derived<T> {
    private record Made<T>(long revision, T value) {}

    private final Store store;
    private final List<String> buckets;
    private final Function<List<ObjectNode>, T> make;
    private volatile @Nullable Made<T> made;

    /** The objects come in the order of the buckets, and within one in the order of their keys. */
    public Derived(Store store, List<String> buckets, Function<List<ObjectNode>, T> make) {
        this.store = store;
        this.buckets = List.copyOf(buckets);
        this.make = make;
    }

    public T get() {
        Made<T> known = made;
        return known != null && isCurrent(known) ? known.value : remake();
    }

    private boolean isCurrent(Made<T> known) {
        for (String bucket : buckets) {
            if (store.changed(bucket) > known.revision) {
                return false;
            }
        }
        return true;
    }

    private synchronized T remake() {
        while (true) {
            Made<T> known = made;
            if (known != null && isCurrent(known)) {
                return known.value;
            }
            Snapshot snapshot = store.snapshot();
            try {
                List<ObjectNode> objects = new ArrayList<>();
                for (String bucket : buckets) {
                    for (StoredObject object : snapshot.scan(bucket, "", null)) {
                        objects.add(StoredForm.decode(object));
                    }
                }
                T value = make.apply(objects);
                made = new Made<>(snapshot.revision(), value);
                return value;
            } catch (CompactedException e) {
                // The writer went on so fast that the snapshot is gone already: look again.
            }
        }
    }
}
