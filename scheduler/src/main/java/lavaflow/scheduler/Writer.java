package lavaflow.scheduler;

import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.controller.QueuedEvents;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes decisions, many at a time, so that they share the store's commits. */
final class Writer {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
    private static final int AT_ONCE = 128;
    private static final long PATIENCE_SECONDS = 5;

    /** Where requests run. */
    interface Threads {
        void run(Runnable task);

        /** Waits for what runs. */
        void close() throws InterruptedException;

        /** On the caller's thread, for those who need an exact order. */
        static Threads callers() {
            return new Threads() {
                @Override
                public void run(Runnable task) {
                    task.run();
                }

                @Override
                public void close() {}
            };
        }

        /** On threads of their own; whoever asks for too many waits. */
        static Threads many() {
            Semaphore places = new Semaphore(AT_ONCE);
            return new Threads() {
                @Override
                public void run(Runnable task) {
                    places.acquireUninterruptibly();
                    Thread.ofVirtual().start(() -> {
                        try {
                            task.run();
                        } finally {
                            places.release();
                        }
                    });
                }

                @Override
                public void close() throws InterruptedException {
                    if (places.tryAcquire(AT_ONCE, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                        places.release(AT_ONCE);
                    }
                }
            };
        }
    }

    private final KubeApi api;
    private final InstantSource clock;
    private final Threads threads;
    private final Consumer<String> bindingFailed;
    private final QueuedEvents events;

    Writer(KubeApi api, InstantSource clock, Threads threads, Consumer<String> bindingFailed) {
        this.api = api;
        this.clock = clock;
        this.threads = threads;
        this.bindingFailed = bindingFailed;
        this.events = new QueuedEvents(api, ScheduledPod.SCHEDULER, clock);
    }

    void write(Action action) {
        threads.run(() -> {
            try {
                perform(action);
            } catch (ApiException e) {
                failed(action, e);
            } catch (RuntimeException e) {
                LOG.error("{} failed", action.getClass().getSimpleName(), e);
                failed(action, ApiException.internal(String.valueOf(e.getMessage())));
            }
        });
    }

    private void perform(Action action) {
        switch (action) {
            case Action.Bind(ScheduledPod pod, String node) -> bind(pod, node);
            case Action.ChooseVolumes choose -> choose(choose);
            case Action.Refuse refuse -> tell(refuse.pod(), "Unschedulable", refuse.message(), refuse.nominated());
            case Action.GiveUp(ScheduledPod pod, String node, String message) ->
                tell(pod, "SchedulerError", message, node);
            case Action.Evict evict -> evict(evict);
            case Action.Displace(ScheduledPod pod) -> nominate(pod, null);
        }
    }

    private void failed(Action action, ApiException e) {
        switch (action) {
            case Action.Bind(ScheduledPod pod, String node) -> {
                // A pod that is gone, or has a node by now, is no failure.
                if (e.code() != 404 && e.code() != 409) {
                    LOG.warn("{} could not be bound to {}: {}", pod.place(), node, e.getMessage());
                    events.warning(reference(pod), "FailedScheduling", "binding rejected: " + e.getMessage());
                }
                bindingFailed.accept(pod.uid());
            }
            case Action.ChooseVolumes choose -> {
                LOG.warn("volumes of {} could not be chosen: {}", choose.pod().place(), e.getMessage());
                bindingFailed.accept(choose.pod().uid());
            }
            case Action.GiveUp giveUp -> LOG.debug("{}: {}", giveUp.pod().place(), e.getMessage());
            case Action.Refuse refuse -> LOG.debug("{}: {}", refuse.pod().place(), e.getMessage());
            case Action.Evict evict ->
                LOG.debug("{} not evicted: {}", evict.victim().place(), e.getMessage());
            case Action.Displace displace -> LOG.debug("{}: {}", displace.pod().place(), e.getMessage());
        }
    }

    private static ObjectNode reference(ScheduledPod pod) {
        ObjectNode about = Json.object().put("kind", "Pod").put("apiVersion", "v1");
        about.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid());
        return about;
    }

