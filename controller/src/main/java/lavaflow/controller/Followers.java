package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Follows kinds for all controllers together: one list and one watch per kind, however many listen.
 *
 * <p>Listeners are added before {@link #start}. Without a start nothing moves by itself: the caller moves everything
 * along with {@link #pump}, on one thread, which is how tests run controllers step by step.
 */
public final class Followers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final KubeApi api;
    private final Map<KubeApi.Kind, List<ChangeListener>> listeners = new LinkedHashMap<>();
    private final Map<KubeApi.Kind, Follower> followers = new LinkedHashMap<>();
    private final List<Thread> threads = new ArrayList<>();

    public Followers(KubeApi api) {
        this.api = api;
    }

    /** Tells a listener of every change of a kind; it needs type and metadata only. */
    public void listen(KubeApi.Kind kind, ChangeListener listener) {
        listen(kind, KubeApi.View.METADATA, listener);
    }

    /** Tells a listener of every change of a kind. All listeners of a kind see as much as the neediest of them. */
    public void listen(KubeApi.Kind kind, KubeApi.View view, ChangeListener listener) {
        List<ChangeListener> present = listeners.computeIfAbsent(kind, _ -> new ArrayList<>());
        present.add(listener);
        Follower follower = followers.computeIfAbsent(kind, _ -> new Follower(api, kind, present));
        if (view == KubeApi.View.WHOLE) {
            follower.showWhole();
        }
    }

    public void start() {
        followers.forEach((kind, follower) ->
                threads.add(Thread.ofVirtual().name("follower-" + kind).start(follower)));
    }

    /** Moves every follower one step, without waiting for anything. */
    public void pump() {
        try {
            for (Follower follower : followers.values()) {
                follower.step(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** True once everything that existed at start has been told. */
    public boolean areSynced() {
        return followers.values().stream().allMatch(Follower::isSynced);
    }

    /** Waits until everything that existed at start has been told; false if that will not happen any more. */
    boolean awaitSync() throws InterruptedException {
        for (Follower follower : followers.values()) {
            if (!follower.awaitSync()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Waits until listeners know everything up to a revision, of all kinds: a view made of many watches otherwise shows
     * an owner's end before its dependents' beginning.
     *
     * @return false if some follower is too far behind to wait for
     */
    public boolean catchUp(long revision, Duration patience) {
        return catchUp(List.copyOf(followers.values()), revision, patience);
    }

    /** As the other one, for one kind that is followed: enough to see what one has written oneself. */
    public boolean catchUp(KubeApi.Kind kind, long revision, Duration patience) {
        Follower follower = followers.get(kind);
        if (follower == null) {
            throw new IllegalArgumentException(kind + " is not followed");
        }
        return catchUp(List.of(follower), revision, patience);
    }

    private boolean catchUp(List<Follower> wanted, long revision, Duration patience) {
        if (threads.isEmpty()) {
            pump();
            return wanted.stream().allMatch(follower -> follower.hasReached(revision));
        }
        long deadline = System.nanoTime() + patience.toNanos();
        List<Follower> behind = wanted.stream()
                .filter(follower -> !follower.hasReached(revision))
                .toList();
        behind.forEach(Follower::wake);
        try {
            for (Follower follower : behind) {
                if (!follower.awaitRevision(revision, deadline)) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        followers.values().forEach(Follower::close);
        Threads.join(threads, PATIENCE);
    }
}
