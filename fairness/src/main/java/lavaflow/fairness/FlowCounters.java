package lavaflow.fairness;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What metrics tell of one flow schema at one priority level. */
final class FlowCounters {
    final String schema;
    final String level;
    final LongAdder dispatched = new LongAdder();
    final Map<Admission.Reason, LongAdder> rejected = new EnumMap<>(Admission.Reason.class);
    final AtomicInteger executing = new AtomicInteger();
    final AtomicInteger executingSeats = new AtomicInteger();
    final AtomicInteger waiting = new AtomicInteger();
    final AtomicInteger waitingSeats = new AtomicInteger();
    final Durations waits = new Durations();
    final Durations executions = new Durations();

    FlowCounters(String schema, String level) {
        this.schema = schema;
        this.level = level;
        for (Admission.Reason reason : Admission.Reason.values()) {
            rejected.put(reason, new LongAdder());
        }
    }

    void refused(Admission.Reason reason) {
        rejected.computeIfAbsent(reason, _ -> new LongAdder()).increment();
    }

    void started(int seats) {
        dispatched.increment();
        executing.incrementAndGet();
        executingSeats.addAndGet(seats);
    }

    void finished(int seats, long nanos) {
        executing.decrementAndGet();
        executingSeats.addAndGet(-seats);
        executions.observe(nanos);
    }

    void queued(int seats) {
        waiting.incrementAndGet();
        waitingSeats.addAndGet(seats);
    }

    void unqueued(int seats) {
        waiting.decrementAndGet();
        waitingSeats.addAndGet(-seats);
    }

    String labels() {
        return "flow_schema=\"" + schema + "\",priority_level=\"" + level + "\"";
    }
}