    private void bind(ScheduledPod pod, String node) {
        ObjectNode binding = Json.object().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid());
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
        api.post(Scheduler.PODS, pod.namespace(), pod.name(), "binding", binding);
        events.normal(reference(pod), "Scheduled", "Successfully assigned " + pod.place() + " to " + node);
    }

    /** Volumes may take long: until then the pod itself says where it is expected, also to a scheduler that comes later. */
    private void choose(Action.ChooseVolumes choose) {
        if (!choose.pod().nominated().equals(choose.node())) {
            nominate(choose.pod(), choose.node());
        }
        choose.choices().forEach(choice -> ask(choice, choose.node()));
    }

    /** Has a volume made on the node, or keeps an existing one for the claim; who binds both is another. */
    private void ask(Volumes.Choice choice, String node) {
        VolumeClaim claim = choice.claim();
        ObjectNode patch = Json.object();
        Volume volume = choice.volume();
        if (volume == null) {
            Json.ensureObject(patch, "metadata", "annotations").put(VolumeClaim.SELECTED_NODE, node);
            api.patch(Scheduler.CLAIMS, claim.namespace(), claim.name(), "", KubeApi.Merge.PLAIN, patch);
            return;
        }
        Json.ensureObject(patch, "metadata", "annotations").put("pv.kubernetes.io/bound-by-controller", "yes");
        Json.ensureObject(patch, "spec", "claimRef")
                .put("kind", "PersistentVolumeClaim")
                .put("apiVersion", "v1")
                .put("namespace", claim.namespace())
                .put("name", claim.name())
                .put("uid", claim.uid());
        api.patch(Scheduler.VOLUMES, "", volume.name(), "", KubeApi.Merge.PLAIN, patch);
    }

    /** Tells why a pod has no node, unless it says so already. */
    private void tell(ScheduledPod pod, String reason, String message, String node) {
        boolean told = pod.condition().equals(reason + ": " + message);
        boolean nominated = pod.nominated().equals(node);
        if (told && nominated) {
            return;
        }
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata").put("uid", pod.uid());
        ObjectNode status = Json.ensureObject(patch, "status");
        ObjectNode condition = status.putArray("conditions").addObject();
        condition.put("type", "PodScheduled").put("status", "False");
        condition.put("observedGeneration", pod.generation());
        if (pod.condition().isEmpty()) {
            condition.put("lastTransitionTime", GoTime.seconds(clock.instant()));
        }
        condition.put("reason", reason).put("message", message);
        if (!nominated) {
            status.put("nominatedNodeName", node);
        }
        api.patch(Scheduler.PODS, pod.namespace(), pod.name(), "status", KubeApi.Merge.STRATEGIC, patch);
        events.warning(reference(pod), "FailedScheduling", message);
    }

    private void nominate(ScheduledPod pod, @Nullable String node) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata").put("uid", pod.uid());
        Json.ensureObject(patch, "status").put("nominatedNodeName", node);
        api.patch(Scheduler.PODS, pod.namespace(), pod.name(), "status", KubeApi.Merge.STRATEGIC, patch);
    }

    private void evict(Action.Evict evict) {
        ScheduledPod victim = evict.victim();
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata").put("uid", victim.uid());
        ObjectNode condition =
                Json.ensureObject(patch, "status").putArray("conditions").addObject();
        condition.put("type", "DisruptionTarget").put("status", "True");
        condition.put("observedGeneration", victim.generation());
        condition.put("lastTransitionTime", GoTime.seconds(clock.instant()));
        condition.put("reason", "PreemptionByScheduler");
        condition.put("message", ScheduledPod.SCHEDULER + ": preempting to accommodate a higher priority pod");
        api.patch(Scheduler.PODS, victim.namespace(), victim.name(), "status", KubeApi.Merge.STRATEGIC, patch);
        api.delete(Scheduler.PODS, victim.namespace(), victim.name(), KubeApi.Deletion.ofUid(victim.uid()));
        events.normal(
                reference(victim), "Preempted", "Preempted by pod " + evict.by().uid() + " on node " + evict.node());
    }

    /** Lets what is being written end. */
    void close() throws InterruptedException {
        threads.close();
        events.close();
    }
}
