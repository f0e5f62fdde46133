package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one pod on this node, and the lock that guards it. Methods take the lock themselves; whoever reads or
 * changes a field holds it.
 */
class PodMemory {
    final Surroundings around;
    final String uid;
    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
    final Map<String, ContainerLife> containers = new LinkedHashMap<>();
    ObjectNode object;
    boolean sandbox;
    boolean busy;
    boolean finished;
    boolean vanished;
    PodFacts.@Nullable Failure failure;
    PodFacts.@Nullable End end;
    List<String> addresses = List.of();

    @Nullable
    Instant startTime;
    /** What containers have been given, by name. */
    final Map<String, JsonNode> given = new LinkedHashMap<>();
    /** Who wants to know of the end of a container, by its id. */
    final Map<String, List<Runnable>> mourners = new LinkedHashMap<>();

    PodMemory(Surroundings around, ObjectNode pod) {
        this.around = around;
        this.object = pod;
        this.uid = new PodView(pod).uid();
        this.startTime = new PodView(pod).startTime();
    }

    String uid() {
        return uid;
    }

    Surroundings around() {
        return around;
    }

    PodView pod() {
        return locked(() -> new PodView(object));
    }

    /** Reads or changes what only one may at a time. */
    <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    static long version(ObjectNode pod) {
        try {
            return Long.parseLong(Json.textAt(pod, "metadata", "resourceVersion"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** The node takes the pod in at a moment, if it did not before. */
    void accept(Instant now) {
        lock.lock();
        try {
            if (startTime == null) {
                startTime = now;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Calls once when a life has ended, at once if it has; closing calls it off. */
    AutoCloseable onExit(String container, String id, Runnable action) {
        lock.lock();
        try {
            if (!isRunning(container, id)) {
                action.run();
                return () -> {};
            }
            mourners.computeIfAbsent(id, _ -> new ArrayList<>()).add(action);
        } finally {
            lock.unlock();
        }
        return () -> {
            lock.lock();
            try {
                List<Runnable> left = mourners.get(id);
                if (left != null) {
                    left.remove(action);
                }
            } finally {
                lock.unlock();
            }
        };
    }

    boolean isRunning(String container, String id) {
        lock.lock();
        try {
            ContainerLife life = containers.get(container);
            Attempt attempt = life == null ? null : life.find(id);
            return attempt != null && attempt.isRunning();
        } finally {
            lock.unlock();
        }
    }

    /** The life of a container that runs now; null if none does. */
    @Nullable
    String runningId(String container) {
        lock.lock();
        try {
            ContainerLife life = containers.get(container);
            Attempt last = life == null ? null : life.last();
            return last != null && last.isRunning() ? last.id() : null;
        } finally {
            lock.unlock();
        }
    }

    /** Which life of a container has an id: its log is named after that. */
    int numberOf(String container, String id, boolean previous) {
        lock.lock();
        try {
            ContainerLife life = containers.get(container);
            Attempt attempt = life == null ? null : life.find(id);
            if (attempt != null) {
                return attempt.number();
            }
            PodView pod = new PodView(object);
            PodView.Container spec = pod.find(container);
            ObjectNode told = spec == null ? null : pod.oldStatus(spec);
            int restarts = (int) Json.longAt(told, 0, "restartCount");
            return previous && Json.at(told, "state", "waiting") == null ? Math.max(0, restarts - 1) : restarts;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nothing runs and the API knows; false if that takes too long. */
    boolean awaitRest(Instant deadline) throws InterruptedException {
        lock.lock();
        try {
            while (busy || facts().runsAnything()) {
                Duration left = Duration.between(around.clock().instant(), deadline);
                if (left.isNegative()) {
                    return false;
                }
                boolean ignored = changed.await(Math.min(left.toMillis() + 1, 200), TimeUnit.MILLISECONDS);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    static String lastId(ContainerLife life) {
        Attempt last = life.last();
        return last == null ? "" : last.id();
    }

    static boolean isRunning(ContainerLife life) {
        Attempt last = life.last();
        return last != null && last.isRunning();
    }

    /** A container has been made with what it asked for. */
    void gave(PodView.Container container) {
        lock.lock();
        try {
            given.put(container.name(), PodResize.resources(container).deepCopy());
        } finally {
            lock.unlock();
        }
    }

    PodFacts facts() {
        lock.lock();
        try {
            PodView pod = new PodView(object);
            Map<String, PodFacts.ContainerFacts> known = new LinkedHashMap<>();
            for (PodView.Container each : pod.containers()) {
                known.put(each.name(), life(each.name()).facts(hash(each)));
            }
            return new PodFacts(
                    pod,
                    known,
                    sandbox,
                    busy,
                    failure,
                    end,
                    vanished,
                    addresses,
                    given,
                    around.clock().instant());
        } finally {
            lock.unlock();
        }
    }

    /** What a container cannot be given another of without being made anew. */
    static String hash(PodView.Container container) {
        CRC32C sum = new CRC32C();
        sum.update((container.name() + "\n" + container.image()).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }

    ContainerLife life(String name) {
        return containers.computeIfAbsent(name, ContainerLife::new);
    }

    /** Runs something with the state of a container; false if whoever asks has been given up. */
    boolean with(String container, int token, Consumer<ContainerLife> change) {
        lock.lock();
        try {
            ContainerLife life = life(container);
            if (life.token != token) {
                return false;
            }
            change.accept(life);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    void with(String container, Consumer<ContainerLife> change) {
        lock.lock();
        try {
            change.accept(life(container));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void prepared(List<String> found) {
        lock.lock();
        try {
            busy = false;
            sandbox = true;
            failure = null;
            addresses = found;
        } finally {
            lock.unlock();
        }
    }

    void notPrepared(PodFacts.Failure why) {
        lock.lock();
        try {
            busy = false;
            failure = why;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end of a life, at most until it should have ended; false if it did not. */
    boolean awaitExit(String container, String id, Function<ContainerLife, Instant> deadline)
            throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                ContainerLife life = life(container);
                Attempt attempt = life.find(id);
                if (attempt == null || attempt.exit() != null) {
                    return true;
                }
                Duration left = Duration.between(around.clock().instant(), deadline.apply(life));
                if (left.isNegative() || left.isZero()) {
                    return false;
                }
                changed.awaitNanos(left.toNanos());
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isVanished() {
        return locked(() -> vanished);
    }

    List<String> addresses() {
        return locked(() -> addresses);
    }

    @Nullable
    Instant startTime() {
        return locked(() -> startTime);
    }

    boolean isFinished() {
        return locked(() -> finished);
    }
}
