package lavaflow.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The API as one process sees it: slow to tell what happened, sometimes refusing, sometimes silent after it has done what was
 * asked. Once the process has crashed it can do nothing any more.
 */
final class FaultyApi implements KubeApi {
    /** What a process shares: whether it lives, and what may happen to it. */
    static final class Life {
        private final String name;
        private final RandomGenerator random;
        private final Trace trace;
        private Faults faults = Faults.NONE;
        private boolean crashed;
        private long writes;

        Life(String name, RandomGenerator random, Trace trace) {
            this.name = name;
            this.random = random;
            this.trace = trace;
        }

        void meet(Faults some) {
            faults = some;
        }

        void crash() {
            crashed = true;
        }

        boolean isOver() {
            return crashed;
        }

        /** How many objects were changed. */
        long writes() {
            return writes;
        }

        private boolean happens(double probability) {
            return probability > 0 && random.nextDouble() < probability;
        }
    }

    private final KubeApi real;
    private final Life life;

    FaultyApi(KubeApi real, Life life) {
        this.real = real;
        this.life = life;
    }

    private void live() {
        if (life.crashed) {
            throw ApiException.of(503, "ServiceUnavailable", "the process has crashed");
        }
    }

    private <T> T read(Supplier<T> request) {
        live();
        if (life.happens(life.faults.refusal())) {
            throw busy();
        }
        return request.get();
    }

    private <T> T write(String what, boolean change, Supplier<T> request) {
        live();
        if (life.happens(life.faults.refusal())) {
            life.trace.add(life.name, what + ": refused, busy");
            throw busy();
        }
        if (change && life.happens(life.faults.conflict())) {
            life.trace.add(life.name, what + ": refused, conflict");
            throw ApiException.of(
                    409, "Conflict", "the object has been modified; please apply your changes to the latest version");
        }
        T answer;
        try {
            answer = request.get();
        } catch (ApiException e) {
            life.trace.add(life.name, what + ": " + e.code() + " " + e.getMessage());
            throw e;
        }
        life.writes++;
        life.trace.add(life.name, what);
        if (life.happens(life.faults.crash())) {
            life.trace.add(life.name, "crashed");
            life.crash();
            live();
        }
        if (life.happens(life.faults.lostAnswer())) {
            life.trace.add(life.name, "the answer was lost");
            throw ApiException.of(504, "Timeout", "request did not complete within the allotted timeout");
        }
        return answer;
    }

    private static ApiException busy() {
        return ApiException.of(429, "TooManyRequests", "the server is busy");
    }

    private static String place(Kind kind, String subresource, String namespace, String name) {
        return kind + (subresource.isEmpty() ? "" : "/" + subresource) + " "
                + (namespace.isEmpty() ? name : namespace + "/" + name);
    }

    private static String place(Kind kind, String subresource, ObjectNode object) {
        return place(
                kind,
                subresource,
                Json.textAt(object, "metadata", "namespace"),
                Json.textAt(object, "metadata", "name"));
    }

    @Override
    public List<Kind> kinds() {
        return real.kinds();
    }

    @Override
    public void onKindsChange(Runnable listener) {
        real.onKindsChange(() -> {
            if (!life.crashed) {
                listener.run();
            }
        });
    }

    @Override
    public Optional<Kind> findKind(String apiVersion, String kindName) {
        return real.findKind(apiVersion, kindName);
    }

    @Override
    public Optional<ObjectNode> find(Kind kind, String namespace, String name) {
        return read(() -> real.find(kind, namespace, name));
    }

    @Override
    public ObjectNode read(String path) {
        return read(() -> real.read(path));
    }

    @Override
    public Optional<ObjectNode> findScale(Kind kind, String namespace, String name) {
        return read(() -> real.findScale(kind, namespace, name));
    }

    @Override
    public long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each) {
        return read(() -> real.list(kind, namespace, view, each));
    }

    @Override
    public ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        if (kind.resource().equals("events")) {
            // Some components tell events on threads of their own, which would make runs differ.
            return object;
        }
        String given = Json.textAt(object, "metadata", "name");
        String name = given.isEmpty() ? Json.textAt(object, "metadata", "generateName") + "*" : given;
        return write("create " + place(kind, "", namespace, name), false, () -> real.create(kind, namespace, object));
    }

    @Override
    public ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        return write("update " + place(kind, subresource, object), true, () -> real.update(kind, subresource, object));
    }

    @Override
    public ObjectNode patch(
            Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch) {
        return write(
                "patch " + place(kind, subresource, namespace, name),
                true,
                () -> real.patch(kind, namespace, name, subresource, merge, patch));
    }

    @Override
    public ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        return write(
                "apply " + place(kind, subresource, configuration),
                true,
                () -> real.apply(kind, subresource, manager, configuration));
    }

    @Override
    public void post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        write("post " + place(kind, subresource, namespace, name), false, () -> {
            real.post(kind, namespace, name, subresource, body);
            return true;
        });
    }

    @Override
    public boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        return write(
                "delete " + place(kind, "", namespace, name),
                false,
                () -> real.delete(kind, namespace, name, deletion));
    }

    @Override
    public Watch watch(Kind kind, long afterRevision, View view) {
        return read(() -> new LaggingWatch(real.watch(kind, afterRevision, view), afterRevision));
    }

    /** Tells what happened in order, but not all of it at once. */
    private final class LaggingWatch implements Watch {
        private final Watch inner;
        private final Deque<Event> untold = new ArrayDeque<>();
        private long reached;

        LaggingWatch(Watch inner, long reached) {
            this.inner = inner;
            this.reached = reached;
        }

        @Override
        public Progress next(Duration timeout) throws InterruptedException {
            live();
            if (life.happens(life.faults.broken())) {
                throw life.random.nextBoolean()
                        ? ApiException.expired("too old resource version")
                        : ApiException.of(500, "InternalError", "connection reset");
            }
            Progress progress = inner.next(Duration.ZERO);
            untold.addAll(progress.events());
            int count = life.happens(life.faults.lag()) ? life.random.nextInt(untold.size() + 1) : untold.size();
            List<Event> told = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Event event = untold.removeFirst();
                reached = revision(event);
                told.add(event);
            }
            if (untold.isEmpty()) {
                reached = progress.revision();
            }
            return new Progress(told, reached);
        }

        private static long revision(Event event) {
            return Long.parseLong(Json.textAt(event.object(), "metadata", "resourceVersion"));
        }

        @Override
        public void wake() {
            inner.wake();
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
