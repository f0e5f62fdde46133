package lavaflow.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Shows a gang until it has ended: on a terminal a picture that is drawn over itself, elsewhere a line for each change.
 *
 * <p>One thread draws; what pods say of their progress is read by a virtual thread each.
 */
public final class GangWatch {
    /** A terminal's size now; null where there is none. */
    public record Size(int columns, int rows) {}

    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Duration DRAWING = Duration.ofMillis(500);

    /** So many pods are listened to: the others of a large gang say the same. */
    private static final int LISTENED = 32;

    private static final int PAST = 20;

    /** How long the last picture waits for what pods that have ended said at last. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    /** Most gangs wait for a moment; asking why costs the server some work. */
    private static final Duration SOON = Duration.ofSeconds(2);

    private static final Duration ASKING = Duration.ofSeconds(5);

    private final KubeApi api;
    private final LogSource source;
    private final RunView.Why why;
    private final Target target;
    private final Palette palette;
    private final PrintWriter out;
    private final Supplier<@Nullable Size> terminal;
    private final InstantSource clock;
    private final Target.Membership membership;
    private final Map<String, ObjectNode> pods = new TreeMap<>();
    private final Map<String, Progress> progress = new ConcurrentHashMap<>();
    private final Map<String, LogSource.LogText> listening = new ConcurrentHashMap<>();
    private final Map<String, Long> lives = new HashMap<>();
    private final Map<String, Thread> listeners = new HashMap<>();
    private final GangChanges changes = new GangChanges();
    private ObjectNode object;
    private @Nullable ObjectNode group;
    private Optional<String> explained = Optional.empty();
    private Instant askAfter = Instant.MIN;
    private int drawn;

    public GangWatch(
            KubeApi api,
            LogSource source,
            RunView.Why why,
            Target target,
            Palette palette,
            PrintWriter out,
            Supplier<@Nullable Size> terminal,
            InstantSource clock) {
        this.api = api;
        this.source = source;
        this.why = why;
        this.target = target;
        this.palette = palette;
        this.out = out;
        this.terminal = terminal;
        this.clock = clock;
        this.membership = target.membership(api);
        this.object = target.object();
    }

    /** Shows it to its end; empty if it was deleted before, or nobody looks any more. */
    public Optional<Outcome> run() throws InterruptedException {
        KubeApi.Listing listing = api.list(PODS, target.namespace(), KubeApi.View.WHOLE);
        listing.items().forEach(pod -> put(pod, false));
        try (KubeApi.Watch watch = api.watch(PODS, listing.revision(), KubeApi.View.WHOLE)) {
            while (true) {
                Optional<ObjectNode> now = api.find(target.kind(), target.namespace(), target.name());
                if (now.isEmpty()) {
                    out.println(palette.yellow("● ") + target.name() + " was deleted");
                    out.flush();
                    return Optional.empty();
                }
                object = now.get();
                group = findGroup();
                if (isOver()) {
                    // The last picture is of how it is, not of what was heard of it so far.
                    pods.clear();
                    api.list(PODS, target.namespace(), KubeApi.View.WHOLE)
                            .items()
                            .forEach(pod -> put(pod, false));
                }
                pods.values().forEach(this::listen);
                if (isOver()) {
                    awaitLastWords();
                }
                show();
                if (isOver()) {
                    return Optional.of(outcome());
                }
                if (out.checkError()) {
                    return Optional.empty(); // nobody looks any more
                }
                for (KubeApi.Event event : watch.next(DRAWING).events()) {
                    put(event.object(), event.deleted());
                }
            }
        } finally {
            listening.values().forEach(LogSource.LogText::close);
        }
    }

    private void put(ObjectNode pod, boolean deleted) {
        if (!Json.textAt(pod, "metadata", "namespace").equals(target.namespace()) || !membership.has(pod)) {
            return;
        }
        String name = Json.textAt(pod, "metadata", "name");
        if (deleted) {
            pods.remove(name);
            progress.remove(name);
        } else {
            pods.put(name, pod);
        }
    }

    private Outcome outcome() {
        return Outcome.of(object);
    }

