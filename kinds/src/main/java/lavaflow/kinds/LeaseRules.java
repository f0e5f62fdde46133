package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** coordination.k8s.io/v1 Lease. */
final class LeaseRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");

    /** A lost second of lease renewals is a late heartbeat, nothing more. */
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.CREATE_ON_UPDATE, Trait.RELAXED_DURABILITY);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        dropCoordination(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        dropCoordination(object);
    }

    /** The gate CoordinatedLeaderElection is off. */
    private static void dropCoordination(ObjectNode object) {
        Json.ensureObject(object, "spec").remove(List.of("strategy", "preferredHolder"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        long duration = Json.longAt(spec, 1, "leaseDurationSeconds");
        if (duration <= 0) {
            errors.invalid(SPEC.child("leaseDurationSeconds"), duration, "must be greater than 0");
        }
        WorkloadChecks.notNegative(spec, SPEC, errors, "leaseTransitions");
    }
}
