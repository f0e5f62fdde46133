package lavaflow.schema;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import lavaflow.cel.CelLimits;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

/** What the rules of one definition may cost at most, as far as the schema tells. */
final class RuleCosts {
    /** How many of the most expensive rules are named. */
    private static final int MOST_NAMED = 4;

    private record Cost(FieldPath path, long cost) {}

    private final boolean unchanged;
    private final List<Cost> expensive = new ArrayList<>();
    private long total;

    /** @param unchanged whether the costs of single rules were accepted before */
    RuleCosts(boolean unchanged) {
        this.unchanged = unchanged;
    }

    /** Counts a rule, and complains if it alone costs too much. */
    void add(String what, long cost, FieldPath path, FieldErrors errors) {
        if (!unchanged && cost > CelLimits.STATIC_RULE_COST) {
            errors.forbidden(path, exceeded("estimated " + what + " cost", cost, CelLimits.STATIC_RULE_COST));
        }
        total = total + cost < 0 ? Long.MAX_VALUE : total + cost;
        if (cost >= CelLimits.STATIC_DEFINITION_COST / 100) {
            expensive.add(new Cost(path, cost));
            expensive.sort(Comparator.comparingLong(Cost::cost).reversed());
            if (expensive.size() > MOST_NAMED) {
                expensive.removeLast();
            }
        }
    }

    /** Complains if all rules together cost too much. */
    void finish(FieldPath path, FieldErrors errors) {
        if (total <= CelLimits.STATIC_DEFINITION_COST) {
            return;
        }
        for (Cost cost : expensive) {
            errors.forbidden(
                    cost.path,
                    "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
        }
        errors.forbidden(
                path,
                exceeded(
                        "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                        total,
                        CelLimits.STATIC_DEFINITION_COST));
    }

    private static String exceeded(String what, long cost, long limit) {
        double factor = (double) cost / limit;
        String shown =
                factor > 100 ? "more than 100x" : String.format(Locale.ROOT, factor < 1.5 ? "%fx" : "%.1fx", factor);
        return what + " exceeds budget by factor of " + shown
                + " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and"
                + " strings are declared)";
    }

    /** A product that does not overflow. */
    static long times(long left, long right) {
        if (left == 0 || right == 0) {
            return 0;
        }
        return Long.MAX_VALUE / left < right ? Long.MAX_VALUE : left * right;
    }
}
