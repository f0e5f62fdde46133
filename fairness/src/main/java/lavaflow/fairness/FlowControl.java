package lavaflow.fairness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Lets requests run, wait or go away, by the FlowSchemas and PriorityLevelConfigurations there are. Safe for all threads. */
public final class FlowControl {
    /** Upstream's: 400 reading and 200 writing requests at once. */
    public static final int DEFAULT_SEATS = 600;

    /** Upstream's: a quarter of the time a request may take. */
    public static final Duration DEFAULT_WAIT = Duration.ofSeconds(15);

    private static final long ADJUST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record Configuration(List<FlowSchema> schemas, Map<String, PriorityLevel> levels) {}

    private final int totalSeats;
    private final long maxWaitNanos;
    private final LongSupplier nanos;
    private final Map<String, FlowCounters> counters = new ConcurrentSkipListMap<>();
    private final AtomicLong nextAdjustment;
    private volatile Configuration configuration;

    public FlowControl(int totalSeats) {
        this(totalSeats, DEFAULT_WAIT);
    }

    /**
     * @param maxWait how long a request may wait for a seat
     */
    public FlowControl(int totalSeats, Duration maxWait) {
        this(totalSeats, maxWait.toNanos(), System::nanoTime);
    }

    FlowControl(int totalSeats, long maxWaitNanos, LongSupplier nanos) {
        this.totalSeats = totalSeats;
        this.maxWaitNanos = maxWaitNanos;
        this.nanos = nanos;
        this.nextAdjustment = new AtomicLong(nanos.getAsLong() + ADJUST_NANOS);
        this.configuration = new Configuration(List.of(), Map.of());
        configure(List.of(), List.of());
    }

    /**
     * Takes over the objects there are. Schemas that name a level which does not exist count for nothing; the mandatory ones
     * are imagined where they are missing.
     */
    public synchronized void configure(List<ObjectNode> schemas, List<ObjectNode> levels) {
        Map<String, LevelSettings> settings = new TreeMap<>();
        settings.put("exempt", new LevelSettings("exempt", "", true, 0, 0, -1, 0, 0, 0));
        settings.put("catch-all", new LevelSettings("catch-all", "", false, 5, 0, -1, 0, 0, 0));
        for (ObjectNode level : levels) {
            LevelSettings read = LevelSettings.of(level);
            settings.put(read.name(), read);
        }
        long shares =
                settings.values().stream().mapToLong(LevelSettings::shares).sum();
        Map<String, PriorityLevel> next = new TreeMap<>();
        for (LevelSettings each : settings.values()) {
            PriorityLevel known = configuration.levels().get(each.name());
            PriorityLevel level = known == null || known.settings().exempt() != each.exempt()
                    ? new PriorityLevel(each, nanos)
                    : known;
            level.configure(each, SeatLimits.of(each, shares, totalSeats));
            next.put(each.name(), level);
        }
        Map<String, FlowSchema> named = new TreeMap<>();
        for (FlowSchema schema : MandatorySchemas.ALL) {
            named.put(schema.name(), schema);
        }
        schemas.forEach(schema -> {
            FlowSchema read = FlowSchema.of(schema);
            named.put(read.name(), read);
        });
        List<FlowSchema> ordered = new ArrayList<>(named.values());
        ordered.removeIf(schema -> !next.containsKey(schema.level()));
        ordered.sort(Comparator.comparingLong(FlowSchema::precedence).thenComparing(FlowSchema::name));
        configuration = new Configuration(List.copyOf(ordered), next);
        adjust();
    }

    /** Waits until the request may run; says so, or why it may not. */
    public Admission admit(FlowRequest request) {
        return admit(request, () -> false);
    }

    /**
     * The same for somebody who may leave.
     *
     * @param gone says whether they have left. Asked now and then while the request waits, and whenever its thread is unparked
     */
    public Admission admit(FlowRequest request, BooleanSupplier gone) {
        Configuration current = configuration;
        FlowSchema schema = classify(current, request);
        PriorityLevel level = current.levels().get(schema.level());
        if (level == null) {
            throw new IllegalStateException("no level " + schema.level());
        }
        FlowCounters count = counters.computeIfAbsent(
                schema.name() + " " + schema.level(), _ -> new FlowCounters(schema.name(), schema.level()));
        String levelUid = level.settings().uid();
        int seats = Math.max(1, request.seats());
        long arrived = nanos.getAsLong();
        adjustWhenDue(arrived);
        PriorityLevel.Holder holder = new PriorityLevel.Holder();
        Admission.Reason refusal =
                level.enter(count, schema.flow(request), seats, new PriorityLevel.Patience(maxWaitNanos, gone), holder);
        long began = nanos.getAsLong();
        count.waits.observe(began - arrived);
        FlowQueue queue = holder.queue;
        if (refusal != null || queue == null) {
            Admission.Reason reason = refusal == null ? Admission.Reason.CANCELLED : refusal;
            count.refused(reason);
            return new Admission.Refused(schema.uid(), levelUid, reason);
        }
        return new Admission.Admitted(schema.uid(), levelUid, new Ticket(() -> {
            long took = nanos.getAsLong() - began;
            count.finished(seats, took);
            level.leave(queue, seats, took);
            adjustWhenDue(began + took);
        }));
    }

    private static FlowSchema classify(Configuration current, FlowRequest request) {
        for (FlowSchema schema : current.schemas()) {
            if (schema.matches(request)) {
                return schema;
            }
        }
        // Only a user in neither group gets here, which authentication does not make.
        return MandatorySchemas.CATCH_ALL;
    }

    /** The name of the schema and the level a request belongs to, for tests and explanations. */
    String classification(FlowRequest request) {
        FlowSchema schema = classify(configuration, request);
        return schema.name() + "/" + schema.level();
    }

    private void adjustWhenDue(long now) {
        long due = nextAdjustment.get();
        if (now - due >= 0 && nextAdjustment.compareAndSet(due, now + ADJUST_NANOS)) {
            adjust();
        }
    }

    /** Lets levels that need more borrow from those that need less. */
    private synchronized void adjust() {
        List<PriorityLevel> levels = List.copyOf(configuration.levels().values());
        List<SeatAllocation.Claim> claims = new ArrayList<>();
        double seats = 0;
        for (PriorityLevel level : levels) {
            SeatLimits limits = level.limits();
            double smoothed = level.endPeriod();
            seats += limits.nominal();
            double target = Math.max(limits.lower(), smoothed);
            claims.add(new SeatAllocation.Claim(limits.lower(), Math.max(limits.lower(), limits.upper()), target));
        }
        double[] divided = SeatAllocation.divide(seats, claims);
        for (int i = 0; i < levels.size(); i++) {
            levels.get(i).setLimit((int) Math.round(divided[i]));
        }
    }

    /** Everything counted, in Prometheus' text format under upstream's names. */
    public String metrics() {
        return FlowMetrics.text(counters.values(), configuration.levels().values());
    }

    /** How many requests one flow may have running where nobody else needs seats. */
    public int nominalSeats(String level) {
        PriorityLevel found = configuration.levels().get(level);
        return found == null ? 0 : found.limits().nominal();
    }
}
