package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerExit;
import lavaflow.sandbox.SandboxException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pod on this node. One turn at a time tells its status and decides what to do next; what takes long is done aside and
 * asks for another turn when it is through. Everything is guarded by the lock.
 */
final class PodLife extends PodMemory {
    private static final Logger LOG = LoggerFactory.getLogger(PodLife.class);
    private final Turns turns;
    private final PodTasks tasks = new PodTasks(this);
    private final StatusWriter writer;
    private List<ObjectNode> extraConditions = List.of();
    private List<ObjectNode> resizing = List.of();
    /** Whether nothing is to be started any more, because the node stops. */
    private boolean suspended;

    private boolean hurried;

    private boolean forgotten;

    PodLife(Surroundings around, ObjectNode pod) {
        super(around, pod);
        this.turns = new Turns(
                "pod " + uid,
                around,
                this::turn,
                e -> LOG.error("turn of pod {} failed", new PodView(object).title(), e));
        this.writer = new StatusWriter(around.api(), pod, around.timers()::after, this::written);
    }

    // ---- what others tell ----

    /** A new version of the pod. */
    void update(ObjectNode pod) {
        lock.lock();
        try {
            if (version(pod) <= version(object)) {
                return;
            }
            take(pod);
            writer.seen(pod);
        } finally {
            lock.unlock();
        }
        wake();
    }

    private void take(ObjectNode pod) {
        boolean described = isDescribedAlike(object, pod);
        object = pod;
        changed.signalAll();
        if (!described && sandbox) {
            tasks.aside("refresh", () -> new PodPlace(this).refresh());
        }
    }

    /** Whether files that tell a pod about itself stay the same. */
    private static boolean isDescribedAlike(ObjectNode one, ObjectNode other) {
        return Objects.equals(Json.at(one, "metadata", "labels"), Json.at(other, "metadata", "labels"))
                && Objects.equals(Json.at(one, "metadata", "annotations"), Json.at(other, "metadata", "annotations"));
    }

    /** Something in the API has changed that the pod's volumes show, or wait for. */
    void volumesChanged() {
        lock.lock();
        try {
            if (sandbox && !finished) {
                tasks.aside("refresh", () -> new PodPlace(this).refresh());
            } else {
                failure = null;
            }
        } finally {
            lock.unlock();
        }
        wake();
    }

