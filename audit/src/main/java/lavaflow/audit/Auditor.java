package lavaflow.audit;

import java.time.InstantSource;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** Opens a record for each request that the policy wants to see. Safe to share between threads. */
public final class Auditor {
    /** Writes nothing down. */
    public static final Auditor NONE = new Auditor(null, line -> true, InstantSource.system());

    private final @Nullable AuditPolicy policy;
    private final AuditSink sink;
    private final InstantSource clock;

    public Auditor(@Nullable AuditPolicy policy, AuditSink sink, InstantSource clock) {
        this.policy = policy;
        this.sink = sink;
        this.clock = clock;
    }

    /** The record of a request, {@link AuditRecord#NONE} where nobody wants it; the description is made only if needed. */
    public AuditRecord open(Supplier<AuditedRequest> described) {
        if (policy == null) {
            return AuditRecord.NONE;
        }
        AuditedRequest request = described.get();
        AuditPolicy.Decision decision = policy.decide(request);
        return decision.level() == Level.NONE ? AuditRecord.NONE : new AuditRecord(request, decision, sink, clock);
    }
}
