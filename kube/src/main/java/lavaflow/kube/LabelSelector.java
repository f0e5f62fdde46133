package lavaflow.kube;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Chooses objects by their labels: all requirements must hold. */
public final class LabelSelector {
    /** How a requirement relates a label to its values. */
    public enum Operator {
        IN("in"),
        NOT_IN("notin"),
        EQUALS("="),
        DOUBLE_EQUALS("=="),
        NOT_EQUALS("!="),
        EXISTS("exists"),
        DOES_NOT_EXIST("!"),
        GREATER_THAN("gt"),
        LESS_THAN("lt");

        private final String wireName;

        Operator(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }

    /**
     * One condition on one label.
     *
     * @param values in the order given; sorted where the selector was parsed from text
     */
    public record Requirement(String key, Operator operator, List<String> values) {
        /** A requirement that upstream would accept. */
        static Requirement checked(String key, Operator operator, List<String> values) throws MalformedException {
            FieldErrors errors = new FieldErrors();
            check(key, operator, values, errors);
            if (!errors.isEmpty()) {
                throw new MalformedException(aggregated(errors));
            }
            return new Requirement(key, operator, List.copyOf(values));
        }

        private static void check(String key, Operator operator, List<String> values, FieldErrors errors) {
            List<String> keyErrors = Names.qualifiedName(key);
            if (!keyErrors.isEmpty()) {
                errors.invalid(FieldPath.of("key"), key, String.join("; ", keyErrors));
            }
            FieldPath path = FieldPath.of("values");
            String countWrong = countWrong(operator, values.size());
            if (!countWrong.isEmpty()) {
                errors.invalid(path, shown(values), countWrong);
            }
            for (int i = 0; i < values.size(); i++) {
                boolean numeric = operator == Operator.GREATER_THAN || operator == Operator.LESS_THAN;
                if (numeric && integer(values.get(i)) == null) {
                    errors.invalid(
                            path.index(i), values.get(i), "for 'Gt', 'Lt' operators, the value must be an integer");
                }
            }
            for (int i = 0; i < values.size(); i++) {
                List<String> wrong = Names.labelValue(values.get(i));
                if (!wrong.isEmpty()) {
                    errors.invalid(path.index(i).key(key), values.get(i), String.join("; ", wrong));
                }
            }
        }

        private static String countWrong(Operator operator, int count) {
            return switch (operator) {
                case IN, NOT_IN -> count > 0 ? "" : "for 'in', 'notin' operators, values set can't be empty";
                case EQUALS, DOUBLE_EQUALS, NOT_EQUALS ->
                    count == 1 ? "" : "exact-match compatibility requires one single value";
                case EXISTS, DOES_NOT_EXIST ->
                    count == 0 ? "" : "values set must be empty for exists and does not exist";
                case GREATER_THAN, LESS_THAN ->
                    count == 1 ? "" : "for 'Gt', 'Lt' operators, exactly one value is required";
            };
        }

        private static JsonNode shown(List<String> values) {
            if (values.isEmpty()) {
                return Json.FACTORY.nullNode();
            }
            var list = Json.array();
            values.forEach(list::add);
            return list;
        }

        boolean matches(@Nullable JsonNode labels) {
            JsonNode found = labels == null ? null : labels.get(key);
            String value = found == null || !found.isTextual() ? null : found.textValue();
            return switch (operator) {
                case IN, EQUALS, DOUBLE_EQUALS -> value != null && values.contains(value);
                case NOT_IN, NOT_EQUALS -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
                case GREATER_THAN, LESS_THAN -> value != null && compares(value);
            };
        }

        private boolean compares(String label) {
            Long left = integer(label);
            Long right = integer(values.getFirst());
            if (left == null || right == null) {
                return false;
            }
            return operator == Operator.GREATER_THAN ? left > right : left < right;
        }

        private static @Nullable Long integer(String text) {
            try {
                return Long.valueOf(text);
            } catch (NumberFormatException e) {
                return null;
            }
        }

        @Override
        public String toString() {
            String list = values.stream().sorted().collect(Collectors.joining(","));
            return switch (operator) {
                case EXISTS -> key;
                case DOES_NOT_EXIST -> "!" + key;
                case EQUALS, DOUBLE_EQUALS, NOT_EQUALS -> key + operator.wireName() + list;
                case IN, NOT_IN -> key + " " + operator.wireName() + " (" + list + ")";
                case GREATER_THAN -> key + ">" + list;
                case LESS_THAN -> key + "<" + list;
            };
        }
    }

    public static final LabelSelector EVERYTHING = new LabelSelector(List.of(), false);
    public static final LabelSelector NOTHING = new LabelSelector(List.of(), true);

    private final List<Requirement> requirements;
    private final boolean nothing;

    private LabelSelector(List<Requirement> requirements, boolean nothing) {
        this.requirements = requirements;
        this.nothing = nothing;
    }

