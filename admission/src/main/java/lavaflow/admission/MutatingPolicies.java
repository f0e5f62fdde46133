package lavaflow.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Derived;
import lavaflow.apiserver.Resource;
import lavaflow.cel.CelException;
import lavaflow.cel.CelList;
import lavaflow.cel.CelValues;
import lavaflow.cel.JsonPatchOperation;
import lavaflow.kube.ApiException;
import lavaflow.kube.ConfigurationMerge;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Changes what is written as the mutating admission policies bound to it say, one mutation after the other. */
final class MutatingPolicies implements Admission.Plugin {
    private final Derived<List<Policy>> configured;
    private final Policies policies;
    private final AdmissionForms forms;

    MutatingPolicies(Derived<List<Policy>> configured, Policies policies, AdmissionForms forms) {
        this.configured = configured;
        this.policies = policies;
        this.forms = forms;
    }

    @Override
    public void mutate(
            Call call,
            Admission.Operation operation,
            ObjectNode object,
            @Nullable ObjectNode old,
            Admission.Rounds rounds) {
        List<Policy> all = configured.get();
        if (all.isEmpty()) {
            return;
        }
        Change change = new Change(new Occasion(call, operation, object, old, forms), object, rounds);
        if (!Policies.areAsked(change.occasion)) {
            return;
        }
        for (Policy policy : all) {
            policies.visit(policy, change.occasion, change);
        }
        change.applyAll();
        change.reinvocation.left(object);
    }

    /** A mutation that cannot be made. */
    private static final class Impossible extends Exception {
        private static final long serialVersionUID = 1L;

        Impossible(String message) {
            super(message, null, false, false);
        }
    }

    /** A binding with one of its parameters that applies to the object as it came. */
    private record Invocation(
            Policy policy,
            Policy.Binding binding,
            Resource resource,
            @Nullable ObjectNode params) {
        String id() {
            return policy.name() + "/" + binding.name() + "/"
                    + (params == null ? "" : Json.string(params.path("metadata").path("uid")));
        }
    }

    /** Why a policy refuses; what it is told with is the first one's. */
    private record Complaint(String message, String reason) {
        static Complaint of(Policy policy, String message) {
            return new Complaint(
                    "policy " + FieldErrors.quoted(policy.name()) + " denied request: " + message, "Forbidden");
        }

        static Complaint of(Policy policy, Policy.Binding binding, String message) {
            return new Complaint(
                    "policy '" + policy.name() + "' with binding '" + binding.name() + "' denied request: " + message,
                    "Invalid");
        }
    }

    /**
     * One object on its way through all policies. Which of them apply is settled before the first one changes the object; one that
     * fails does not keep the next from being asked, so that a client hears all complaints at once.
     */
    private final class Change implements Policies.Visitor {
        private final ObjectNode object;
        private final Admission.Rounds rounds;
        private final Reinvocation reinvocation;
        private final List<Invocation> invocations = new ArrayList<>();
        private final List<Complaint> complaints = new ArrayList<>();
        private Occasion occasion;

        Change(Occasion occasion, ObjectNode object, Admission.Rounds rounds) {
            this.occasion = occasion;
            this.object = object;
            this.rounds = rounds;
            this.reinvocation = Reinvocation.of(MutatingPolicies.this, rounds, object);
        }

        @Override
        public void misconfigured(Policy policy, String message) {
            complain(policy, Complaint.of(policy, message));
        }

        @Override
        public void misconfigured(Policy policy, Policy.Binding binding, String message) {
            complain(policy, Complaint.of(policy, binding, message));
        }

        private void complain(Policy policy, Complaint complaint) {
            if (!policy.ignoresFailures()) {
                complaints.add(complaint);
            }
        }

        @Override
        public void apply(Policy policy, Policy.Binding binding, Resource resource, @Nullable ObjectNode params) {
            invocations.add(new Invocation(policy, binding, resource, params));
        }

        void applyAll() {
            for (Invocation each : invocations) {
                if (!rounds.isSecond() || reinvocation.isDue(each.id())) {
                    apply(each);
                }
            }
            if (complaints.isEmpty()) {
                return;
            }
            Complaint first = complaints.getFirst();
            ApiException refusal = occasion.resource().forbidden(occasion.knownAs(), first.message);
            refusal.status().put("message", first.message).put("reason", first.reason);
            complaints.forEach(each -> refusal.cause("", each.message, ""));
            throw refusal;
        }

