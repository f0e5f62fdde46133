package lavaflow.kube;

import java.util.List;

/** Which paths an endpoint can change at all; the others are nobody's business there. */
@FunctionalInterface
public interface FieldFilter {
    /** Every path. */
    FieldFilter ALL = fields -> fields;

    /** The paths of a set that the endpoint changes. */
    FieldSet filter(FieldSet fields);

    /** All but some paths and what is below them: what the endpoint resets. */
    static FieldFilter excluding(FieldSet reset) {
        return reset.isEmpty() ? ALL : fields -> fields.recursiveDifference(reset);
    }

    /**
     * Only paths that start with one of the given ones, which are field names separated by dots, with {@code *} for any
     * step: {@code spec.containers.*.resources}.
     */
    static FieldFilter including(List<String> prefixes) {
        List<List<String>> patterns = prefixes.stream()
                .map(prefix -> List.of(prefix.split("\\.", -1)))
                .toList();
        return fields -> matching(fields, patterns, 0);
    }

    private static FieldSet matching(FieldSet fields, List<List<String>> patterns, int depth) {
        FieldSet.Builder kept = new FieldSet.Builder();
        for (int i = 0; i < fields.size(); i++) {
            PathStep step = fields.step(i);
            List<List<String>> alive = patterns.stream()
                    .filter(pattern -> matches(pattern.get(depth), step))
                    .toList();
            if (alive.isEmpty()) {
                continue;
            }
            boolean whole = alive.stream().anyMatch(pattern -> pattern.size() == depth + 1);
            kept.add(step, fields.member(i), whole ? fields.child(i) : matching(fields.child(i), alive, depth + 1));
        }
        return kept.build();
    }

    private static boolean matches(String pattern, PathStep step) {
        return pattern.equals("*") || (step.isField() && step.name().equals(pattern));
    }
}
