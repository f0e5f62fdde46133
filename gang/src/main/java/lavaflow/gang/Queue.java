package lavaflow.gang;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.placement.Columns;

/** A queue with what its gangs have and want. */
public final class Queue {
    final Set<Gang> gangs = new LinkedHashSet<>();
    /** Those that wait, by what they have in common. */
    final Map<Object, Line> lines = new LinkedHashMap<>();
    /** Whether it had all it should have when gangs were placed last. */
    boolean overused;
    /** What pods of its gangs have. */
    final Amounts allocated = Amounts.none();
    /** What is promised to them in this round. */
    final Amounts promised = Amounts.none();
    /** What they have and wait for. */
    final Amounts request = Amounts.none();
    /** What gangs were let in for and do not have yet. */
    final Amounts inqueue = Amounts.none();
    /** What gangs have beyond what they must have. */
    final Amounts elastic = Amounts.none();

    QueueSpec spec;
    private Amounts capability = Amounts.unlimited();
    private Amounts guarantee = Amounts.none();
    private Amounts deserved = Amounts.none();

    Queue(QueueSpec spec, Columns columns) {
        this.spec = spec;
        take(spec, columns);
    }

    void take(QueueSpec told, Columns columns) {
        spec = told;
        capability = Amounts.limit(told.capability(), columns);
        // As upstream has it: no processors or no memory at all is no limit that somebody meant.
        for (int column = Columns.CPU; column <= Columns.MEMORY; column++) {
            if (capability.lacks(column)) {
                capability.set(column, Double.POSITIVE_INFINITY);
            }
        }
        guarantee = Amounts.of(told.guarantee(), columns);
        deserved = Amounts.of(told.deserved(), columns);
    }

    public QueueSpec spec() {
        return spec;
    }

    public Set<Gang> gangs() {
        return Collections.unmodifiableSet(gangs);
    }

    /** What pods of its gangs have; not to be changed, like the following. */
    public Amounts allocated() {
        return allocated;
    }

    /** What they have and are promised in this round, as shares and limits count it. */
    public Amounts claimed() {
        return promised.isEmpty() ? allocated : allocated.copy().add(promised);
    }

    public Amounts request() {
        return request;
    }

    public Amounts inqueue() {
        return inqueue;
    }

    public Amounts elastic() {
        return elastic;
    }

    /** The most it may have. */
    public Amounts capability() {
        return capability;
    }

    /** What nobody else may have. */
    public Amounts guarantee() {
        return guarantee;
    }

    /** What it should have where that is not worked out. */
    public Amounts deserved() {
        return deserved;
    }

    void count(Gang gang, int sign) {
        allocated.add(gang.allocated, sign);
        promised.add(gang.promised, sign);
        request.add(gang.request, sign);
        inqueue.add(gang.outstanding(), sign);
        elastic.add(gang.elastic(), sign);
    }

    /**
     * Pods of a gang that are alike get another stage; what a gang is let in for is worked out only where it said what it needs.
     */
    void move(List<Member> alike, Stage stage) {
        Member one = alike.getFirst();
        Gang gang = one.gang;
        boolean counted = gang.spec.minResources() != null;
        if (counted) {
            inqueue.add(gang.outstanding(), -1);
            elastic.add(gang.elastic(), -1);
        }
        Stage before = one.stage;
        int count = alike.size();
        Gang.change(allocated, one, count, before.holdsRoom(), stage.holdsRoom());
        Gang.change(promised, one, count, before == Stage.PIPELINED, stage == Stage.PIPELINED);
        Gang.change(request, one, count, before.asksForRoom(), stage.asksForRoom());
        gang.move(alike, stage);
        if (counted) {
            inqueue.add(gang.outstanding(), 1);
            elastic.add(gang.elastic(), 1);
        } else {
            Gang.change(elastic, one, count, before.holdsRoom(), stage.holdsRoom());
        }
    }

    /** By age: the older first. */
    static int compareByAge(Queue one, Queue other) {
        int byAge = one.spec.created().compareTo(other.spec.created());
        return byAge != 0 ? byAge : one.spec.uid().compareTo(other.spec.uid());
    }

    @Override
    public String toString() {
        return spec.name();
    }
}
