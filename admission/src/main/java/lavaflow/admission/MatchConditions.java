package lavaflow.admission;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kinds.AdmissionVocabulary;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Conditions in CEL that all must hold before a webhook or policy looks at a request. */
record MatchConditions(List<Condition> conditions, boolean ignoresFailures) {
    record Condition(String name, Expression expression) {}

    /** What came of it: {@code error} is empty unless a condition could not be judged and that matters. */
    record Verdict(boolean matches, String error) {
        static final Verdict YES = new Verdict(true, "");
        static final Verdict NO = new Verdict(false, "");
    }

    static MatchConditions of(JsonNode list, AdmissionVocabulary vocabulary, boolean ignoresFailures) {
        List<Condition> conditions = new ArrayList<>();
        for (JsonNode each : list) {
            conditions.add(new Condition(
                    Json.textAt(each, "name"), new Expression(Json.textAt(each, "expression"), vocabulary)));
        }
        return new MatchConditions(conditions, ignoresFailures);
    }

    /** One that is false decides, also where another could not be judged. */
    Verdict judge(@Nullable Evaluation evaluation) {
        if (conditions.isEmpty() || evaluation == null) {
            return Verdict.YES;
        }
        List<String> errors = new ArrayList<>();
        for (Condition condition : conditions) {
            switch (evaluation.evaluate(condition.expression)) {
                case Evaluation.Outcome.Value(Object value) -> {
                    if (!Boolean.TRUE.equals(value)) {
                        return Verdict.NO;
                    }
                }
                case Evaluation.Outcome.Failure(String message, boolean exhausted) -> {
                    errors.add(message);
                    if (exhausted) {
                        return ignoresFailures ? Verdict.NO : new Verdict(false, message);
                    }
                }
            }
        }
        if (errors.isEmpty()) {
            return Verdict.YES;
        }
        return ignoresFailures ? Verdict.NO : new Verdict(false, Texts.aggregated(errors));
    }
}