    private boolean isOver() {
        return outcome().isEnd();
    }

    private @Nullable ObjectNode findGroup() {
        boolean known = !pods.isEmpty() && group != null;
        return known ? group : GangGroup.find(api, target, pods.values()).orElse(null);
    }

    // ---- showing

    private void show() {
        List<GangPod> members = new ArrayList<>();
        pods.values().forEach(pod -> members.add(GangPod.of(pod, target.name(), clock.instant())));
        String kind = target.kind().resource().replaceFirst("s$", "");
        Instant now = clock.instant();
        Gang gang = new Gang(kind, object, group, members, Map.copyOf(progress), Optional.empty(), now);
        if (gang.waits()) {
            explain(now);
            gang = new Gang(kind, object, group, members, gang.progress(), explained, now);
        }
        Size size = terminal.get();
        if (size == null) {
            changes.since(gang).forEach(out::println);
        } else {
            StringBuilder frame = new StringBuilder();
            if (drawn > 0) {
                frame.append("\u001b[").append(drawn).append('A');
            }
            List<String> lines = new GangView(palette, size.columns(), size.rows()).draw(gang);
            lines.forEach(line -> frame.append(line).append("\u001b[K\n"));
            out.print(frame.append("\u001b[J"));
            drawn = lines.size();
        }
        out.flush();
    }

    private void explain(Instant now) {
        ObjectNode waiting = group;
        if (askAfter.equals(Instant.MIN)) {
            askAfter = now.plus(SOON);
        } else if (!askAfter.isAfter(now)) {
            askAfter = now.plus(ASKING);
            explained = pods.isEmpty() ? complaint() : Optional.empty();
            if (explained.isEmpty() && waiting != null) {
                explained = why.waits(target.namespace(), Json.textAt(waiting, "metadata", "name"));
            }
        }
    }

    /** What keeps its pods, or its PodGroup, from being made. */
    private Optional<String> complaint() {
        try {
            return Complaint.last(api, object).map(Complaint::message);
        } catch (ApiException _) {
            return Optional.empty(); // not everybody may read events
        }
    }

    // ---- listening

    private void listen(ObjectNode pod) {
        String name = Json.textAt(pod, "metadata", "name");
        JsonNode first = Json.listAt(pod, "status", "containerStatuses").path(0);
        boolean began = Json.at(first, "state", "running") != null || Json.at(first, "state", "terminated") != null;
        long life = Json.longAt(first, 0, "restartCount");
        Long heard = lives.get(name);
        if (!began || (heard != null && heard >= life) || (heard == null && lives.size() >= LISTENED)) {
            return;
        }
        lives.put(name, life);
        String container = Json.textAt(first, "name");
        listeners.put(name, Thread.ofVirtual().name("progress of " + name).start(() -> hear(name, container)));
    }

    /** Logs of pods that have ended end, too; of others nobody waits for more. */
    private void awaitLastWords() throws InterruptedException {
        long deadline = System.nanoTime() + LAST_WORDS.toNanos();
        for (Map.Entry<String, ObjectNode> pod : pods.entrySet()) {
            Thread listener = listeners.get(pod.getKey());
            String phase = Json.textAt(pod.getValue(), "status", "phase");
            if (listener != null && (phase.equals("Succeeded") || phase.equals("Failed"))) {
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                if (!left.isPositive() || !listener.join(left)) {
                    return;
                }
            }
        }
    }

    private void hear(String pod, String container) {
        String path = LogSource.path(target.namespace(), pod, container, true, PAST, "", -1);
        LogPlace place = new LogPlace();
        try (LogSource.LogText text = source.open(path)) {
            listening.put(pod, text);
            for (String line = text.next(); line != null; line = text.next()) {
                LogPlace.Line read = place.read(line);
                if (read != null) {
                    Progress.of(read.text(), progress.get(pod)).ifPresent(told -> progress.put(pod, told));
                }
            }
        } catch (ApiException _) {
            // A pod without a log is a pod that says nothing of its progress.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            listening.remove(pod);
        }
    }
}
