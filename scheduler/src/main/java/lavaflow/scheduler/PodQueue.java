package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;

import lavaflow.placement.PodClass;
import lavaflow.placement.Reason;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/**
 * Pods that wait for a node. The important ones come first, then those that have waited longest. One that no node would
 * take is parked, with its class, until something changes that could help it; whoever failed lately waits a little longer.
 */
final class PodQueue {
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    private enum Where {
        READY,
        PAUSING,
        PARKED,
        /** Somebody is looking for a node for it. */
        OUT
    }

    /** A pod that waits. */
    static final class Entry {
        private ScheduledPod pod;
        private final PodClass type;
        private final Instant since;
        private final long number;
        private Where where = Where.OUT;
        private int failures;
        private Instant dueAt = Instant.MIN;
        private Set<Reason> reasons = Set.of();

        private Entry(ScheduledPod pod, PodClass type, Instant since, long number) {
            this.pod = pod;
            this.type = type;
            this.since = since;
            this.number = number;
        }

        ScheduledPod pod() {
            return pod;
        }

        PodClass type() {
            return type;
        }
    }

    private final Map<String, Entry> byUid = new HashMap<>();
    private final TreeSet<Entry> ready = new TreeSet<>(Comparator.<Entry>comparingInt(each -> -each.pod.priority())
            .thenComparing(each -> each.since)
            .thenComparingLong(each -> each.number));
    private final TreeSet<Entry> pausing = new TreeSet<>(
            Comparator.<Entry, Instant>comparing(each -> each.dueAt).thenComparingLong(each -> each.number));
    private final Map<PodClass, Map<String, Entry>> parked = new LinkedHashMap<>();
    private long lastNumber;

    @Nullable
    Entry find(String uid) {
        return byUid.get(uid);
    }

    /** A pod begins to wait. The class is the queue's until the pod is removed. */
    void add(ScheduledPod pod, PodClass type, Instant now) {
        Entry entry = new Entry(pod, type, now, ++lastNumber);
        byUid.put(pod.uid(), entry);
        makeReady(entry);
    }

    /** The pod has changed in ways that do not matter here. */
    void refresh(ScheduledPod pod) {
        Entry entry = byUid.get(pod.uid());
        if (entry != null) {
            Where where = entry.where;
            takeOut(entry);
            entry.pod = pod;
            putBack(entry, where);
        }
    }

    private void putBack(Entry entry, Where where) {
        entry.where = where;
        switch (where) {
            case READY -> ready.add(entry);
            case PAUSING -> pausing.add(entry);
            case PARKED ->
                parked.computeIfAbsent(entry.type, _ -> new LinkedHashMap<>()).put(entry.pod.uid(), entry);
            case OUT -> {}
        }
    }

    private void takeOut(Entry entry) {
        switch (entry.where) {
            case READY -> ready.remove(entry);
            case PAUSING -> pausing.remove(entry);
            case PARKED -> {
                Map<String, Entry> ofClass = parked.get(entry.type);
                if (ofClass != null) {
                    ofClass.remove(entry.pod.uid());
                    if (ofClass.isEmpty()) {
                        parked.remove(entry.type);
                    }
                }
            }
            case OUT -> {}
        }
        entry.where = Where.OUT;
    }

    private void makeReady(Entry entry) {
        takeOut(entry);
        putBack(entry, Where.READY);
    }

    /** Null if the pod was not waiting. */
    @Nullable
    Entry remove(String uid) {
        Entry entry = byUid.remove(uid);
        if (entry != null) {
            takeOut(entry);
        }
        return entry;
    }

    /** The next pod that may have its turn; afterwards it must be removed, parked or paused. */
    @Nullable
    Entry next(Instant now) {
        while (!pausing.isEmpty() && !pausing.first().dueAt.isAfter(now)) {
            makeReady(pausing.first());
        }
        Entry entry = ready.pollFirst();
        if (entry != null) {
            entry.where = Where.OUT;
        }
        return entry;
    }

    /** When somebody has paused for long enough; null if nobody pauses. */
    @Nullable
    Instant nextDue() {
        return ready.isEmpty() ? (pausing.isEmpty() ? null : pausing.first().dueAt) : Instant.MIN;
    }

    /** No node would take it; the reasons tell what could help. */
    void park(Entry entry, Set<Reason> reasons, Instant now) {
        failed(entry, now);
        entry.reasons = reasons;
        putBack(entry, Where.PARKED);
    }

    /** Something went wrong that has nothing to do with nodes: try again a little later. */
    void pause(Entry entry, Instant now) {
        failed(entry, now);
        putBack(entry, Where.PAUSING);
    }

    private void failed(Entry entry, Instant now) {
        takeOut(entry);
        long millis = FIRST_PAUSE.toMillis() << Math.min(entry.failures, 10);
        entry.failures++;
        entry.dueAt = now.plusMillis(Math.min(millis, LAST_PAUSE.toMillis()));
    }

    /** Something changed: those it could help get another turn. Asked once for all pods of a class with equal reasons. */
    void wake(BiPredicate<PodClass, Set<Reason>> helps, Instant now) {
        List<Entry> woken = new ArrayList<>();
        parked.forEach((type, entries) -> {
            Map<Set<Reason>, Boolean> answers = new HashMap<>();
            for (Entry entry : entries.values()) {
                if (answers.computeIfAbsent(entry.reasons, reasons -> helps.test(type, reasons))) {
                    woken.add(entry);
                }
            }
        });
        for (Entry entry : woken) {
            takeOut(entry);
            putBack(entry, entry.dueAt.isAfter(now) ? Where.PAUSING : Where.READY);
        }
    }

    /** Gives one pod another turn, because it changed itself. */
    void wake(Entry entry) {
        makeReady(entry);
    }

    boolean hasParked() {
        return !parked.isEmpty();
    }

    int size() {
        return byUid.size();
    }
}
