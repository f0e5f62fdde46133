package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Stored objects as trees, for rules that look at other objects than the one at hand. */
final class Stored {
    private final Store store;

    Stored(Store store) {
        this.store = store;
    }

    @Nullable
    ObjectNode find(String bucket, String key) {
        StoredObject found = store.get(bucket, key);
        return found == null ? null : StoredForm.decode(found);
    }

    /** The objects of a namespace, or of a cluster-wide bucket for the empty one. */
    List<ObjectNode> all(String bucket, String namespace) {
        String from = namespace.isEmpty() ? "" : namespace + "/";
        String to = namespace.isEmpty() ? null : namespace + "0";
        List<ObjectNode> objects = new ArrayList<>();
        for (StoredObject found : store.snapshot().scan(bucket, from, to)) {
            objects.add(StoredForm.decode(found));
        }
        return objects;
    }
}