    static LabelSelector of(List<Requirement> requirements) {
        List<Requirement> sorted = new ArrayList<>(requirements);
        sorted.sort(Comparator.comparing(Requirement::key));
        return new LabelSelector(Collections.unmodifiableList(sorted), false);
    }

    /** Reads the form of the labelSelector parameter: {@code app=web,tier in (a,b),!canary}. */
    public static LabelSelector parse(String text) throws MalformedException {
        return text.isEmpty() ? EVERYTHING : of(new LabelSelectorParser(text).parse());
    }

    /** Equality with every label of a map, as a service or replication controller selects; the map is trusted. */
    public static LabelSelector ofLabels(@Nullable JsonNode labels) {
        List<Requirement> requirements = new ArrayList<>();
        if (labels != null) {
            labels.properties()
                    .forEach(label -> requirements.add(new Requirement(
                            label.getKey(),
                            Operator.EQUALS,
                            List.of(label.getValue().asText()))));
        }
        return of(requirements);
    }

    /** A LabelSelector object: none selects nothing, an empty one everything. */
    public static LabelSelector fromJson(@Nullable JsonNode selector) throws MalformedException {
        if (selector == null || selector.isNull()) {
            return NOTHING;
        }
        List<Requirement> requirements = new ArrayList<>();
        JsonNode labels = Json.at(selector, "matchLabels");
        if (labels != null) {
            for (Map.Entry<String, JsonNode> label : labels.properties()) {
                requirements.add(Requirement.checked(
                        label.getKey(),
                        Operator.EQUALS,
                        List.of(label.getValue().asText())));
            }
        }
        for (JsonNode expression : Json.listAt(selector, "matchExpressions")) {
            List<String> values = new ArrayList<>();
            Json.listAt(expression, "values").forEach(value -> values.add(value.asText()));
            requirements.add(Requirement.checked(
                    Json.textAt(expression, "key"), operator(Json.textAt(expression, "operator")), values));
        }
        return of(requirements);
    }

    private static Operator operator(String name) {
        return switch (name) {
            case "In" -> Operator.IN;
            case "NotIn" -> Operator.NOT_IN;
            case "Exists" -> Operator.EXISTS;
            case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
            default -> throw new MalformedException(GoQuote.quote(name) + " is not a valid label selector operator");
        };
    }

    /** A LabelSelector object as tables show it. */
    public static String describe(@Nullable JsonNode selector) {
        try {
            String text = fromJson(selector).toString();
            return text.isEmpty() ? "<none>" : text;
        } catch (MalformedException e) {
            return "<error>";
        }
    }

    /** Several errors the way Go's aggregates print them. */
    private static String aggregated(FieldErrors errors) {
        List<String> messages =
                errors.list().stream().map(FieldError::message).distinct().toList();
        return messages.size() == 1 ? messages.getFirst() : "[" + String.join(", ", messages) + "]";
    }

    public List<Requirement> requirements() {
        return requirements;
    }

    /** Whether every object is chosen. */
    public boolean isEverything() {
        return requirements.isEmpty() && !nothing;
    }

    public boolean isNothing() {
        return nothing;
    }

    /** Whether an object with these labels (its {@code metadata.labels}, which may be absent) is chosen. */
    public boolean matches(@Nullable JsonNode labels) {
        if (nothing) {
            return false;
        }
        for (Requirement requirement : requirements) {
            if (!requirement.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    /** The canonical text, as in a scale's {@code status.selector}. */
    @Override
    public String toString() {
        return requirements.stream().map(Requirement::toString).collect(Collectors.joining(","));
    }

    /** A selector as Go prints its struct, which some of upstream's messages and columns show. */
    public static String goStruct(JsonNode selector) {
        TreeMap<String, String> labels = new TreeMap<>();
        JsonNode given = Json.at(selector, "matchLabels");
        if (given != null) {
            given.properties()
                    .forEach(
                            label -> labels.put(label.getKey(), label.getValue().asText()));
        }
        StringBuilder text = new StringBuilder("&LabelSelector{MatchLabels:map[string]string{");
        labels.forEach(
                (key, value) -> text.append(key).append(": ").append(value).append(','));
        text.append("},MatchExpressions:[]LabelSelectorRequirement{");
        for (JsonNode expression : Json.listAt(selector, "matchExpressions")) {
            List<String> values = new ArrayList<>();
            Json.listAt(expression, "values").forEach(value -> values.add(value.asText()));
            text.append("LabelSelectorRequirement{Key:")
                    .append(Json.textAt(expression, "key"))
                    .append(",Operator:")
                    .append(Json.textAt(expression, "operator"))
                    .append(",Values:[")
                    .append(String.join(" ", values))
                    .append("],},");
        }
        return text.append("},}").toString();
    }
}
