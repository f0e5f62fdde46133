package lavaflow.admission;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Derived;
import lavaflow.apiserver.Resource;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Judges what is written by the validating admission policies bound to it. */
final class ValidatingPolicies implements Admission.Plugin {
    private static final String FAILURES = "validation.policy.admission.k8s.io/validation_failure";
    private static final int LONGEST_MESSAGE = 5 * 1024;

    private final Derived<List<Policy>> configured;
    private final Policies policies;
    private final AdmissionForms forms;

    ValidatingPolicies(Derived<List<Policy>> configured, Policies policies, AdmissionForms forms) {
        this.configured = configured;
        this.policies = policies;
        this.forms = forms;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        List<Policy> all = configured.get();
        if (all.isEmpty()) {
            return;
        }
        Occasion occasion = new Occasion(call, operation, object, old, forms);
        if (!Policies.areAsked(occasion)) {
            return;
        }
        Judgement judgement = new Judgement(occasion);
        for (Policy policy : all) {
            policies.visit(policy, occasion, judgement);
        }
        judgement.finish();
    }

    /** All verdicts on one occasion. */
    private final class Judgement implements Policies.Visitor {
        private final Occasion occasion;
        private final Map<String, Set<String>> notes = new LinkedHashMap<>();
        private final ArrayNode failures = Json.array();
        private @Nullable ApiException refusal;

        Judgement(Occasion occasion) {
            this.occasion = occasion;
        }

        @Override
        public void misconfigured(Policy policy, String message) {
            if (!policy.ignoresFailures()) {
                deny("'" + policy.name() + "'", message, "");
            }
        }

        @Override
        public void misconfigured(Policy policy, Policy.Binding binding, String message) {
            if (!policy.ignoresFailures()) {
                deny(policy, binding, message, "");
            }
        }

        @Override
        public void apply(Policy policy, Policy.Binding binding, Resource resource, @Nullable ObjectNode params) {
            Occasion.Form form = occasion.form(resource);
            try {
                if (!policies.matches(policy, occasion, form, params)) {
                    return;
                }
            } catch (Policies.EvaluationFailure e) {
                failed(policy, binding, 0, e.text(), "");
                return;
            }
            Evaluation evaluation = policies.evaluation(policy, occasion, form, params);
            int index = 0;
            for (Policy.Validation validation : policy.validations()) {
                judge(policy, binding, validation, index++, evaluation);
            }
            annotate(policy, binding, evaluation);
        }

        private void judge(
                Policy policy, Policy.Binding binding, Policy.Validation validation, int index, Evaluation evaluation) {
            switch (evaluation.evaluate(validation.expression())) {
                case Evaluation.Outcome.Value(Object value) -> {
                    if (!Boolean.TRUE.equals(value)) {
                        failed(policy, binding, index, message(validation, evaluation), validation.reason());
                    }
                }
                case Evaluation.Outcome.Failure failure -> {
                    if (!policy.ignoresFailures()) {
                        failed(policy, binding, index, failure.message(), "");
                    }
                }
            }
        }

        private static String message(Policy.Validation validation, Evaluation evaluation) {
            Expression expression = validation.messageExpression();
            if (expression != null
                    && evaluation.evaluate(expression) instanceof Evaluation.Outcome.Value(Object value)
                    && value instanceof String text) {
                String message = text.strip();
                boolean usable = !message.isEmpty() && message.length() <= LONGEST_MESSAGE && !message.contains("\n");
                if (usable) {
                    return message;
                }
            }
            return validation.message().isEmpty()
                    ? "failed expression: " + validation.expression().source()
                    : validation.message();
        }

        private void failed(Policy policy, Policy.Binding binding, int index, String message, String reason) {
            for (String action : binding.actions()) {
                switch (action) {
                    case "Deny" -> deny(policy, binding, message, reason);
                    case "Warn" ->
                        occasion.call()
                                .warn("Validation failed for ValidatingAdmissionPolicy '" + policy.name()
                                        + "' with binding '" + binding.name() + "': " + message);
                    default -> audit(policy, binding, index, message);
                }
            }
        }

        private void deny(Policy policy, Policy.Binding binding, String message, String reason) {
            deny("'" + policy.name() + "' with binding '" + binding.name() + "'", message, reason);
        }

        private void deny(String who, String message, String reason) {
            if (refusal != null) {
                return;
            }
            String text = "ValidatingAdmissionPolicy " + who + " denied request: " + message;
            ApiException forbidden = occasion.resource().forbidden(occasion.knownAs(), text);
            String given = reason.isEmpty() ? "Invalid" : reason;
            forbidden.status().put("reason", given);
            forbidden.cause("", text, "");
            forbidden
                    .status()
                    .put(
                            "code",
                            switch (given) {
                                case "Forbidden" -> 403;
                                case "Unauthorized" -> 401;
                                case "RequestEntityTooLarge" -> 413;
                                default -> 422;
                            });
            refusal = forbidden;
        }

        private void audit(Policy policy, Policy.Binding binding, int index, String message) {
            ObjectNode failure = failures.addObject();
            failure.put("message", message).put("policy", policy.name()).put("binding", binding.name());
            failure.put("expressionIndex", index);
            ArrayNode actions = failure.putArray("validationActions");
            binding.actions().forEach(actions::add);
        }

        private void annotate(Policy policy, Policy.Binding binding, Evaluation evaluation) {
            policy.annotations().forEach((key, expression) -> {
                switch (evaluation.evaluate(expression)) {
                    case Evaluation.Outcome.Value(Object value) -> {
                        if (value instanceof String text && !text.isBlank()) {
                            notes.computeIfAbsent(policy.name() + "/" + key, _ -> new LinkedHashSet<>())
                                    .add(text.strip());
                        }
                    }
                    case Evaluation.Outcome.Failure failure -> {
                        if (!policy.ignoresFailures()) {
                            deny(policy, binding, failure.message(), "");
                        }
                    }
                }
            });
        }

        void finish() {
            Call call = occasion.call();
            notes.forEach((key, values) -> call.annotate(key, String.join(", ", new ArrayList<>(values))));
            if (!failures.isEmpty()) {
                call.annotate(FAILURES, Json.string(failures));
            }
            if (refusal != null) {
                throw refusal;
            }
        }
    }
}
