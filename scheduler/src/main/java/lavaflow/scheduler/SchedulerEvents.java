package lavaflow.scheduler;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.controller.QueuedEvents;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events in the form of {@code events.k8s.io}, which of upstream's components only the scheduler uses: with an action and an
 * exact time; the same about the same revision of a pod is a series instead of a count, told of at its second event and then
 * every few minutes. On one thread.
 */
final class SchedulerEvents implements QueuedEvents.Recorder {
    static final KubeApi.Kind EVENTS = new KubeApi.Kind("events.k8s.io", "v1", "events", true);

    private static final Logger LOG = LoggerFactory.getLogger(SchedulerEvents.class);
    /** Longer notes are refused. */
    private static final int NOTE_BYTES = 1024;

    private static final String CUT = " ...";
    private static final int REMEMBERED = 4096;
    private static final Duration PAUSE = Duration.ofMinutes(6);

    private record About(String uid, String revision, String reason, String note) {}

    /**
     * @param told when the count was last written
     */
    private record Series(String name, long count, Instant told) {}

    private final KubeApi api;
    private final InstantSource clock;
    private final Map<About, Series> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<About, Series> eldest) {
            return size() > REMEMBERED;
        }
    };
    private @Nullable String instance;

    SchedulerEvents(KubeApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    @Override
    public void record(ObjectNode pod, boolean warning, String reason, String message) {
        String note = cut(message);
        About about = new About(
                Json.textAt(pod, "metadata", "uid"), Json.textAt(pod, "metadata", "resourceVersion"), reason, note);
        Instant now = clock.instant();
        try {
            Series before = known.get(about);
            Series after = before == null ? null : again(before, Json.textAt(pod, "metadata", "namespace"), now);
            known.put(about, after == null ? first(pod, warning, reason, note, now) : after);
        } catch (ApiException e) {
            LOG.debug("event about {} not recorded: {}", Json.textAt(pod, "metadata", "name"), e.getMessage());
        }
    }

    private Series first(ObjectNode pod, boolean warning, String reason, String note, Instant now) {
        String namespace = Json.textAt(pod, "metadata", "namespace");
        long nanos = now.getEpochSecond() * 1_000_000_000 + now.getNano();
        String name = Json.textAt(pod, "metadata", "name") + "." + Long.toHexString(nanos);
        ObjectNode event = Json.object();
        event.putObject("metadata").put("name", name).put("namespace", namespace);
        event.put("eventTime", GoTime.micros(now));
        event.put("reportingController", ScheduledPod.SCHEDULER).put("reportingInstance", instance());
        event.put("action", action(reason)).put("reason", reason);
        ObjectNode regarding = event.putObject("regarding").put("kind", "Pod").put("apiVersion", "v1");
        for (String field : new String[] {"namespace", "name", "uid", "resourceVersion"}) {
            regarding.put(field, Json.textAt(pod, "metadata", field));
        }
        event.put("note", note).put("type", warning ? "Warning" : "Normal");
        api.create(EVENTS, namespace, event);
        return new Series(name, 1, now);
    }

    /** Null where the event is gone, as events go after a while. */
    private @Nullable Series again(Series before, String namespace, Instant now) {
        long count = before.count() + 1;
        if (count > 2 && before.told().plus(PAUSE).isAfter(now)) {
            return new Series(before.name(), count, before.told());
        }
        ObjectNode patch = Json.object();
        patch.putObject("series").put("count", count).put("lastObservedTime", GoTime.micros(now));
        try {
            api.patch(EVENTS, namespace, before.name(), "", KubeApi.Merge.PLAIN, patch);
        } catch (ApiException e) {
            if (e.code() == 404) {
                return null;
            }
            throw e;
        }
        return new Series(before.name(), count, now);
    }

    private static String action(String reason) {
        return switch (reason) {
            case "Scheduled" -> "Binding";
            case "Preempted" -> "Preempting";
            default -> "Scheduling";
        };
    }

    /** Messages of the scheduler are ASCII but for names, which are, too. */
    private static String cut(String message) {
        return message.length() <= NOTE_BYTES ? message : message.substring(0, NOTE_BYTES - CUT.length()) + CUT;
    }

    private String instance() {
        if (instance == null) {
            String host;
            try {
                host = InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException _) {
                host = "unknown";
            }
            instance = ScheduledPod.SCHEDULER + "-" + host;
        }
        return instance;
    }
}
