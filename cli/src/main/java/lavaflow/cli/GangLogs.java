package lavaflow.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Shows the logs of all pods of an object as one, each line with the pod it is of. Pods that come later join; a container that begins
 * anew, or whose connection was cut, goes on where it stopped.
 *
 * <p>One virtual thread reads each container; lines are printed whole.
 */
public final class GangLogs {
    /**
     * What is wanted.
     *
     * @param tail how many lines of the past at most; below zero for all
     * @param ago how many seconds of the past at most; below zero for all
     */
    public record Wish(boolean follow, long tail, long ago, boolean timestamps, boolean prefix) {}

    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int MOST_REFUSALS = 3;
    private static final Duration LINGER = Duration.ofSeconds(3);

    private final KubeApi api;
    private final LogSource source;
    private final Target target;
    private final Wish wish;
    private final LogLines lines;
    private final String head;
    private final Target.Membership membership;
    private final Map<String, ObjectNode> pods = new TreeMap<>();
    /** Those there were so far, however they were heard of. */
    private final Set<String> seen = new HashSet<>();

    private final Map<String, Reader> readers = new LinkedHashMap<>();
    private long askedAt = System.nanoTime();
    private @Nullable Long endedAt;

    public GangLogs(KubeApi api, LogSource source, Target target, Wish wish, Palette palette, PrintWriter out) {
        this(api, source, target, wish, new LogLines(palette, out, wish.prefix(), wish.timestamps()), "");
    }

    /**
     * @param lines where they are printed, perhaps together with those of others
     * @param head what stands before the names of pods, to tell them from those of others
     */
    GangLogs(KubeApi api, LogSource source, Target target, Wish wish, LogLines lines, String head) {
        this.api = api;
        this.source = source;
        this.target = target;
        this.wish = wish;
        this.lines = lines;
        this.head = head;
        this.membership = target.membership(api);
    }

    /** Shows what there is, or until the object has ended; returns how many pods were seen. */
    public int run() throws InterruptedException {
        KubeApi.Listing listing = api.list(PODS, target.namespace(), KubeApi.View.WHOLE);
        listing.items().forEach(pod -> put(pod, false));
        if (!wish.follow()) {
            for (ObjectNode pod : List.copyOf(pods.values())) {
                for (Reader reader : lines.isRead() ? readersOf(pod) : List.<Reader>of()) {
                    reader.readOnce();
                }
            }
            return seen.size();
        }
        try (KubeApi.Watch watch = api.watch(PODS, listing.revision(), KubeApi.View.WHOLE)) {
            while (true) {
                pods.values().forEach(pod -> readersOf(pod).forEach(Reader::goOn));
                if (!lines.isRead() || (isOver() && !hasMore())) {
                    return seen.size();
                }
                for (KubeApi.Event event : watch.next(LOOK).events()) {
                    put(event.object(), event.deleted());
                }
            }
        } finally {
            readers.values().forEach(Reader::stop);
        }
    }

    private void put(ObjectNode pod, boolean deleted) {
        String name = Json.textAt(pod, "metadata", "name");
        if (!Json.textAt(pod, "metadata", "namespace").equals(target.namespace()) || !membership.has(pod)) {
            return;
        }
        String uid = Json.textAt(pod, "metadata", "uid");
        seen.add(uid);
        if (deleted) {
            pods.remove(name);
            readers.forEach((key, reader) -> {
                if (key.startsWith(uid + "/")) {
                    reader.goes();
                }
            });
            return;
        }
        pods.put(name, pod);
    }

    /**
     * Whether nothing more will come: who made the pods has ended, or is gone, and all was read. Pods that it leaves running, as
     * parameter servers are, are listened to for a moment only.
     */
    private boolean isOver() {
        boolean reading = readers.values().stream().anyMatch(Reader::isBusy);
        if (reading && System.nanoTime() - askedAt < LOOK.toNanos()) {
            return false;
        }
        askedAt = System.nanoTime();
        Optional<ObjectNode> now = api.find(target.kind(), target.namespace(), target.name());
        if (now.isPresent() && !Outcome.of(now.get()).isEnd()) {
            endedAt = null;
            return false;
        }
        if (endedAt == null) {
            endedAt = System.nanoTime();
        }
        return hasWaited() ? readers.values().stream().noneMatch(Reader::isBehind) : !reading && allEnded();
    }

    /** Whether there are pods, or lives of them, that the watch has not told of yet. */
    private boolean hasMore() {
        pods.clear();
        api.list(PODS, target.namespace(), KubeApi.View.WHOLE).items().forEach(pod -> put(pod, false));
        pods.values().forEach(pod -> readersOf(pod).forEach(Reader::goOn));
        return readers.values().stream().anyMatch(hasWaited() ? Reader::isBehind : Reader::isBusy);
    }

    private boolean hasWaited() {
        return endedAt != null && System.nanoTime() - endedAt > LINGER.toNanos();
    }

    private boolean allEnded() {
        return pods.values().stream().allMatch(pod -> Outcome.of(pod).isEnd());
    }

