package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

/**
 * Follows kinds for all controllers together: one list and one watch per kind, however many listen.
 *
 * <p>Listeners are added before {@link #start}. Kinds may come and go at any time; who listens to all of them hears of
 * those, too. Without a start nothing moves by itself: the caller moves everything along with {@link #pump}, on one
 * thread, which is how tests run controllers step by step.
 */
public final class Followers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Somebody who wants to hear of kinds that may come and go. */
    private record Wide(Predicate<KubeApi.Kind> wanted, KubeApi.View view, ChangeListener listener) {}

    /** A kind that is followed, for whom, and by which thread once started. */
    private final class Followed {
        private final List<ChangeListener> listeners = new CopyOnWriteArrayList<>();
        private final Follower follower;
        /** Somebody named it, so it stays even if it seems to be gone. */
        private boolean named;

        /** It was not there at start, so nobody waits for it. */
        private boolean late;

        private final List<Thread> threads = new ArrayList<>(1);

        Followed(KubeApi.Kind kind) {
            follower = new Follower(api, kind, listeners);
        }

        void start(KubeApi.Kind kind) {
            threads.add(Thread.ofVirtual().name("follower-" + kind).start(follower));
        }
    }

    private final KubeApi api;
    private final List<Wide> wide = new ArrayList<>();
    /** Guarded by this. */
    private final Map<KubeApi.Kind, Followed> followed = new LinkedHashMap<>();

    private final Semaphore kindsChanged = new Semaphore(0);
    private final List<Thread> threads = new ArrayList<>();
    private boolean started;
    private volatile boolean closed;

    public Followers(KubeApi api) {
        this.api = api;
        api.onKindsChange(kindsChanged::release);
    }

    /** Tells a listener of every change of a kind; it needs type and metadata only. */
    public void listen(KubeApi.Kind kind, ChangeListener listener) {
        listen(kind, KubeApi.View.METADATA, listener);
    }

    /** Tells a listener of every change of a kind. All listeners of a kind see as much as the neediest of them. */
    public synchronized void listen(KubeApi.Kind kind, KubeApi.View view, ChangeListener listener) {
        Followed present = followed.computeIfAbsent(kind, Followed::new);
        present.named = true;
        present.listeners.add(listener);
        if (view == KubeApi.View.WHOLE) {
            present.follower.showWhole();
        }
    }

    /** Follows only a part of a kind, for those who may not see more: listeners hear of nothing else. Call before anything starts. */
    public synchronized void narrow(KubeApi.Kind kind, KubeApi.Scope part) {
        followed.computeIfAbsent(kind, Followed::new).follower.showOnly(part);
    }

    /** Tells a listener of every change of every kind that fits, also of kinds that come later. */
    public void listenToAll(Predicate<KubeApi.Kind> wanted, ChangeListener listener) {
        listenToAll(wanted, KubeApi.View.METADATA, listener);
    }

    /**
     * Tells a listener of every change of a kind that may not be served yet, and of {@link ChangeListener#onNewKind} once it is:
     * nobody asks in vain, and nobody waits for it.
     */
    public void listenWhileServed(KubeApi.Kind kind, KubeApi.View view, ChangeListener listener) {
        listenToAll(kind::equals, view, listener);
    }

    private synchronized void listenToAll(Predicate<KubeApi.Kind> wanted, KubeApi.View view, ChangeListener listener) {
        wide.add(new Wide(wanted, view, listener));
        for (KubeApi.Kind kind : api.kinds()) {
            if (wanted.test(kind)) {
                Followed present = followed.computeIfAbsent(kind, Followed::new);
                present.listeners.add(listener);
                if (view == KubeApi.View.WHOLE) {
                    present.follower.showWhole();
                }
            }
        }
    }

    public synchronized void start() {
        started = true;
        followed.forEach((kind, each) -> each.start(kind));
        threads.add(Thread.ofVirtual().name("follower-of-kinds").start(this::followKinds));
    }

    private void followKinds() {
        try {
            while (!closed) {
                kindsChanged.acquire();
                kindsChanged.drainPermits();
                refreshKinds();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Begins to follow kinds that came, and ends following those that went. */
    private void refreshKinds() {
        List<KubeApi.Kind> kinds = api.kinds();
        Map<KubeApi.Kind, Followed> gone = new LinkedHashMap<>();
        List<KubeApi.Kind> come = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return;
            }
            Set<KubeApi.Kind> present = Set.copyOf(kinds);
            followed.forEach((kind, each) -> {
                if (!each.named && !present.contains(kind)) {
                    gone.put(kind, each);
                }
            });
            followed.keySet().removeAll(gone.keySet());
            for (KubeApi.Kind kind : kinds) {
                if (!followed.containsKey(kind) && begin(kind)) {
                    come.add(kind);
                }
            }
        }
        gone.forEach((kind, each) -> {
            each.follower.close();
            Threads.join(each.threads, PATIENCE);
            // Nothing of it is left.
            each.listeners.forEach(listener -> listener.onRelist(kind, Set.of()));
        });
        come.forEach(kind -> wide.forEach(each -> each.listener.onNewKind(kind)));
    }

    private boolean begin(KubeApi.Kind kind) {
        List<Wide> interested =
                wide.stream().filter(each -> each.wanted.test(kind)).toList();
        if (interested.isEmpty()) {
            return false;
        }
        Followed begun = new Followed(kind);
        interested.forEach(each -> begun.listeners.add(each.listener));
        if (interested.stream().anyMatch(each -> each.view == KubeApi.View.WHOLE)) {
            begun.follower.showWhole();
        }
        followed.put(kind, begun);
        if (started) {
            begun.late = true;
            begun.start(kind);
        }
        return true;
    }

    private synchronized List<Follower> all() {
        return followed.values().stream().map(each -> each.follower).toList();
    }

    /** Moves every follower one step, without waiting for anything. */
    public void pump() {
        if (kindsChanged.drainPermits() > 0) {
            refreshKinds();
        }
        try {
            for (Follower follower : all()) {
                follower.step(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** True once everything that existed at start has been told; kinds that come later do not change that. */
    public synchronized boolean areSynced() {
        return followed.values().stream().allMatch(each -> each.late || each.follower.isSynced());
    }

    /** True if a kind is served and everything of it that existed when it was first listed has been told. */
    public synchronized boolean hasSeen(KubeApi.Kind kind) {
        Followed found = followed.get(kind);
        return found != null && found.follower.isSynced();
    }

    /** Waits until everything that existed at start has been told; false if that will not happen any more. */
    public boolean awaitSync() throws InterruptedException {
        for (Follower follower : all()) {
            if (!follower.awaitSync() && closed) {
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
        return catchUp(all(), revision, patience);
    }

    /** As the other one, for one kind that is followed: enough to see what one has written oneself. */
    public boolean catchUp(KubeApi.Kind kind, long revision, Duration patience) {
        return catchUp(List.of(follower(kind)), revision, patience);
    }

    private synchronized Follower follower(KubeApi.Kind kind) {
        Followed found = followed.get(kind);
        if (found == null) {
            throw new IllegalArgumentException(kind + " is not followed");
        }
        return found.follower;
    }

    private boolean catchUp(List<Follower> wanted, long revision, Duration patience) {
        if (!isStarted()) {
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

    private synchronized boolean isStarted() {
        return started;
    }

    @Override
    public void close() {
        List<Thread> running = new ArrayList<>(threads);
        synchronized (this) {
            closed = true;
            followed.values().forEach(each -> {
                each.follower.close();
                running.addAll(each.threads);
            });
        }
        kindsChanged.release();
        Threads.join(running, PATIENCE);
    }
}
