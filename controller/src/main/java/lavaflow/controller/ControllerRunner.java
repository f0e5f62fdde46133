package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one controller: changes become keys in a queue, workers reconcile them once everything has been seen. */
public final class ControllerRunner<K> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerRunner.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Lost races are everyday life; as many in a row are not (this one after two thirds of a second). */
    private static final int NOTEWORTHY_FAILURES = 8;

    private final String name;
    private final Followers followers;
    private final Reconciler<K> reconciler;
    private final int workers;
    private final WorkQueue<K> queue;
    private final List<KeyListener> listeners = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    public ControllerRunner(String name, Followers followers, int workers, Reconciler<K> reconciler) {
        this(name, followers, workers, reconciler, System::nanoTime);
    }

    public ControllerRunner(
            String name, Followers followers, int workers, Reconciler<K> reconciler, LongSupplier nanoTime) {
        this.name = name;
        this.followers = followers;
        this.reconciler = reconciler;
        this.workers = workers;
        this.queue = new WorkQueue<>(nanoTime);
    }

    /** Remembers the keys of objects, only of those that have any, for the moment they vanish unseen. */
    private final class KeyListener implements ChangeListener {
        private final Function<ObjectNode, List<K>> keys;
        /** Its own kind's thread changes it, those of other kinds read it. */
        private final Map<String, List<K>> known = new ConcurrentHashMap<>();

        KeyListener(Function<ObjectNode, List<K>> keys) {
            this.keys = keys;
        }

        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            String uid = Json.textAt(object, "metadata", "uid");
            List<K> wanted = keys.apply(object);
            List<K> before = deleted || wanted.isEmpty() ? known.remove(uid) : known.put(uid, wanted);
            if (before != null) {
                // An object may concern others than it did.
                before.stream().filter(key -> !wanted.contains(key)).forEach(queue::add);
            }
            wanted.forEach(queue::add);
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            known.entrySet().removeIf(entry -> {
                boolean gone = !uids.contains(entry.getKey());
                if (gone) {
                    entry.getValue().forEach(queue::add);
                }
                return gone;
            });
            lookAtAll();
        }
    }

    /**
     * What a key has made may have come and gone between two lists, and nobody was told: everything is looked at again. That costs
     * about as much as the list itself, and is as rare.
     */
    private void lookAtAll() {
        for (KeyListener listener : listeners) {
            listener.known.values().forEach(each -> each.forEach(queue::add));
        }
    }

    /** Each change of a kind asks for attention to the keys the function names. Call before anything starts. */
    public ControllerRunner<K> follow(KubeApi.Kind kind, Function<ObjectNode, List<K>> keys) {
        KeyListener listener = new KeyListener(keys);
        listeners.add(listener);
        return follow(kind, listener);
    }

    /** The same, with all of the objects to name the keys from. Call before anything starts. */
    public ControllerRunner<K> followWhole(KubeApi.Kind kind, Function<ObjectNode, List<K>> keys) {
        KeyListener listener = new KeyListener(keys);
        listeners.add(listener);
        followers.listen(kind, KubeApi.View.WHOLE, listener);
        return this;
    }

    /** The same for a kind that may not be served yet. Call before anything starts. */
    public ControllerRunner<K> followWhileServed(KubeApi.Kind kind, Function<ObjectNode, List<K>> keys) {
        KeyListener listener = new KeyListener(keys);
        listeners.add(listener);
        followers.listenWhileServed(kind, KubeApi.View.WHOLE, listener);
        return this;
    }

    /** Follows a kind with a listener of its own. Call before anything starts. */
    public ControllerRunner<K> follow(KubeApi.Kind kind, ChangeListener listener) {
        followers.listen(kind, listener);
        return this;
    }

    /** Follows all kinds that fit, also those that come later. Call before anything starts. */
    public ControllerRunner<K> followAll(Predicate<KubeApi.Kind> wanted, ChangeListener listener) {
        followers.listenToAll(wanted, listener);
        return this;
    }

    public String name() {
        return name;
    }

    public WorkQueue<K> queue() {
        return queue;
    }

    public void start() {
        for (int i = 0; i < workers; i++) {
            threads.add(Thread.ofVirtual().name(name + "-" + i).start(this::work));
        }
    }

    private void work() {
        try {
            if (!followers.awaitSync()) {
                return;
            }
            for (K key = queue.take(); key != null; key = queue.take()) {
                turn(key);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reconciles one key on the caller's thread, if one may have its turn now; false if none may. */
    public boolean step() {
        K key = queue.poll();
        if (key == null) {
            return false;
        }
        turn(key);
        return true;
    }

    private void turn(K key) {
        try {
            reconciler.reconcile(key).ifPresent(delay -> queue.addAfter(key, delay));
            queue.succeeded(key);
        } catch (ApiException e) {
            // Conflicts and objects that came or went in between are everyday life: look again. A server that is away
            // is
            // told of once, by those who talk to it, and not for every key.
            boolean ordinary = e.code() == 409 || e.code() == 404 || e.code() == 503;
            int failures = queue.retry(key);
            if (ordinary ? failures == NOTEWORTHY_FAILURES : failures > 0) {
                LOG.warn("{}: {}: {}", name, key, e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            // A worker that dies of one key would leave all others waiting.
            if (queue.retry(key) > 0) {
                LOG.error("{}: {} failed", name, key, e);
            }
        } finally {
            queue.done(key);
        }
    }

    /** Lets workers finish the key they have, and ends them. */
    @Override
    public void close() {
        queue.close();
        Threads.join(threads, PATIENCE);
    }
}
