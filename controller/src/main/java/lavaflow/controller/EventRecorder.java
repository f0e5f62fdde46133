package lavaflow.controller;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells users what a component did, as Events. The same message about the same object raises a count instead of adding
 * an object, many different messages for one reason share an event, and one object cannot flood the API: after a burst it
 * gets an event every five minutes, all as upstream has it.
 */
public final class EventRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    private static final int REMEMBERED = 4096;
    private static final int BURST = 25;
    private static final long REFILL_SECONDS = 300;

    /** So many different things may be said of an object for one reason; beyond that they share an event. */
    private static final int SIMILAR = 10;

    private static final Duration SIMILAR_WITHIN = Duration.ofMinutes(10);
    private static final String COMBINED = "(combined from similar events): ";

    private record Said(String namespace, String name, int count) {}

    /** Different things said of one object for one reason, lately. */
    private static final class Similar {
        private final Set<String> messages = new HashSet<>();
        private Instant last;

        Similar(Instant now) {
            this.last = now;
        }

        /** Whether this message is one too many. */
        boolean isTooMuch(String message, Instant now) {
            if (Duration.between(last, now).compareTo(SIMILAR_WITHIN) > 0) {
                messages.clear();
            }
            last = now;
            if (messages.contains(message) || messages.size() < SIMILAR - 1) {
                messages.add(message);
                return false;
            }
            return true;
        }
    }

    private static final class Allowance {
        private double left = BURST;
        private Instant since;

        Allowance(Instant since) {
            this.since = since;
        }

        boolean take(Instant now) {
            left = Math.min(BURST, left + (double) (now.getEpochSecond() - since.getEpochSecond()) / REFILL_SECONDS);
            since = now;
            if (left < 1) {
                return false;
            }
            left--;
            return true;
        }
    }

    /** Keeps the newest only. */
    private static final class Bounded<V> extends LinkedHashMap<String, V> {
        private static final long serialVersionUID = 1;

        Bounded() {
            super(64, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > REMEMBERED;
        }
    }

    private final KubeApi api;
    private final String component;
    private final String host;
    private final InstantSource clock;
    private final Map<String, Said> said = new Bounded<>();
    private final Map<String, Similar> similar = new Bounded<>();
    private final Map<String, Allowance> allowances = new Bounded<>();
    private long serial;

    /**
     * @param component who speaks: {@code replicaset-controller}
     */
    public EventRecorder(KubeApi api, String component, InstantSource clock) {
        this(api, component, "", clock);
    }

    /**
     * As the other one, for a component that is there on many machines.
     *
     * @param host the one that speaks
     */
    public EventRecorder(KubeApi api, String component, String host, InstantSource clock) {
        this.api = api;
        this.component = component;
        this.host = host;
        this.clock = clock;
        // Recorders that began in the same moment must not give their events the same names.
        this.serial = clock.instant().toEpochMilli() * 1_000_000 + Math.floorMod(component.hashCode(), 1_000_000);
    }

    /** Tells something usual. A fieldPath beside the metadata of what it is about names the part that is meant. */
    public void normal(ObjectNode about, String reason, String message) {
        record(about, "Normal", reason, message);
    }

    public void warning(ObjectNode about, String reason, String message) {
        record(about, "Warning", reason, message);
    }

    /** An event that cannot be written is not worth failing for. Writers do not wait for each other. */
    private void record(ObjectNode about, String type, String reason, String message) {
        Instant now = clock.instant();
        String uid = Json.textAt(about, "metadata", "uid");
        String kind = uid + '\n' + Json.textAt(about, "fieldPath") + '\n' + type + '\n' + reason;
        String key;
        String shown;
        Said before;
        long number;
        synchronized (this) {
            boolean combined =
                    similar.computeIfAbsent(kind, _ -> new Similar(now)).isTooMuch(message, now);
            key = combined ? kind : kind + '\n' + message;
            shown = combined ? COMBINED + message : message;
            if (!allowances.computeIfAbsent(uid, _ -> new Allowance(now)).take(now)) {
                return;
            }
            before = said.get(key);
            number = ++serial;
        }
        try {
            Said after = before == null ? null : repeated(before, shown, now);
            Said latest = after == null ? first(about, type, reason, shown, now, number) : after;
            synchronized (this) {
                said.put(key, latest);
            }
        } catch (ApiException e) {
            LOG.debug("event about {} not recorded: {}", Json.textAt(about, "metadata", "name"), e.getMessage());
        }
    }

    /** Null where the event is gone, as events go after a while. */
    private @Nullable Said repeated(Said before, String message, Instant now) {
        int count = before.count() + 1;
        ObjectNode patch = Json.object();
        patch.put("message", message).put("count", count).put("lastTimestamp", GoTime.seconds(now));
        try {
            api.patch(EVENTS, before.namespace(), before.name(), "", KubeApi.Merge.PLAIN, patch);
        } catch (ApiException e) {
            if (e.code() == 404) {
                return null;
            }
            throw e;
        }
        return new Said(before.namespace(), before.name(), count);
    }

    private Said first(ObjectNode about, String type, String reason, String message, Instant now, long number) {
        String namespace = Json.textAt(about, "metadata", "namespace");
        String home = namespace.isEmpty() ? "default" : namespace;
        String name = Json.textAt(about, "metadata", "name") + "." + Long.toHexString(number);
        ObjectNode event = Json.object();
        event.putObject("metadata").put("name", name).put("namespace", home);
        ObjectNode involved = event.putObject("involvedObject");
        involved.put("kind", Json.textAt(about, "kind"));
        if (!namespace.isEmpty()) {
            involved.put("namespace", namespace);
        }
        involved.put("name", Json.textAt(about, "metadata", "name"));
        involved.put("uid", Json.textAt(about, "metadata", "uid"));
        involved.put("apiVersion", Json.textAt(about, "apiVersion"));
        involved.put("resourceVersion", Json.textAt(about, "metadata", "resourceVersion"));
        String part = Json.textAt(about, "fieldPath");
        if (!part.isEmpty()) {
            involved.put("fieldPath", part);
        }
        event.put("reason", reason).put("message", message);
        ObjectNode source = event.putObject("source").put("component", component);
        if (!host.isEmpty()) {
            source.put("host", host);
        }
        event.put("firstTimestamp", GoTime.seconds(now)).put("lastTimestamp", GoTime.seconds(now));
        event.put("count", 1).put("type", type);
        event.put("reportingComponent", component).put("reportingInstance", host);
        api.create(EVENTS, home, event);
        return new Said(home, name, 1);
    }
}
