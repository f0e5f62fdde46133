package lavaflow.kubelet;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.node.PodStatusPatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the status of one pod behind the back of whoever decides it: what was decided last is written, what was decided
 * in between is left out, and what cannot be written is tried again. That a pod is being made waits a little: most run
 * before anybody could read it, and writing it costs as much as telling that they run. So does the moment between two lives
 * of a container whose image was changed, of which kubelets, who do both in one go, rarely tell: the pod stays ready.
 */
final class StatusWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(10);
    static final Duration PASSING_WAITS = Duration.ofSeconds(1);
    private static final Set<String> MAKING = Set.of("ContainerCreating", "PodInitializing");

    /** Runs something after a while. */
    interface Later {
        void after(Duration delay, Runnable task);
    }

    /** Hears what the API has now. */
    interface Listener {
        void written(ObjectNode pod, ObjectNode status);
    }

    private final KubeApi api;
    private final Later later;
    private final Listener listener;
    private final String namespace;
    private final String name;
    private final String uid;
    private ObjectNode known;
    private @Nullable ObjectNode wanted;
    private boolean waiting;
    private boolean writing;
    private boolean gone;

    StatusWriter(KubeApi api, ObjectNode pod, Later later, Listener listener) {
        PodView view = new PodView(pod);
        this.api = api;
        this.later = later;
        this.listener = listener;
        this.namespace = view.namespace();
        this.name = view.name();
        this.uid = view.uid();
        this.known = pod;
    }

    /** The pod as somebody else has written it. */
    synchronized void seen(ObjectNode pod) {
        known = pod;
    }

    /** Writes a status soon, or, if it is soon to be another one, after a while. */
    synchronized void offer(ObjectNode status, boolean passing) {
        if (gone) {
            return;
        }
        wanted = status;
        if (!writing && PodStatusPatch.between(Json.objectAt(known, "status"), status) == null) {
            wanted = null;
            notifyAll();
            return;
        }
        if (!passing && !isBeingMade(status)) {
            begin();
        } else if (!waiting) {
            waiting = true;
            later.after(PASSING_WAITS, this::waited);
        }
    }

    private synchronized void waited() {
        waiting = false;
        begin();
    }

    private void begin() {
        if (!writing && wanted != null) {
            writing = true;
            Thread.ofVirtual().name("status " + name).start(this::write);
        }
    }

    /** Whether all of the pod waits for its first process, and nothing stands in its way. */
    private static boolean isBeingMade(ObjectNode status) {
        if (!Json.textAt(status, "phase").equals("Pending")) {
            return false;
        }
        for (String list : List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")) {
            for (JsonNode container : Json.listAt(status, list)) {
                if (!MAKING.contains(Json.textAt(container, "state", "waiting", "reason"))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Nothing can be written any more. */
    synchronized void forget() {
        gone = true;
        wanted = null;
        notifyAll();
    }

    /** Waits until everything is written; false if the pod is gone. */
    synchronized boolean awaitWritten() throws InterruptedException {
        while (!gone && (writing || wanted != null)) {
            begin();
            wait();
        }
        return !gone;
    }

    /** As above, but not for longer than some time. */
    synchronized boolean awaitWritten(Duration atMost) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!gone && (writing || wanted != null)) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return !gone;
    }

    private void write() {
        Duration pause = FIRST_PAUSE;
        while (true) {
            ObjectNode status;
            ObjectNode patch;
            synchronized (this) {
                status = wanted;
                patch = status == null || gone ? null : PodStatusPatch.between(Json.objectAt(known, "status"), status);
                if (status == null || patch == null) {
                    wanted = null;
                    writing = false;
                    notifyAll();
                    return;
                }
            }
            try {
                ObjectNode body = Json.object();
                body.putObject("metadata").put("uid", uid);
                body.set("status", patch);
                ObjectNode answer =
                        api.patch(Surroundings.PODS, namespace, name, "status", KubeApi.Merge.STRATEGIC, body);
                pause = FIRST_PAUSE;
                synchronized (this) {
                    known = answer;
                    if (status.equals(wanted)) {
                        wanted = null;
                    }
                }
                listener.written(answer, status);
            } catch (ApiException e) {
                if (e.code() == 404 || e.code() == 409) {
                    forget();
                    continue;
                }
                LOG.warn("status of pod {}/{} not written: {}", namespace, name, e.getMessage());
                if (!rest(pause)) {
                    return;
                }
                pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : pause.multipliedBy(2);
            } catch (RuntimeException e) {
                LOG.error("status of pod {}/{} not written", namespace, name, e);
                forget();
            }
        }
    }

    private static boolean rest(Duration pause) {
        try {
            Thread.sleep(pause);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