    // ---- containers

    private List<Reader> readersOf(ObjectNode pod) {
        String name = Json.textAt(pod, "metadata", "name");
        String uid = Json.textAt(pod, "metadata", "uid");
        List<Reader> found = new ArrayList<>();
        boolean several = Json.listAt(pod, "spec", "containers").size() > 1;
        for (String field : List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")) {
            List<JsonNode> statuses = new ArrayList<>();
            Json.listAt(pod, "status", field).forEach(statuses::add);
            statuses.sort(Comparator.comparing(status -> Json.textAt(status, "name")));
            for (JsonNode status : statuses) {
                String container = Json.textAt(status, "name");
                // Those who prepare rarely say anything: a pod's only container speaks for the pod.
                boolean alone = !several && field.equals("containerStatuses");
                Reader reader = readers.computeIfAbsent(
                        uid + "/" + container,
                        _ -> new Reader(
                                name,
                                container,
                                alone ? name : name + "/" + container,
                                lines.nextColour(),
                                field.equals("initContainerStatuses")));
                reader.saw(status);
                found.add(reader);
            }
        }
        return found;
    }

    /** What stands before a line: the part of the pod's name that tells it from its neighbours. */
    private String shortened(String label) {
        String common = target.name() + "-";
        return head
                + (label.startsWith(common) && label.length() > common.length()
                        ? label.substring(common.length())
                        : label);
    }

    /** One container of one pod, through all its lives. */
    private final class Reader {
        private final String pod;
        private final String container;
        private final String label;
        private final int colour;
        /** Whether it waits for something most of the time, and says so again and again. */
        private final boolean waits;

        private String last = "";
        private final LogPlace place = new LogPlace();
        private boolean begun;
        /** The life that is running or ran last; -1 before the first. */
        private long life = -1;

        private boolean lives;
        private boolean gone;
        private long readLife = -1;
        /** How often it could not be read, one time after another. */
        private int refusals;

        private boolean readWhole;
        private LogSource.@Nullable LogText open;
        private @Nullable Thread thread;

        Reader(String pod, String container, String label, int colour, boolean waits) {
            this.pod = pod;
            this.container = container;
            this.label = shortened(label);
            this.colour = colour;
            this.waits = waits;
        }

        synchronized void saw(JsonNode status) {
            boolean running = Json.at(status, "state", "running") != null;
            boolean terminated = Json.at(status, "state", "terminated") != null;
            boolean before = Json.at(status, "lastState", "terminated") != null;
            if (running || terminated || before) {
                life = Json.longAt(status, 0, "restartCount") - (running || terminated ? 0 : 1);
            }
            lives = running;
        }

        synchronized boolean isBusy() {
            return thread != null || (life >= 0 && !gone && !isRead());
        }

        /** Its pod is no more: what nobody has read by now nobody can. */
        synchronized void goes() {
            gone = true;
        }

        /** Whether something was written that can be read and was not, by a container that writes no more. */
        synchronized boolean isBehind() {
            return isBusy() && !lives;
        }

        private boolean isRead() {
            return readLife >= life && readWhole && !lives;
        }

        /** Reads on if there is something to read and nobody does. */
        synchronized void goOn() {
            if (thread != null || life < 0 || isRead()) {
                return;
            }
            long reading = life;
            thread = Thread.ofVirtual().name("log of " + label).start(() -> follow(reading));
        }

        private void follow(long reading) {
            boolean whole = false;
            try {
                whole = read(true);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } finally {
                synchronized (this) {
                    readLife = reading;
                    readWhole = whole;
                    thread = null;
                }
            }
        }

        void readOnce() throws InterruptedException {
            if (life >= 0) {
                read(false);
            }
        }

        /** True if the server ended the log by itself; a pod that is gone has none. */
        private boolean read(boolean follow) throws InterruptedException {
            String from = place.again();
            String path = LogSource.path(
                    target.namespace(),
                    pod,
                    container,
                    follow,
                    begun ? -1 : wish.tail(),
                    from,
                    begun ? -1 : wish.ago());
            begun = true;
            try (LogSource.LogText text = source.open(path)) {
                opened(text);
                for (String line = text.next(); line != null; line = text.next()) {
                    LogPlace.Line read = place.read(line);
                    if (read != null && !(waits && read.text().equals(last))) {
                        lines.print(label, colour, read);
                        last = read.text();
                    }
                }
                return true;
            } catch (ApiException e) {
                // Simulated nodes have no logs at all, and a container that ended gets none any more.
                refusals = place.again().equals(from) ? refusals + 1 : 0;
                return e.code() == 404 || (refusals >= MOST_REFUSALS && !isAlive());
            } finally {
                opened(null);
            }
        }

        private synchronized boolean isAlive() {
            return lives;
        }

        private synchronized void opened(LogSource.@Nullable LogText text) {
            open = text;
        }

        synchronized void stop() {
            if (open != null) {
                open.close();
            }
            if (thread != null) {
                thread.interrupt();
            }
        }
    }
}
