package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A path into an object in the syntax of kubectl: {@code .spec.list[0].name}, {@code ['a\.b']}, {@code [*]}, {@code ..name},
 * {@code [?(@.type=="Ready")].status}.
 */
public final class JsonPath {
    /** One step of a path: from some values to others. */
    sealed interface Step {}

    /** A member of objects. */
    record Member(String name) implements Step {}

    /** Elements of lists; negative positions count from the end. */
    record Slice(
            @Nullable Integer from,
            @Nullable Integer to,
            boolean single,
            @Nullable Integer by) implements Step {}

    /** All members or elements. */
    record All() implements Step {}

    /** The values themselves and everything below. */
    record Below() implements Step {}

    /** What any of several steps leads to. */
    record Union(List<List<Step>> choices) implements Step {}

    /** Elements for which something holds; {@code exists} asks only whether the left side leads anywhere. */
    record Filter(List<Step> left, String operator, List<Step> right) implements Step {}

    /** A value that stands in the path itself. */
    record Constant(JsonNode value) implements Step {}

    /** A path that cannot be followed into a value: an index out of bounds, a filter on what is no list. */
    private static final class Stuck extends Exception {
        Stuck() {
            super(null, null, false, false);
        }
    }

    /** More than a cell could ever show; {@code ..} could otherwise multiply without end. */
    private static final int MOST_FOUND = 100_000;

    private final String source;
    private final List<Step> steps;

    private JsonPath(String source, List<Step> steps) {
        this.source = source;
        this.steps = steps;
    }

    /**
     * Parses a path.
     *
     * @throws IllegalArgumentException with upstream's words
     */
    public static JsonPath parse(String source) {
        return new JsonPath(source, new JsonPathParser(source).steps());
    }

    /** All values the path leads to; none where it leads nowhere or cannot be followed. */
    public List<JsonNode> find(JsonNode root) {
        try {
            return follow(steps, List.of(root));
        } catch (Stuck e) {
            return List.of();
        }
    }

    private static List<JsonNode> follow(List<Step> steps, List<JsonNode> from) throws Stuck {
        List<JsonNode> current = from;
        for (Step step : steps) {
            List<JsonNode> next = new ArrayList<>();
            take(step, current, next);
            if (next.size() > MOST_FOUND) {
                throw new Stuck();
            }
            current = next;
        }
        return current;
    }

    private static void take(Step step, List<JsonNode> from, List<JsonNode> to) throws Stuck {
        switch (step) {
            case Union union -> {
                for (List<Step> choice : union.choices()) {
                    to.addAll(follow(choice, from));
                }
            }
            case Constant constant -> from.forEach(_ -> to.add(constant.value()));
            case Member member -> {
                for (JsonNode value : from) {
                    JsonNode found = value instanceof ObjectNode object ? object.get(member.name()) : null;
                    if (found != null) {
                        to.add(found);
                    }
                }
            }
            case All _ -> from.forEach(value -> value.forEach(to::add));
            case Below _ -> from.forEach(value -> below(value, to));
            case Slice slice -> {
                for (JsonNode value : from) {
                    slice(slice, value, to);
                }
            }
            case Filter filter -> {
                for (JsonNode value : from) {
                    filter(filter, value, to);
                }
            }
        }
    }

    private static void below(JsonNode value, List<JsonNode> to) {
        if (!value.isEmpty() && to.size() <= MOST_FOUND) {
            to.add(value);
            for (JsonNode inner : value) {
                below(inner, to);
            }
        }
    }

    private static void slice(Slice slice, JsonNode value, List<JsonNode> to) throws Stuck {
        if (value.isNull()) {
            return;
        }
        if (!(value instanceof ArrayNode list)) {
            throw new Stuck();
        }
        int size = list.size();
        int from = slice.from() == null ? 0 : slice.from() < 0 ? slice.from() + size : slice.from();
        int end;
        if (slice.single()) {
            int derived = (slice.from() == null ? 0 : slice.from()) + 1;
            end = derived <= 0 ? derived + size : derived;
        } else {
            end = slice.to() == null ? size : slice.to() < 0 ? slice.to() + size : slice.to();
        }
        if (from == end) {
            return;
        }
        int by = slice.by() == null ? 1 : slice.by();
        if (from >= size || from < 0 || end > size || end < 0 || from > end || by <= 0) {
            throw new Stuck();
        }
        for (int i = from; i < end; i += by) {
            to.add(list.get(i));
        }
    }

    private static void filter(Filter filter, JsonNode value, List<JsonNode> to) throws Stuck {
        if (!(value instanceof ArrayNode list)) {
            throw new Stuck();
        }
        for (JsonNode element : list) {
            List<JsonNode> left = follow(filter.left(), List.of(element));
            if (filter.operator().equals("exists")) {
                if (!left.isEmpty()) {
                    to.add(element);
                }
                continue;
            }
            List<JsonNode> right = left.isEmpty() ? List.of() : follow(filter.right(), List.of(element));
            if (left.size() > 1 || right.size() > 1) {
                throw new Stuck();
            }
            if (!left.isEmpty() && !right.isEmpty() && holds(filter.operator(), left.getFirst(), right.getFirst())) {
                to.add(element);
            }
        }
    }

    private static boolean holds(String operator, JsonNode left, JsonNode right) throws Stuck {
        boolean numbers = left.isNumber() && right.isNumber();
        boolean comparable = numbers || (left.isTextual() && right.isTextual());
        boolean bools = left.isBoolean() && right.isBoolean();
        if (!comparable && !bools) {
            throw new Stuck();
        }
        int order = numbers
                ? Double.compare(left.doubleValue(), right.doubleValue())
                : bools
                        ? Boolean.compare(left.booleanValue(), right.booleanValue())
                        : left.textValue().compareTo(right.textValue());
        return switch (operator) {
            case "==" -> order == 0;
            case "!=" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            case ">=" -> order >= 0;
            default -> throw new Stuck();
        };
    }

    /** The names of the members a path consists of, or null where it is anything more. */
    @Nullable
    List<String> members() {
        List<String> names = new ArrayList<>(steps.size());
        for (Step step : steps) {
            if (!(step instanceof Member member)) {
                return null;
            }
            names.add(member.name());
        }
        return names;
    }

    @Override
    public String toString() {
        return source;
    }
}