        private void apply(Invocation invocation) {
            Policy policy = invocation.policy;
            Resource resource = invocation.resource;
            ObjectNode params = invocation.params;
            try {
                if (!policies.matches(policy, occasion, occasion.form(resource), params)) {
                    return;
                }
                boolean changed = false;
                for (Policy.Mutation mutation : policy.mutations()) {
                    Evaluation evaluation = policies.evaluation(policy, occasion, occasion.form(resource), params);
                    changed |= mutate(mutation, evaluation, invocation);
                }
                reinvocation.seen(invocation.id(), policy.again(), changed, rounds);
            } catch (Policies.EvaluationFailure e) {
                complain(policy, Complaint.of(policy, invocation.binding, e.text()));
            }
        }

        private boolean mutate(Policy.Mutation mutation, Evaluation evaluation, Invocation invocation) {
            try {
                return mutate(mutation, evaluation, invocation.resource);
            } catch (Impossible e) {
                Policy policy = invocation.policy;
                complain(policy, Complaint.of(policy, invocation.binding, String.valueOf(e.getMessage())));
                return false;
            }
        }

        private boolean mutate(Policy.Mutation mutation, Evaluation evaluation, Resource resource) throws Impossible {
            ObjectNode before = Objects.requireNonNull(occasion.form(resource).object());
            Object value = switch (evaluation.evaluate(mutation.expression())) {
                case Evaluation.Outcome.Value(Object made) -> made;
                case Evaluation.Outcome.Failure failure -> throw new Impossible(failure.message());
            };
            return mutation.configuration() ? configure(value, before, resource) : patch(value, before, resource);
        }

        private void become(ObjectNode taken) {
            object.removeAll();
            object.setAll(taken);
            occasion = new Occasion(occasion.call(), occasion.operation(), object, occasion.old(), forms);
        }

        private boolean configure(Object value, ObjectNode before, Resource resource) throws Impossible {
            ObjectNode after = configured(value, before, resource);
            if (after.equals(before)) {
                return false;
            }
            after.put("kind", Json.textAt(before, "kind"));
            after.put("apiVersion", Json.textAt(before, "apiVersion"));
            try {
                become(forms.taken(occasion.call(), after, resource));
            } catch (DecodingException e) {
                throw new Impossible(String.valueOf(e.getMessage()));
            }
            return true;
        }

        private boolean patch(Object value, ObjectNode before, Resource resource) throws Impossible {
            JsonNode after = patched(value, before);
            if (after.equals(before)) {
                return false;
            }
            become(forms.patched(occasion.call(), after, resource, true));
            return true;
        }

        private ObjectNode configured(Object value, ObjectNode before, Resource resource) throws Impossible {
            JsonNode part;
            JsonNode withBytes;
            try {
                part = CelValues.toJson(value);
                withBytes = CelValues.toJsonWithBytes(value);
            } catch (CelException e) {
                throw new Impossible("error applying patch: " + e.text());
            }
            if (!(part instanceof ObjectNode configuration)) {
                throw new Impossible("error applying patch: unexpected evaluation result type");
            }
            ConfigurationMerge merge = forms.merge(occasion.call(), resource);
            String problem = merge.problem((ObjectNode) withBytes);
            if (problem != null) {
                throw new Impossible(
                        "error applying patch: failed to convert patch object to typed object: " + problem);
            }
            String atomic = merge.atomicPlace(configuration);
            if (atomic != null) {
                throw new Impossible("error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays,"
                        + " maps or structs: " + atomic);
            }
            try {
                return merge.merge(before.deepCopy(), configuration).deepCopy();
            } catch (ApiException e) {
                throw new Impossible("error applying patch: " + e.getMessage());
            }
        }

        private JsonNode patched(Object value, ObjectNode before) throws Impossible {
            ArrayNode operations = Json.array();
            try {
                CelList list = (CelList) value;
                for (int i = 0; i < list.size(); i++) {
                    operations.add(operation((JsonPatchOperation) list.get(i)));
                }
            } catch (CelException e) {
                throw new Impossible(e.text());
            }
            if (ForeignPatch.failsTest(operations, before)) {
                return before;
            }
            try {
                return ForeignPatch.apply(operations, before);
            } catch (ApiException e) {
                throw new Impossible("JSON Patch: "
                        + Json.textAt(e.status(), "message").replaceFirst("^Internal error occurred: ", ""));
            }
        }

        private static ObjectNode operation(JsonPatchOperation made) {
            ObjectNode operation = Json.object();
            operation.put("op", made.op()).put("path", made.path());
            if (!made.from().isEmpty()) {
                operation.put("from", made.from());
            }
            Object value = made.value();
            if (value != null) {
                operation.set("value", CelValues.toJson(value));
            }
            return operation;
        }
    }
}
