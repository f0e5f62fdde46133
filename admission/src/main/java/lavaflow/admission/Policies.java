package lavaflow.admission;

import java.util.List;
import java.util.Set;

import lavaflow.apiserver.Resource;
import lavaflow.cel.CelLimits;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What validating and mutating policies have in common: which apply to an occasion, and with which parameters. */
final class Policies {
    /** Questions about access are not judged by policies, which might ask them. */
    private static final Set<String> EXCLUDED = Set.of(
            "authentication.k8s.io/selfsubjectreviews",
            "authentication.k8s.io/tokenreviews",
            "authorization.k8s.io/localsubjectaccessreviews",
            "authorization.k8s.io/selfsubjectaccessreviews",
            "authorization.k8s.io/selfsubjectrulesreviews",
            "authorization.k8s.io/subjectaccessreviews");

    /** What happens to a policy that applies. */
    interface Visitor {
        /** A binding with one of its parameters. */
        void apply(Policy policy, Policy.Binding binding, Resource resource, @Nullable ObjectNode params);

        /** A policy whose parameters are of a kind that is not there; whom it is bound to does not matter then. */
        void misconfigured(Policy policy, String message);

        /** A binding whose parameters cannot be had. */
        void misconfigured(Policy policy, Policy.Binding binding, String message);
    }

    private final Namespaces namespaces;
    private final Params params;
    private final Evaluations evaluations;

    Policies(Namespaces namespaces, Params params, Evaluations evaluations) {
        this.namespaces = namespaces;
        this.params = params;
        this.evaluations = evaluations;
    }

    static boolean areAsked(Occasion occasion) {
        return !occasion.isExempt() && !EXCLUDED.contains(occasion.resource().bucket());
    }

    /** Shows the visitor what applies of a policy. */
    void visit(Policy policy, Occasion occasion, Visitor visitor) {
        Resource resource = policy.matching().find(occasion, namespaces, false);
        if (resource == null) {
            return;
        }
        String unknown = policy.bindings().isEmpty() ? null : params.unknownKind(policy);
        if (unknown != null) {
            visitor.misconfigured(policy, "failed to configure policy: " + unknown);
            return;
        }
        for (Policy.Binding binding : policy.bindings()) {
            Matching narrower = binding.matching();
            if (narrower != null && narrower.find(occasion, namespaces, true) == null) {
                continue;
            }
            List<@Nullable ObjectNode> all;
            try {
                all = params.find(policy, binding, occasion);
            } catch (Params.Missing e) {
                visitor.misconfigured(policy, binding, "failed to configure binding: " + e.getMessage());
                continue;
            }
            for (ObjectNode each : all) {
                visitor.apply(policy, binding, resource, each);
            }
        }
    }

    /** Whether a policy's match conditions hold. */
    boolean matches(Policy policy, Occasion occasion, Occasion.Form form, @Nullable ObjectNode params)
            throws EvaluationFailure {
        if (policy.conditions().conditions().isEmpty()) {
            return true;
        }
        Evaluation conditions = evaluations.policy(occasion, form, params, CelLimits.RUNTIME_MATCH_CONDITIONS);
        MatchConditions.Verdict verdict = policy.conditions().judge(conditions);
        if (!verdict.error().isEmpty()) {
            throw new EvaluationFailure(verdict.error());
        }
        return verdict.matches();
    }

    /** An evaluation of a policy's expressions. */
    Evaluation evaluation(Policy policy, Occasion occasion, Occasion.Form form, @Nullable ObjectNode params) {
        Evaluation evaluation = evaluations.policy(occasion, form, params, CelLimits.RUNTIME_BUDGET);
        if (policy.variablesType() != null) {
            evaluation.compose(policy.variablesType(), policy.variables());
        }
        return evaluation;
    }

    /** Match conditions that could not be judged. */
    static final class EvaluationFailure extends Exception {
        private static final long serialVersionUID = 1L;

        EvaluationFailure(String message) {
            super(message, null, false, false);
        }

        String text() {
            return String.valueOf(getMessage());
        }
    }
}
