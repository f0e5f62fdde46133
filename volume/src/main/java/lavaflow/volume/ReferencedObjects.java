package lavaflow.volume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The config maps and secrets that pods of this node use. Each is followed by itself, because a node may see those only, and
 * only for as long as a pod uses it.
 *
 * <p>Any thread may call. A virtual thread follows each object; it tells which pods use what has changed.
 */
public final class ReferencedObjects implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReferencedObjects.class);
    private static final Duration POLL = Duration.ofMinutes(10);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(30);

    private record Reference(KubeApi.Kind kind, String namespace, String name) {}

    private final KubeApi api;
    private final Consumer<String> changed;
    private final Map<Reference, Followed> followed = new HashMap<>();
    private boolean closed;

    /** @param changed hears the uid of each pod that uses an object which has changed; must be quick */
    public ReferencedObjects(KubeApi api, Consumer<String> changed) {
        this.api = api;
        this.changed = changed;
    }

    /**
     * An object for a pod, which from now on hears of its changes. What a pod asks for the first time is read anew: whoever
     * made a pod after an object must not see the object as it was before.
     */
    public Optional<ObjectNode> find(String podUid, KubeApi.Kind kind, String namespace, String name) {
        Reference reference = new Reference(kind, namespace, name);
        Followed object;
        synchronized (this) {
            object = followed.computeIfAbsent(reference, Followed::new);
            if (!object.users.add(podUid) && object.known) {
                return Optional.ofNullable(object.current);
            }
        }
        Optional<ObjectNode> fresh = api.find(kind, namespace, name);
        List<String> others = new ArrayList<>();
        synchronized (this) {
            if (object.learn(fresh.orElse(null))) {
                others.addAll(object.users); // who follows will not find it different any more
                others.remove(podUid);
            }
            object.follow();
        }
        others.forEach(changed);
        return fresh;
    }

    /** A pod is gone; what no other uses is followed no more. */
    public void release(String podUid) {
        List<Followed> unused = new ArrayList<>();
        synchronized (this) {
            followed.values().removeIf(object -> {
                object.users.remove(podUid);
                if (object.users.isEmpty()) {
                    unused.add(object);
                }
                return object.users.isEmpty();
            });
        }
        unused.forEach(Followed::stop);
    }

    /** How many objects are followed. */
    synchronized int size() {
        return followed.size();
    }

    @Override
    public void close() {
        List<Followed> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(followed.values());
            followed.clear();
        }
        all.forEach(Followed::stop);
    }

    /** One object. Its fields are guarded by the whole. */
    private final class Followed {
        private final Reference reference;
        private final Set<String> users = new LinkedHashSet<>();
        private boolean known;
        private @Nullable ObjectNode current;
        private @Nullable Thread thread;
        private boolean stopped;

        Followed(Reference reference) {
            this.reference = reference;
        }

        /** Keeps the newer of what is known and what was read; returns whether that is another than before. */
        boolean learn(@Nullable ObjectNode read) {
            ObjectNode before = current;
            boolean older =
                    before != null && read != null && revision(read) < revision(before) && sameUid(before, read);
            if (older) {
                return false;
            }
            boolean differs =
                    known && (before == null ? read != null : read == null || revision(read) != revision(before));
            known = true;
            current = read;
            return differs;
        }

        private static boolean sameUid(ObjectNode one, ObjectNode other) {
            return Json.textAt(one, "metadata", "uid").equals(Json.textAt(other, "metadata", "uid"));
        }

        private static long revision(ObjectNode object) {
            String version = Json.textAt(object, "metadata", "resourceVersion");
            return version.isEmpty() ? 0 : Long.parseLong(version);
        }

        /** What is immutable needs no following. */
        private boolean settled() {
            return Json.flagAt(current, "immutable");
        }

        void follow() {
            if (thread == null && !stopped && !closed && !settled()) {
                thread = Thread.ofVirtual().name("follow-" + reference.name()).start(this::run);
            }
        }

        void stop() {
            Thread running;
            synchronized (ReferencedObjects.this) {
                stopped = true;
                running = thread;
            }
            if (running != null) {
                running.interrupt();
            }
        }

        private boolean goesOn() {
            synchronized (ReferencedObjects.this) {
                boolean on = !stopped && !settled();
                if (!on) {
                    thread = null;
                }
                return on;
            }
        }

        private void run() {
            Duration pause = FIRST_PAUSE;
            String complaint = "";
            while (goesOn()) {
                try {
                    try {
                        listAndWatch();
                        pause = FIRST_PAUSE;
                        continue;
                    } catch (ApiException e) {
                        String said = String.valueOf(e.getMessage());
                        if (e.code() != 410 && !said.equals(complaint) && goesOn()) {
                            complaint = said;
                            LOG.warn(
                                    "cannot follow {} {}/{}: {}",
                                    reference.kind(),
                                    reference.namespace(),
                                    reference.name(),
                                    said);
                        }
                    }
                    Thread.sleep(pause);
                    pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : pause.multipliedBy(2);
                } catch (InterruptedException _) {
                    // Stopped; the loop ends.
                } catch (RuntimeException e) {
                    LOG.error(
                            "following {} {}/{} failed", reference.kind(), reference.namespace(), reference.name(), e);
                    return;
                }
            }
        }

        private void listAndWatch() throws InterruptedException {
            KubeApi.Scope scope = KubeApi.Scope.of(reference.namespace(), reference.name());
            List<ObjectNode> found = new ArrayList<>();
            long revision = api.list(reference.kind(), scope, KubeApi.View.WHOLE, found::add);
            tell(found.isEmpty() ? null : found.getFirst());
            try (KubeApi.Watch watch = api.watch(reference.kind(), scope, revision, KubeApi.View.WHOLE)) {
                while (goesOn()) {
                    for (KubeApi.Event event : watch.next(POLL).events()) {
                        tell(event.deleted() ? null : event.object());
                    }
                }
            }
        }

        private void tell(@Nullable ObjectNode object) {
            List<String> uids;
            synchronized (ReferencedObjects.this) {
                uids = learn(object) ? new ArrayList<>(users) : List.of();
            }
            uids.forEach(changed);
        }
    }
}
