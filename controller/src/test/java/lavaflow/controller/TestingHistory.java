package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What changed in a {@link TestingKubeApi}, as far as it was not forgotten, and the watches that follow it. */
final class TestingHistory {
    private record Logged(long revision, KubeApi.Kind kind, KubeApi.Event event) {}

    /** Held by whoever calls; watches wait on it. */
    private final Object lock;

    private final List<Logged> log = new ArrayList<>();
    private long revision = 100;
    private long compacted;

    TestingHistory(Object lock) {
        this.lock = lock;
    }

    long revision() {
        return revision;
    }

    /** The revision of the next change. */
    long advance() {
        return ++revision;
    }

    void add(KubeApi.Kind kind, boolean gone, ObjectNode object) {
        log.add(new Logged(revision, kind, new KubeApi.Event(gone, object)));
        lock.notifyAll();
    }

    /** Forgets the past: watches that are behind end with 410. */
    void compact() {
        compacted = revision;
        lock.notifyAll();
    }

    /** Follows a kind; what is to be done before each answer may fail. */
    KubeApi.Watch watch(KubeApi.Kind kind, long afterRevision, KubeApi.View view, Runnable beforeEach) {
        return new LogWatch(kind, afterRevision, view, beforeEach);
    }

    private final class LogWatch implements KubeApi.Watch {
        private final KubeApi.Kind kind;
        private final KubeApi.View view;
        private final Runnable beforeEach;
        private long position;
        private boolean woken;
        private boolean closed;

        LogWatch(KubeApi.Kind kind, long position, KubeApi.View view, Runnable beforeEach) {
            this.kind = kind;
            this.position = position;
            this.view = view;
            this.beforeEach = beforeEach;
        }

        @Override
        public KubeApi.Progress next(Duration timeout) throws InterruptedException {
            synchronized (lock) {
                beforeEach.run();
                long deadline = System.nanoTime() + timeout.toNanos();
                while (true) {
                    if (closed) {
                        throw new IllegalStateException("closed");
                    }
                    if (position < compacted) {
                        throw ApiException.expired("too old resource version: " + position);
                    }
                    List<KubeApi.Event> events = new ArrayList<>();
                    for (Logged entry : log) {
                        if (entry.revision() > position && entry.kind().equals(kind)) {
                            events.add(new KubeApi.Event(
                                    entry.event().deleted(),
                                    TestingObjects.view(entry.event().object(), view)));
                        }
                    }
                    long millis = (deadline - System.nanoTime()) / 1_000_000;
                    if (!events.isEmpty() || woken || millis <= 0) {
                        woken = false;
                        position = revision;
                        return new KubeApi.Progress(events, revision);
                    }
                    lock.wait(millis);
                }
            }
        }

        @Override
        public void wake() {
            synchronized (lock) {
                woken = true;
                lock.notifyAll();
            }
        }

        @Override
        public void close() {
            synchronized (lock) {
                closed = true;
                lock.notifyAll();
            }
        }
    }
}
