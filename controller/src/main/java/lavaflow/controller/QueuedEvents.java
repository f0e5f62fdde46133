package lavaflow.controller;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events for those who cannot wait: they are written one after the other behind their back. As upstream, what does not fit
 * any more is dropped: events are a service, not a duty. Its thread lives only while there is something to write.
 * Thread-safe.
 */
public final class QueuedEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QueuedEvents.class);
    private static final int ROOM = 4096;
    private static final List<String> NAMING = List.of("name", "namespace", "uid", "resourceVersion");
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Who writes an event, in whatever form; may take its time. */
    @FunctionalInterface
    public interface Recorder {
        void record(ObjectNode about, boolean warning, String reason, String message);
    }

    private record Waiting(ObjectNode about, boolean warning, String reason, String message) {}

    private final Recorder recorder;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private @Nullable Thread thread;
    private boolean closed;

    public QueuedEvents(KubeApi api, String component, InstantSource clock) {
        this(new EventRecorder(api, component, clock));
    }

    public QueuedEvents(EventRecorder events) {
        this((about, warning, reason, message) -> {
            if (warning) {
                events.warning(about, reason, message);
            } else {
                events.normal(about, reason, message);
            }
        });
    }

    /**
     * @param recorder is called by one thread at a time
     */
    public QueuedEvents(Recorder recorder) {
        this.recorder = recorder;
    }

    public void normal(ObjectNode about, String reason, String message) {
        add(new Waiting(nameOf(about), false, reason, message));
    }

    public void warning(ObjectNode about, String reason, String message) {
        add(new Waiting(nameOf(about), true, reason, message));
    }

    /** All an event says of an object: thousands of whole pods would wait here for their turn. */
    private static ObjectNode nameOf(ObjectNode about) {
        ObjectNode name = Json.object();
        name.put("apiVersion", Json.textAt(about, "apiVersion")).put("kind", Json.textAt(about, "kind"));
        name.put("fieldPath", Json.textAt(about, "fieldPath"));
        ObjectNode metadata = name.putObject("metadata");
        for (String field : NAMING) {
            metadata.put(field, Json.textAt(about, "metadata", field));
        }
        return name;
    }

    private synchronized void add(Waiting event) {
        if (closed || waiting.size() >= ROOM) {
            return;
        }
        waiting.add(event);
        if (thread == null) {
            thread = Thread.ofVirtual().name("events").start(this::write);
        }
    }

    private void write() {
        for (Waiting next = next(); next != null; next = next()) {
            try {
                recorder.record(next.about(), next.warning(), next.reason(), next.message());
            } catch (RuntimeException e) {
                LOG.error("event {} not recorded", next.reason(), e);
            }
        }
    }

    private synchronized @Nullable Waiting next() {
        Waiting next = closed ? null : waiting.poll();
        if (next == null) {
            thread = null;
        }
        return next;
    }

    /** Drops what is still waiting; when it returns nothing is being written. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        if (running != null) {
            Threads.join(List.of(running), PATIENCE);
        }
    }
}
