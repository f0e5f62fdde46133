package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one controller: followers that turn changes into keys, and workers that reconcile them. */
public final class ControllerRunner<K> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerRunner.class);

    private final String name;
    private final KubeApi api;
    private final Reconciler<K> reconciler;
    private final int workers;
    private final WorkQueue<K> queue = new WorkQueue<>();
    private final List<Follower> followers = new ArrayList<>();
    private final List<CountDownLatch> synced = new ArrayList<>();

    public ControllerRunner(String name, KubeApi api, int workers, Reconciler<K> reconciler) {
        this.name = name;
        this.api = api;
        this.reconciler = reconciler;
        this.workers = workers;
    }

    /** Follows a kind; each change asks for attention to the keys the function names. Call before {@link #start}. */
    public ControllerRunner<K> follow(KubeApi.Kind kind, Function<ObjectNode, List<K>> keys) {
        return follow(kind, (_, object, _) -> keys.apply(object).forEach(queue::add));
    }

    /** Follows a kind with a listener of its own. Call before {@link #start}. */
    public ControllerRunner<K> follow(KubeApi.Kind kind, ChangeListener listener) {
        CountDownLatch listed = new CountDownLatch(1);
        synced.add(listed);
        followers.add(new Follower(api, kind, listener, listed::countDown));
        return this;
    }

    public WorkQueue<K> queue() {
        return queue;
    }

    public void start() {
        for (Follower follower : followers) {
            Thread.ofVirtual().name(name + "-follower").start(follower);
        }
        for (int i = 0; i < workers; i++) {
            Thread.ofVirtual().name(name + "-worker-" + i).start(this::work);
        }
    }

    /** True once everything that existed at start has been seen. */
    public boolean isSynced() {
        return synced.stream().allMatch(latch -> latch.getCount() == 0);
    }

    private void work() {
        try {
            for (CountDownLatch latch : synced) {
                latch.await();
            }
            for (K key = queue.take(); key != null; key = queue.take()) {
                turn(key);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void turn(K key) {
        try {
            reconciler.reconcile(key).ifPresent(delay -> queue.addAfter(key, delay));
            queue.succeeded(key);
        } catch (ApiException e) {
            // Conflicts and objects that came or went in between are everyday life: look again.
            if (e.code() != 409 && e.code() != 404) {
                LOG.warn("{}: {}: {}", name, key, e.getMessage());
            }
            queue.retry(key);
        } catch (RuntimeException e) {
            LOG.error("{}: {} failed", name, key, e);
            queue.retry(key);
        } finally {
            queue.done(key);
        }
    }

    /** Looks at a key again later. */
    public void again(K key, Duration delay) {
        queue.addAfter(key, delay);
    }

    @Override
    public void close() {
        queue.close();
        followers.forEach(Follower::close);
    }
}
