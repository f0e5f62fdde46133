package lavaflow.controller;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a controller has written lately, by the key it wrote for: before it looks again, its view must show that.
 * Otherwise it would do the same twice.
 *
 * <p>Writes are known by their revision. Deletions have none; whoever was deleted counts as going until the view agrees.
 */
public final class OwnWrites<K> {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Followers followers;
    private final Map<K, Map<KubeApi.Kind, Long>> written = new ConcurrentHashMap<>();
    private final Map<K, Set<String>> deleted = new ConcurrentHashMap<>();

    public OwnWrites(Followers followers) {
        this.followers = followers;
    }

    /** An object was written for a key; the object is the server's answer. */
    public void wrote(K key, KubeApi.Kind kind, ObjectNode answer) {
        long revision = Long.parseLong(Json.textAt(answer, "metadata", "resourceVersion"));
        written.computeIfAbsent(key, _ -> new ConcurrentHashMap<>()).merge(kind, revision, Math::max);
    }

    /** An object was deleted for a key. */
    public void deleted(K key, String uid) {
        deleted.computeIfAbsent(key, _ -> ConcurrentHashMap.newKeySet()).add(uid);
    }

    /** Waits until the view shows what was written for a key; false if that takes too long: look again later. */
    public boolean areSeen(K key) {
        Map<KubeApi.Kind, Long> newest = written.get(key);
        if (newest == null) {
            return true;
        }
        for (Map.Entry<KubeApi.Kind, Long> each : newest.entrySet()) {
            if (!followers.catchUp(each.getKey(), each.getValue(), PATIENCE)) {
                return false;
            }
        }
        written.remove(key);
        return true;
    }

    /** Whether an object was deleted for a key although the view may not show it yet. */
    public boolean isDeleted(K key, String uid) {
        return deleted.getOrDefault(key, Set.of()).contains(uid);
    }

    /** Forgets deletions of objects that the view does not show as living any more. */
    public void keepDeleted(K key, Set<String> living) {
        Set<String> known = deleted.get(key);
        if (known != null) {
            known.retainAll(new HashSet<>(living));
            if (known.isEmpty()) {
                deleted.remove(key);
            }
        }
    }

    /** Forgets everything about a key that is gone. */
    public void forget(K key) {
        written.remove(key);
        deleted.remove(key);
    }
}
