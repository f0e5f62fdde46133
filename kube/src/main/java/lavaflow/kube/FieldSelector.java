package lavaflow.kube;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Chooses objects by the value of fields; which fields exist is a matter of the kind.
 *
 * @param requirements all must hold; in upstream's order, which is that of the sorted text
 */
public record FieldSelector(List<Requirement> requirements) {
    /**
     * One comparison.
     *
     * @param equal whether the field must be equal to the value or different from it
     */
    public record Requirement(String field, boolean equal, String value) {
        @Override
        public String toString() {
            String escaped = value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
            return field + (equal ? "=" : "!=") + escaped;
        }
    }

    public static final FieldSelector EVERYTHING = new FieldSelector(List.of());

    public FieldSelector {
        requirements = Collections.unmodifiableList(new ArrayList<>(requirements));
    }

    /** Reads the form of the fieldSelector parameter: {@code spec.nodeName=a,status.phase!=Running}. */
    public static FieldSelector parse(String text) throws MalformedException {
        if (text.isEmpty()) {
            return EVERYTHING;
        }
        List<String> terms = split(text);
        Collections.sort(terms);
        List<Requirement> requirements = new ArrayList<>();
        for (String term : terms) {
            if (!term.isEmpty()) {
                requirements.add(requirement(text, term));
            }
        }
        return new FieldSelector(requirements);
    }

    private static List<String> split(String text) {
        List<String> terms = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == ',') {
                terms.add(text.substring(start, i));
                start = i + 1;
            }
        }
        terms.add(text.substring(start));
        return terms;
    }

    private static Requirement requirement(String text, String term) {
        int equals = term.indexOf('=');
        if (equals < 0) {
            throw new MalformedException("invalid selector: '" + text + "'; can't understand '" + term + "'");
        }
        if (equals > 0 && term.charAt(equals - 1) == '!') {
            return new Requirement(term.substring(0, equals - 1), false, unescape(term.substring(equals + 1)));
        }
        int value = term.startsWith("==", equals) ? equals + 2 : equals + 1;
        return new Requirement(term.substring(0, equals), true, unescape(term.substring(value)));
    }

    private static String unescape(String value) {
        if (value.chars().noneMatch(c -> c == '\\' || c == ',' || c == '=')) {
            return value;
        }
        StringBuilder plain = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == ',' || c == '=') {
                // Upstream prints the character's number.
                throw new MalformedException("invalid field selector: unescaped character in value: " + (int) c);
            }
            if (c == '\\') {
                i++;
                if (i == value.length() || "\\,=".indexOf(value.charAt(i)) < 0) {
                    String sequence = i == value.length() ? "" : Character.toString(value.codePointAt(i));
                    throw new MalformedException("invalid field selector: invalid escape sequence: \\" + sequence);
                }
                c = value.charAt(i);
            }
            plain.append(c);
        }
        return plain.toString();
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    /** The value a field must have, where the selector says so: lists of one object are answered without a scan. */
    public Optional<String> exactly(String field) {
        return requirements.stream()
                .filter(requirement ->
                        requirement.equal() && requirement.field().equals(field))
                .map(Requirement::value)
                .findFirst();
    }

    /** Whether an object is chosen whose fields have the given values; an absent field is empty. */
    public boolean matches(Function<String, String> valueOf) {
        for (Requirement requirement : requirements) {
            if (valueOf.apply(requirement.field()).equals(requirement.value()) != requirement.equal()) {
                return false;
            }
        }
        return true;
    }

    /** The same selector over fields with other names, as kinds have old and new ones. */
    public FieldSelector renamed(UnaryOperator<String> names) {
        return new FieldSelector(requirements.stream()
                .map(one -> new Requirement(names.apply(one.field()), one.equal(), one.value()))
                .toList());
    }

    @Override
    public String toString() {
        return requirements.stream().map(Requirement::toString).collect(Collectors.joining(","));
    }
}
