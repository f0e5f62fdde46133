package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;

import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerExit;
import lavaflow.sandbox.ContainerState;
import lavaflow.sandbox.SandboxException;

import com.fasterxml.jackson.databind.JsonNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of one life of a container: its hook, a signal, patience, and force. */
final class ContainerStop {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerStop.class);
    /** What is left for the program after its hook took all the time. */
    private static final Duration LEAST = Duration.ofSeconds(2);

    private static final Duration AFTER_KILL = Duration.ofSeconds(5);
    private static final int KILLED = 137;

    private final PodLife life;
    private final Surroundings around;
    private final PodView.Container container;
    private final Attempt attempt;

    ContainerStop(PodLife life, PodView.Container container, Attempt attempt) {
        this.life = life;
        this.around = life.around();
        this.container = container;
        this.attempt = attempt;
    }

    /** How many seconds a container has to end. */
    static long grace(PodView pod, PodDecision.Stop stop, boolean vanished) {
        if (vanished) {
            return Math.min(1, pod.graceSeconds());
        }
        String probe = switch (stop.verdict()) {
            case LIVENESS_FAILED -> "livenessProbe";
            case STARTUP_FAILED -> "startupProbe";
            case NONE -> "";
        };
        return probe.isEmpty()
                ? pod.graceSeconds()
                : Json.longAt(stop.container().spec(), pod.graceSeconds(), probe, "terminationGracePeriodSeconds");
    }

    void run(String message) {
        PodView pod = life.pod();
        around.events().normal(pod, container, "Killing", message);
        try {
            if (remaining().isPositive()) {
                beforeTheEnd(pod);
                if (isHeard() && hasEnded()) {
                    return;
                }
            }
            force();
        } catch (SandboxException e) {
            if (e.reason() != SandboxException.Cause.NOT_RUNNING) {
                LOG.warn("container {} of pod {}: {}", container.name(), pod.title(), e.getMessage());
            }
            forceQuietly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            life.with(container.name(), each -> {
                each.work = PodFacts.Work.NONE;
                each.stoppingSince = null;
            });
        }
    }

    /** The node does not wait for programs that cannot know that they should end; whoever deletes a pod said how long to wait. */
    private boolean isHeard() throws SandboxException {
        return !life.isSuspended() || around.tools().runtime().hears(attempt.id(), attempt.stopSignal());
    }

    private boolean hasEnded() throws SandboxException, InterruptedException {
        around.tools().runtime().signal(attempt.id(), attempt.stopSignal());
        Instant least = around.clock().instant().plus(LEAST);
        return life.awaitExit(
                container.name(),
                attempt.id(),
                state -> life.isHurried() ? deadline(state) : later(deadline(state), least));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** The pod's grace may become shorter meanwhile, never longer. */
    private Instant deadline(ContainerLife state) {
        if (life.isHurried()) {
            return around.clock().instant();
        }
        PodView pod = life.pod();
        long grace = pod.isDeleted() ? Math.min(state.stopGrace, pod.graceSeconds()) : state.stopGrace;
        Instant since = state.stoppingSince;
        return (since == null ? around.clock().instant() : since).plusSeconds(life.isVanished() ? 1 : grace);
    }

    private Duration remaining() {
        Instant[] until = new Instant[1];
        life.with(container.name(), state -> until[0] = deadline(state));
        return Duration.between(around.clock().instant(), until[0]);
    }

    private void beforeTheEnd(PodView pod) throws InterruptedException {
        JsonNode hook = Json.at(container.spec(), "lifecycle", "preStop");
        if (hook == null || life.isVanished()) {
            return;
        }
        String address =
                life.addresses().isEmpty() ? "127.0.0.1" : life.addresses().getFirst();
        String problem = new Hooks(around.tools().runtime()).run(hook, container, attempt.id(), address, remaining());
        if (!problem.isEmpty()) {
            LOG.info("hook before the end of {} in pod {} failed: {}", container.name(), pod.title(), problem);
            around.events().warning(pod, container, "FailedPreStopHook", "PreStopHook failed");
        }
    }

    private void force() throws SandboxException, InterruptedException {
        around.tools().runtime().kill(attempt.id());
        Instant until = around.clock().instant().plus(AFTER_KILL);
        if (!life.awaitExit(container.name(), attempt.id(), _ -> until)) {
            lookForItself();
        }
    }

    private void forceQuietly() {
        try {
            force();
        } catch (SandboxException e) {
            lookForItself();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nobody told of its end; perhaps nobody could. */
    private void lookForItself() {
        for (ContainerState state : around.tools().runtime().containers()) {
            if (state.id().equals(attempt.id())) {
                ContainerExit exit = state.exit();
                if (exit != null) {
                    life.exited(exit, container.name(), "");
                }
                return;
            }
        }
        life.exited(
                new ContainerExit(attempt.id(), KILLED, false, around.clock().instant()), container.name(), "");
    }
}
