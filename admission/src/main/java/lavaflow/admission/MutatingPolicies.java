package lavaflow.admission;

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
            policies.visit(policy, () -> change.occasion, change);
        }
        change.reinvocation.left(object);
    }

    /** A mutation that cannot be made. */
    private static final class Impossible extends Exception {
        private static final long serialVersionUID = 1L;

        Impossible(String message) {
            super(message, null, false, false);
        }
    }

    /** One object on its way through all policies. */
    private final class Change implements Policies.Visitor {
        private final ObjectNode object;
        private final Admission.Rounds rounds;
        private final Reinvocation reinvocation;
        private Occasion occasion;

        Change(Occasion occasion, ObjectNode object, Admission.Rounds rounds) {
            this.occasion = occasion;
            this.object = object;
            this.rounds = rounds;
            this.reinvocation = Reinvocation.of(MutatingPolicies.this, rounds, object);
        }

        @Override
        public void misconfigured(Policy policy, String message) {
            if (!policy.ignoresFailures()) {
                String text = "policy " + FieldErrors.quoted(policy.name()) + " denied request: " + message;
                ApiException refusal = occasion.resource().forbidden(occasion.name(), text);
                refusal.status().put("message", text);
                throw refusal.cause("", text, "");
            }
        }

        @Override
        public void misconfigured(Policy policy, Policy.Binding binding, String message) {
            if (!policy.ignoresFailures()) {
                throw refusal(policy, binding, message);
            }
        }

        @Override
        public void apply(Policy policy, Policy.Binding binding, Resource resource, @Nullable ObjectNode params) {
            String id = policy.name() + "/" + binding.name() + "/"
                    + (params == null ? "" : Json.string(params.path("metadata").path("uid")));
            if (rounds.isSecond() && !reinvocation.isDue(id)) {
                return;
            }
            try {
                if (!policies.matches(policy, occasion, occasion.form(resource), params)) {
                    return;
                }
                boolean changed = false;
                for (Policy.Mutation mutation : policy.mutations()) {
                    Evaluation evaluation = policies.evaluation(policy, occasion, occasion.form(resource), params);
                    changed |= mutate(mutation, evaluation, resource);
                }
                reinvocation.seen(id, policy.again(), changed, rounds);
            } catch (Policies.EvaluationFailure | Impossible e) {
                if (!policy.ignoresFailures()) {
                    throw refusal(policy, binding, String.valueOf(e.getMessage()));
                }
            }
        }

        private boolean mutate(Policy.Mutation mutation, Evaluation evaluation, Resource resource) throws Impossible {
            ObjectNode before = Objects.requireNonNull(occasion.form(resource).object());
            Object value = switch (evaluation.evaluate(mutation.expression())) {
                case Evaluation.Outcome.Value(Object made) -> made;
                case Evaluation.Outcome.Failure failure -> throw new Impossible(failure.message());
            };
            ObjectNode after = mutation.configuration() ? configured(value, before, resource) : patched(value, before);
            if (after.equals(before)) {
                return false;
            }
            after.put("kind", Json.textAt(before, "kind"));
            after.put("apiVersion", Json.textAt(before, "apiVersion"));
            try {
                ObjectNode taken = forms.taken(occasion.call(), after, resource);
                object.removeAll();
                object.setAll(taken);
            } catch (DecodingException e) {
                throw new Impossible(String.valueOf(e.getMessage()));
            }
            occasion = new Occasion(occasion.call(), occasion.operation(), object, occasion.old(), forms);
            return true;
        }

        private ObjectNode configured(Object value, ObjectNode before, Resource resource) throws Impossible {
            JsonNode part;
            try {
                part = CelValues.toJson(value);
            } catch (CelException e) {
                throw new Impossible("error applying patch: " + e.text());
            }
            if (!(part instanceof ObjectNode configuration)) {
                throw new Impossible("error applying patch: unexpected evaluation result type");
            }
            ConfigurationMerge merge = forms.merge(occasion.call(), resource);
            String problem = merge.problem(configuration);
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

        private ObjectNode patched(Object value, ObjectNode before) throws Impossible {
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

        private ApiException refusal(Policy policy, Policy.Binding binding, String message) {
            String text =
                    "policy '" + policy.name() + "' with binding '" + binding.name() + "' denied request: " + message;
            ApiException refusal = occasion.resource().forbidden(occasion.name(), text);
            refusal.status().put("message", text).put("reason", "Invalid");
            return refusal.cause("", text, "");
        }
    }
}
