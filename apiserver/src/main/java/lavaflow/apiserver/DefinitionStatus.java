package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What the status of a definition should say, given the definitions beside it: which names it gets, and whether its kind
 * is served.
 */
final class DefinitionStatus {
    private static final String NAMES_ACCEPTED = "NamesAccepted";
    private static final String ESTABLISHED = "Established";
    private static final String POLICY = "KubernetesAPIApprovalPolicyConformant";
    private static final String TERMINATING = "Terminating";

    /** A condition without its time. */
    private record Condition(String type, String status, String reason, String message) {}

    /** What a definition is granted. */
    record Verdict(Definition.Names names, ArrayNode conditions, boolean isAccepted) {}

    private DefinitionStatus() {}

    /**
     * Judges a definition.
     *
     * @param others every other definition; those of other groups do not matter
     * @param now RFC 3339 with seconds
     */
    static Verdict judge(Definition definition, Collection<Definition> others, String now) {
        Set<String> resources = new HashSet<>();
        Set<String> kinds = new HashSet<>();
        for (Definition other : others) {
            if (other.group().equals(definition.group()) && !other.name().equals(definition.name())) {
                Definition.Names taken = other.accepted();
                resources.add(taken.plural());
                resources.add(taken.singular());
                resources.addAll(taken.shortNames());
                kinds.add(taken.kind());
                kinds.add(taken.listKind());
            }
        }
        Naming naming = new Naming(definition.requested(), definition.accepted(), resources, kinds);
        Definition.Names granted = naming.granted();
        ArrayNode conditions = definition.conditions().deepCopy();
        Condition policy = policy(definition);
        if (policy != null) {
            set(conditions, policy, now);
        }
        Condition named = naming.conflict();
        set(
                conditions,
                named == null ? new Condition(NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found") : named,
                now);
        if (!definition.isEstablished()) {
            set(
                    conditions,
                    named == null
                            ? new Condition(
                                    ESTABLISHED, "True", "InitialNamesAccepted", "the initial names have been accepted")
                            : new Condition(ESTABLISHED, "False", "NotAccepted", "not all names are accepted"),
                    now);
        }
        return new Verdict(granted, conditions, named == null);
    }

    /** Name by name, each is kept, taken if free, or refused; the last refusal is the one that is told. */
    private static final class Naming {
        private final Definition.Names wanted;
        private final Definition.Names held;
        private final Set<String> resources;
        private final Set<String> kinds;
        private @Nullable Condition conflict;

        Naming(Definition.Names wanted, Definition.Names held, Set<String> resources, Set<String> kinds) {
            this.wanted = wanted;
            this.held = held;
            this.resources = resources;
            this.kinds = kinds;
        }

        Definition.Names granted() {
            return new Definition.Names(
                    name("Plural", wanted.plural(), held.plural(), resources),
                    name("Singular", wanted.singular(), held.singular(), resources),
                    shortNames(),
                    name("Kind", wanted.kind(), held.kind(), kinds),
                    name("ListKind", wanted.listKind(), held.listKind(), kinds),
                    wanted.categories());
        }

        private String name(String what, String asked, String has, Set<String> taken) {
            if (asked.equals(has) || !taken.contains(asked)) {
                return asked;
            }
            refuse(what, inUse(asked));
            return has;
        }

        private List<String> shortNames() {
            if (wanted.shortNames().equals(held.shortNames())) {
                return held.shortNames();
            }
            List<String> problems = new ArrayList<>();
            for (String name : wanted.shortNames()) {
                if (!held.shortNames().contains(name) && resources.contains(name)) {
                    problems.add(inUse(name));
                }
            }
            if (problems.isEmpty()) {
                return wanted.shortNames();
            }
            refuse("ShortNames", problems.size() == 1 ? problems.getFirst() : "[" + String.join(", ", problems) + "]");
            return held.shortNames();
        }

        private static String inUse(String name) {
            return FieldErrors.quoted(name) + " is already in use";
        }

        private void refuse(String what, String message) {
            conflict = new Condition(NAMES_ACCEPTED, "False", what + "Conflict", message);
        }

        @Nullable
        Condition conflict() {
            return conflict;
        }
    }

    /** Groups of the Kubernetes project say who let them in; the annotation is checked by validation. */
    private static @Nullable Condition policy(Definition definition) {
        String group = definition.group();
        boolean protectedGroup = group.equals("k8s.io")
                || group.endsWith(".k8s.io")
                || group.equals("kubernetes.io")
                || group.endsWith(".kubernetes.io");
        if (!protectedGroup) {
            return null;
        }
        String approval = definition.approval();
        if (approval == null) {
            return new Condition(
                    POLICY,
                    "False",
                    "MissingAnnotation",
                    "protected groups must have approval annotation \"api-approved.kubernetes.io\", see"
                            + " https://github.com/kubernetes/enhancements/pull/1111");
        }
        return approval.startsWith("unapproved")
                ? new Condition(
                        POLICY, "False", "UnapprovedAnnotation", "not approved: " + FieldErrors.quoted(approval))
                : new Condition(POLICY, "True", "ApprovedAnnotation", "approved in " + approval);
    }

    /** The condition of a definition whose instances have yet to go. */
    static void terminating(ArrayNode conditions, boolean going, String reason, String message, String now) {
        set(conditions, new Condition(TERMINATING, going ? "True" : "False", reason, message), now);
    }

    private static void set(ArrayNode conditions, Condition condition, String now) {
        for (JsonNode each : conditions) {
            if (Json.textAt(each, "type").equals(condition.type())) {
                ObjectNode present = (ObjectNode) each;
                if (!Json.textAt(present, "status").equals(condition.status())) {
                    present.put("lastTransitionTime", now);
                }
                write(present, condition);
                return;
            }
        }
        write(conditions.addObject().put("lastTransitionTime", now), condition);
    }

    private static void write(ObjectNode node, Condition condition) {
        node.put("message", condition.message());
        node.put("reason", condition.reason());
        node.put("status", condition.status());
        node.put("type", condition.type());
    }
}
