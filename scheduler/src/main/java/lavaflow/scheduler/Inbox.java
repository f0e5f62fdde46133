package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What has happened and was not taken in yet by the thread that owns the state. Others put things in. */
final class Inbox {
    /** Something for the thread that owns the state. */
    interface Change {
        void apply(Instant now);
    }

    /** Takes in an object, or that it is gone: then there is no value. */
    interface Sink<T> {
        void put(String key, @Nullable T value, Instant now);
    }

    private final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();

    void add(Change change) {
        changes.add(change);
    }

    @Nullable
    Change poll() {
        return changes.poll();
    }

    /** Waits for a change; null if none came in time. */
    @Nullable
    Change await(@Nullable Duration patience) throws InterruptedException {
        return patience == null
                ? changes.take()
                : changes.poll(Math.max(0, patience.toMillis() + 1), TimeUnit.MILLISECONDS);
    }

    /**
     * Reads objects on the thread that hears of them and hands what matters to the one that owns the state.
     *
     * @param key what an object is known by
     * @param view what matters of it
     */
    <T> ChangeListener listener(Function<ObjectNode, String> key, Function<ObjectNode, T> view, Sink<T> sink) {
        return new Listener<>(key, view, sink);
    }

    private final class Listener<T> implements ChangeListener {
        private final Function<ObjectNode, String> key;
        private final Function<ObjectNode, T> view;
        private final Sink<T> sink;
        /** Uids by key, for those that vanish unseen; another of the same name may have taken their place. */
        private final Map<String, String> known = new HashMap<>();

        Listener(Function<ObjectNode, String> key, Function<ObjectNode, T> view, Sink<T> sink) {
            this.key = key;
            this.view = view;
            this.sink = sink;
        }

        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            String place = key.apply(object);
            if (deleted) {
                known.remove(place);
                add(now -> sink.put(place, null, now));
            } else {
                known.put(place, uid(object));
                T value = view.apply(object);
                add(now -> sink.put(place, value, now));
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            known.entrySet().removeIf(entry -> {
                boolean gone = !uids.contains(entry.getValue());
                if (gone) {
                    String place = entry.getKey();
                    add(now -> sink.put(place, null, now));
                }
                return gone;
            });
        }
    }

    static String uid(ObjectNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    static String place(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace") + "/" + name(object);
    }
}
