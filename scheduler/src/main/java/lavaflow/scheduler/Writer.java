package lavaflow.scheduler;

import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import lavaflow.controller.KubeApi;
import lavaflow.controller.QueuedEvents;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.placement.DeviceClaim;
import lavaflow.placement.ScheduledPod;
import lavaflow.placement.Volume;
import lavaflow.placement.VolumeClaim;
import lavaflow.placement.Volumes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes decisions, many at a time, so that they share the store's commits. */
final class Writer {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
    /** What is told of a pod that waits for devices, with its node behind it. */
    static final String DEVICES_PENDING = "waiting for binding conditions for device on node ";

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

    /** Hears, on any thread, of what could not be written. */
    interface Troubles {
        /** A pod did not get its node, or its volumes there. */
        void bindingFailed(String uid);

        /** A pod did not go; where the server was busy it may do so a moment later. */
        void evictionFailed(String uid, boolean busy);

        /** Nobody can say at the moment whether a pod got its node. */
        void bindingUnknown(Action.Bind bind);
    }

    private final KubeApi api;
    private final InstantSource clock;
    private final Threads threads;
    private final Troubles troubles;
    private final ClaimWriter claims;
    private final QueuedEvents events;

    Writer(KubeApi api, InstantSource clock, Threads threads, ClaimWriter claims, Troubles troubles) {
        this.api = api;
        this.clock = clock;
        this.threads = threads;
        this.claims = claims;
        this.troubles = troubles;
        this.events = new QueuedEvents(new SchedulerEvents(api, clock));
    }

    void write(Action action) {
        if (action instanceof Action.Bind bind) {
            claims.prepare(bind.pod());
        } else if (action instanceof Action.PrepareDevices prepare) {
            claims.prepare(prepare.pod());
        }
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
            case Action.PrepareDevices(ScheduledPod pod, String node) -> prepare(pod, node);
            case Action.Refuse refuse -> tell(refuse.pod(), "Unschedulable", refuse.message(), refuse.nominated());
            case Action.GiveUp(ScheduledPod pod, String node, String message) -> {
                tell(pod, "SchedulerError", message, node);
                claims.refresh(pod, true);
            }
            case Action.Evict evict -> evict(evict);
            case Action.Deallocate(DeviceClaim claim) -> claims.deallocate(claim);
            case Action.DeleteClaim(DeviceClaim claim) -> claims.delete(claim);
            case Action.Displace(ScheduledPod pod) -> nominate(pod, null);
        }
    }

    private void failed(Action action, ApiException e) {
        switch (action) {
            case Action.Bind bind -> unbound(bind, e);
            case Action.PrepareDevices prepare -> unbound(new Action.Bind(prepare.pod(), prepare.node()), e);
            case Action.ChooseVolumes choose -> {
                LOG.warn("volumes of {} could not be chosen: {}", choose.pod().place(), e.getMessage());
                troubles.bindingFailed(choose.pod().uid());
            }
            case Action.GiveUp giveUp -> LOG.debug("{}: {}", giveUp.pod().place(), e.getMessage());
            case Action.Refuse refuse -> LOG.debug("{}: {}", refuse.pod().place(), e.getMessage());
            case Action.Evict evict -> {
                LOG.debug("{} not evicted: {}", evict.victim().place(), e.getMessage());
                troubles.evictionFailed(evict.victim().uid(), EvictionPauses.isBusy(e));
            }
            case Action.Deallocate deallocate ->
                LOG.debug("{}: {}", deallocate.claim().place(), e.getMessage());
            case Action.DeleteClaim delete -> LOG.debug("{}: {}", delete.claim().place(), e.getMessage());
            case Action.Displace displace -> LOG.debug("{}: {}", displace.pod().place(), e.getMessage());
        }
    }

    /** Finds out again whether a pod got its node. */
    void findOut(Action.Bind bind) {
        threads.run(() -> unbound(bind, ApiException.internal("the answer is unknown")));
    }

    private void unbound(Action.Bind bind, ApiException e) {
        ScheduledPod pod = bind.pod();
        boolean waits;
        try {
            waits = PodWrites.aftermath(api, pod, e) == PodWrites.Aftermath.WAITS;
            claims.refresh(pod, waits);
        } catch (RuntimeException unknown) {
            LOG.debug("{}: {}", pod.place(), unknown.getMessage());
            troubles.bindingUnknown(bind);
            return;
        }
        if (waits) {
            LOG.warn("{} could not be bound to {}: {}", pod.place(), bind.node(), e.getMessage());
            events.warning(PodWrites.reference(pod), "FailedScheduling", "binding rejected: " + e.getMessage());
            troubles.bindingFailed(pod.uid());
        }
    }

    private void bind(ScheduledPod pod, String node) {
        claims.reserve(pod);
        api.post(Scheduler.PODS, pod.namespace(), pod.name(), "binding", PodWrites.binding(pod, node));
        claims.done(pod);
        events.normal(PodWrites.reference(pod), "Scheduled", "Successfully assigned " + pod.place() + " to " + node);
    }

    /** Volumes may take long: until then the pod itself says where it is expected, also to a scheduler that comes later. */
    private void choose(Action.ChooseVolumes choose) {
        if (!choose.pod().nominated().equals(choose.node())) {
            nominate(choose.pod(), choose.node());
        }
        choose.choices().forEach(choice -> ask(choice, choose.node()));
    }

    /** Devices may take as long. */
    private void prepare(ScheduledPod pod, String node) {
        claims.reserve(pod);
        if (!pod.nominated().equals(node)) {
            nominate(pod, node);
        }
        events.normal(PodWrites.reference(pod), "BindingConditionsPending", DEVICES_PENDING + node);
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
        if (told && pod.nominated().equals(node)) {
            return;
        }
        ObjectNode patch = PodWrites.unscheduled(pod, reason, message, node, clock.instant());
        api.patch(Scheduler.PODS, pod.namespace(), pod.name(), "status", KubeApi.Merge.STRATEGIC, patch);
        events.warning(PodWrites.reference(pod), "FailedScheduling", message);
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
                PodWrites.reference(victim),
                "Preempted",
                "Preempted by pod " + evict.by().uid() + " on node " + evict.node());
    }

    /** Lets what is being written end. */
    void close() throws InterruptedException {
        threads.close();
        events.close();
    }
}
