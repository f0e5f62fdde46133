package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of priority levels. */
final class PriorityLevelValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final String PRESERVE_ZERO = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
    private static final long MOST_QUEUES = 10_000_000;
    private static final int HASH_BITS = 60;

    private PriorityLevelValidation() {}

    static void validate(ObjectNode object, FieldErrors errors) {
        if (Nodes.has(object, "metadata", "annotations", PRESERVE_ZERO)) {
            errors.forbidden(
                    FieldPath.of("metadata", "annotations"), "annotation '" + PRESERVE_ZERO + "' is forbidden");
        }
        ObjectNode spec = Json.ensureObject(object, "spec");
        String name = Json.textAt(object, "metadata", "name");
        String type = Json.textAt(spec, "type");
        if (name.equals("exempt") != type.equals("Exempt")) {
            errors.invalid(SPEC.child("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'");
        }
        switch (type) {
            case "Exempt" -> {
                if (Nodes.has(spec, "limited")) {
                    errors.forbidden(SPEC.child("limited"), "must be nil if the type is not Limited");
                }
                shares(Json.objectAt(spec, "exempt"), SPEC.child("exempt"), errors);
                percent(Json.objectAt(spec, "exempt"), SPEC.child("exempt"), errors);
            }
            case "Limited" -> {
                if (Nodes.has(spec, "exempt")) {
                    errors.forbidden(SPEC.child("exempt"), "must be nil if the type is Limited");
                }
                ObjectNode limited = Json.objectAt(spec, "limited");
                if (limited == null) {
                    errors.required(SPEC.child("limited"), "must not be empty when type is Limited");
                } else {
                    limited(limited, SPEC.child("limited"), errors);
                }
            }
            default -> FieldChecks.requireOneOf(type, List.of("Exempt", "Limited"), SPEC.child("type"), errors);
        }
        fixed(spec, name, errors);
        FlowSchemaValidation.conditions(object, errors);
    }

    private static void fixed(ObjectNode spec, String name, FieldErrors errors) {
        ObjectNode fixed = MandatoryFlowControl.level(name);
        if (fixed == null) {
            return;
        }
        if (name.equals("exempt")) {
            KindRules.keep(fixed, spec, "exempt");
            if (!fixed.equals(spec)) {
                errors.invalid(
                        SPEC, spec, "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value");
            }
        } else if (!fixed.equals(spec)) {
            errors.invalid(SPEC, spec, "spec of '" + name + "' must equal the fixed value");
        }
    }

    private static void shares(
            @org.jspecify.annotations.Nullable ObjectNode level, FieldPath path, FieldErrors errors) {
        long shares = Json.longAt(level, 0, "nominalConcurrencyShares");
        if (shares < 0) {
            errors.invalid(path.child("nominalConcurrencyShares"), shares, "must be a non-negative integer");
        }
    }

    private static void percent(
            @org.jspecify.annotations.Nullable ObjectNode level, FieldPath path, FieldErrors errors) {
        FieldChecks.inRange(level, "lendablePercent", 0, 100, path, errors);
    }

    private static void limited(ObjectNode limited, FieldPath path, FieldErrors errors) {
        shares(limited, path, errors);
        FieldPath response = path.child("limitResponse");
        String type = Json.textAt(limited, "limitResponse", "type");
        ObjectNode queuing = Json.objectAt(limited, "limitResponse", "queuing");
        switch (type) {
            case "Reject" -> {
                if (queuing != null) {
                    errors.forbidden(
                            response.child("queuing"), "must be nil if limited.limitResponse.type is not Limited");
                }
            }
            case "Queue" -> {
                if (queuing == null) {
                    errors.required(
                            response.child("queuing"), "must not be empty if limited.limitResponse.type is Limited");
                } else {
                    queuing(queuing, response.child("queuing"), errors);
                }
            }
            default -> FieldChecks.requireOneOf(type, List.of("Queue", "Reject"), response.child("type"), errors);
        }
        percent(limited, path, errors);
        long borrowing = Json.longAt(limited, 0, "borrowingLimitPercent");
        if (borrowing < 0) {
            errors.invalid(
                    path.child("borrowingLimitPercent"), borrowing, "if specified, must be a non-negative integer");
        }
    }

    private static void queuing(ObjectNode queuing, FieldPath path, FieldErrors errors) {
        long length = Json.longAt(queuing, 0, "queueLengthLimit");
        if (length <= 0) {
            errors.invalid(path.child("queueLengthLimit"), length, "must be positive");
        }
        long queues = Json.longAt(queuing, 0, "queues");
        if (queues <= 0) {
            errors.invalid(path.child("queues"), queues, "must be positive");
        } else if (queues > MOST_QUEUES) {
            errors.invalid(path.child("queues"), queues, "must not be greater than " + MOST_QUEUES);
        }
        long hand = Json.longAt(queuing, 0, "handSize");
        FieldPath place = path.child("handSize");
        if (hand <= 0) {
            errors.invalid(place, hand, "must be positive");
        } else if (hand > queues) {
            errors.invalid(place, hand, "should not be greater than queues (" + queues + ")");
        } else if (Math.ceil(Math.log((double) queues) / Math.log(2) * (double) hand) > HASH_BITS) {
            errors.invalid(
                    place,
                    hand,
                    "required entropy bits of deckSize " + queues + " and handSize " + hand
                            + " should not be greater than " + HASH_BITS);
        }
    }
}