    /** The pod is gone from the API; whatever is left of it goes, too. */
    void vanish() {
        lock.lock();
        try {
            vanished = true;
            writer.forget();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        wake();
    }

    /** The node ends the pod; the first reason counts. */
    void endFor(PodFacts.End why, List<ObjectNode> conditions) {
        lock.lock();
        try {
            if (end == null && !new PodView(object).isOver()) {
                end = why;
                extraConditions = conditions;
            }
        } finally {
            lock.unlock();
        }
        wake();
    }

    void exited(ContainerExit exit, String container, String message) {
        around.probing().end(exit.container());
        lock.lock();
        try {
            ContainerLife life = containers.get(container);
            Attempt attempt = life == null ? null : life.find(exit.container());
            if (life == null || attempt == null || attempt.exit() != null) {
                return;
            }
            life.replace(
                    attempt.exited(new Attempt.Exit(exit.code(), ContainerLabels.reason(exit), message, exit.at())));
            if (exit.container().equals(lastId(life))) {
                life.started = false;
                life.ready = false;
                life.verdict = PodFacts.Verdict.NONE;
            }
            changed.signalAll();
            List<Runnable> told = mourners.remove(exit.container());
            if (told != null) {
                told.forEach(each -> Thread.ofVirtual().start(each));
            }
        } finally {
            lock.unlock();
        }
        wake();
    }

    /** The pod with its status as the node sees it. */
    ObjectNode shown() {
        lock.lock();
        try {
            ObjectNode copy = object.deepCopy();
            if (!finished && !new PodView(object).isOver()) {
                ObjectNode status = PodStatusForm.render(
                        facts(), around.runtime(), around.settings().address(), startTime, extraConditions);
                ObjectNode into = Json.ensureObject(copy, "status");
                status.properties().stream()
                        .filter(field -> !field.getKey().equals("conditions"))
                        .forEach(field -> into.set(field.getKey(), field.getValue()));
            }
            return copy;
        } finally {
            lock.unlock();
        }
    }

    // ---- the node stops ----

    /** Ends all containers with their grace and starts none any more; the pod itself stays what it is in the API. */
    void suspend() {
        lock.lock();
        try {
            suspended = true;
        } finally {
            lock.unlock();
        }
        wake();
    }

    boolean isSuspended() {
        return locked(() -> suspended);
    }

    /** Ends what a suspended pod still runs, without its grace. */
    void hurry() {
        List<String> running = new ArrayList<>();
        lock.lock();
        try {
            hurried = true;
            for (ContainerLife life : containers.values()) {
                Attempt last = life.last();
                if (last != null && last.isRunning()) {
                    running.add(last.id());
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        for (String id : running) {
            tasks.aside("kill a container of", () -> kill(id));
        }
    }

    private void kill(String id) {
        try {
            around.tools().runtime().kill(id);
        } catch (SandboxException e) {
            LOG.warn("container {} of pod {}: {}", id, uid, e.getMessage());
        }
    }

    boolean isHurried() {
        return locked(() -> hurried);
    }

    /** What a probe found out about a life of a container. */
    void probed(String container, String id, Probe.Kind kind, boolean success) {
        lock.lock();
        try {
            ContainerLife life = containers.get(container);
            if (life == null || !lastId(life).equals(id) || life.last() == null || !isRunning(life)) {
                return;
            }
            switch (kind) {
                case STARTUP -> {
                    life.started |= success;
                    life.verdict = success ? life.verdict : PodFacts.Verdict.STARTUP_FAILED;
                }
                case LIVENESS -> life.verdict = success ? PodFacts.Verdict.NONE : PodFacts.Verdict.LIVENESS_FAILED;
                case READINESS -> life.ready = success;
            }
        } finally {
            lock.unlock();
        }
        wake();
    }

    // ---- turns ----

    /** Asks for a turn; many wishes at once are one. */
    void wake() {
        turns.wake();
    }

    private void turn() {
        lock.lock();
        try {
            PodView pod = new PodView(object);
            if (finished) {
                leave(pod);
                return;
            }
            Instant deadline = deadline(pod);
            giveUpWhatNobodyWants(pod);
            resize(pod);
            PodFacts facts = facts();
            if (!pod.isOver()) {
                ObjectNode status = PodStatusForm.render(
                        facts, around.runtime(), around.settings().address(), startTime, conditions());
                writer.offer(status, facts.isChanging());
            }
            PodDecision.Decision decision = suspended ? PodDecision.suspend(facts) : PodDecision.decide(facts);
            decision.actions().forEach(tasks::begin);
            turns.wakeAt(decision.wakeAt(), deadline);
        } finally {
            lock.unlock();
        }
    }

    private List<ObjectNode> conditions() {
        List<ObjectNode> conditions = new ArrayList<>(extraConditions);
        conditions.addAll(resizing);
        return conditions;
    }

    private void resize(PodView pod) {
        boolean ending = end != null || pod.isDeleted() || vanished;
        List<PodView.Container> changed = ending ? new ArrayList<>() : PodResize.changed(pod, given);
        // An init container that is through needs nothing any more.
        changed.removeIf(each -> each.isPlainInit() && !isRunning(life(each.name())));
        resizing = changed.isEmpty() ? List.of() : ContainerResize.conditions(around, pod);
        if (!resizing.isEmpty()) {
            return;
        }
        for (PodView.Container each : changed) {
            ContainerLife life = life(each.name());
            Attempt last = life.last();
            if (last == null || !last.isRunning() || life.work != PodFacts.Work.NONE) {
                continue;
            }
            JsonNode before = given.getOrDefault(each.name(), Json.object());
            if (PodResize.needsRestart(each, before)) {
                String message = "Container " + each.name() + " resize requires restart";
                tasks.stop(new PodDecision.Stop(each, last, message, PodFacts.Verdict.NONE));
                continue;
            }
            List<ObjectNode> problem = ContainerResize.apply(around, pod, each, before, last);
            if (problem.isEmpty()) {
                given.put(each.name(), PodResize.resources(each).deepCopy());
            } else {
                resizing = problem;
                around.timers().after(StartFailure.USUAL_PAUSE, this::wake);
            }
        }
    }

    /** When the pod must have ended; null if that does not matter, or is over, which ends it. */
    private @Nullable Instant deadline(PodView pod) {
        long seconds = Json.longAt(pod.object(), -1, "spec", "activeDeadlineSeconds");
        Instant began = startTime;
        if (seconds < 0 || began == null || end != null || pod.isOver()) {
            return null;
        }
        Instant deadline = began.plusSeconds(seconds);
        if (around.clock().instant().isBefore(deadline)) {
            return deadline;
        }
        String message = "Pod was active on the node longer than the specified deadline";
        end = new PodFacts.End("DeadlineExceeded", message);
        around.events().normal(pod, "DeadlineExceeded", message);
        return null;
    }

    /** Images that are being pulled and hooks that run must not delay the end of a pod, or that it begins anew. */
    private void giveUpWhatNobodyWants(PodView pod) {
        boolean ending = end != null || vanished || pod.isDeleted() || suspended;
        if (!ending && !facts().restartsAll()) {
            return;
        }
        for (ContainerLife life : containers.values()) {
            if (life.mayBeGivenUp) {
                life.token++;
                life.mayBeGivenUp = false;
                life.work = PodFacts.Work.NONE;
            }
        }
    }

    void finished() {
        lock.lock();
        try {
            busy = false;
            finished = true;
            sandbox = false;
        } finally {
            lock.unlock();
        }
        wake();
    }

    StatusWriter writer() {
        return writer;
    }

    // ---- after the end ----

    /** All of the pod is gone from this machine, and the API knows how it ended: now it may forget it, too. */
    private void leave(PodView pod) {
        if (vanished && !forgotten) {
            forgotten = true;
            Thread.ofVirtual().name("forget " + uid).start(() -> new PodPlace(this).deleteLogs());
        } else if (pod.isDeleted() && !vanished) {
            tasks.aside("delete", () -> new PodPlace(this).delete());
        }
    }

    private void written(ObjectNode answer, ObjectNode status) {
        List<String> old = new ArrayList<>();
        boolean news = false;
        lock.lock();
        try {
            if (version(answer) > version(object)) {
                // The answer may be the first to say that others changed or deleted the pod; the watch only repeats it.
                news = !PodView.differOnlyInStatus(object, answer);
                take(answer);
            }
            for (ContainerLife life : containers.values()) {
                old.addAll(life.forgetOld());
            }
        } finally {
            lock.unlock();
        }
        if (news) {
            wake();
        }
        remove(old);
    }

    /** Takes away containers that nobody is told of any more. */
    void remove(List<String> old) {
        for (String id : old) {
            try {
                around.tools().runtime().remove(id);
            } catch (SandboxException e) {
                LOG.warn("container {} not removed: {}", id, e.getMessage());
            }
        }
    }

    // ---- adoption ----

    /** Takes over what an earlier process left running. */
    void adopt(boolean hasSandbox, List<String> has, Map<String, List<Attempt>> found) {
        lock.lock();
        try {
            sandbox = hasSandbox;
            addresses = has;
            PodView pod = new PodView(object);
            if (hasSandbox && !pod.isOver()) {
                // Objects may have changed while nobody looked, and are followed from now on.
                tasks.aside("refresh", () -> new PodPlace(this).refresh());
            }
            for (PodView.Container each : pod.containers()) {
                ContainerLife life = life(each.name());
                ObjectNode told = pod.oldStatus(each);
                List<Attempt> lives = Adoption.lives(
                        found.getOrDefault(each.name(), List.of()),
                        told,
                        pod.isDeleted(),
                        FreshStart.isUnderWay(pod),
                        around.clock().instant());
                Adoption.takeOver(life, each, lives, told);
                JsonNode resources = told == null ? null : Json.at(told, "resources");
                if (isRunning(life)) {
                    given.put(each.name(), resources == null ? PodResize.resources(each) : resources);
                }
            }
        } finally {
            lock.unlock();
        }
        for (PodView.Container each : pod().containers()) {
            Attempt last = facts().of(each).last();
            if (last != null && last.isRunning()) {
                around.probing().begin(this, each, last);
            }
        }
    }
}
