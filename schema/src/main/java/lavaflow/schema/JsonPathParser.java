package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the syntax of {@link JsonPath}. */
final class JsonPathParser {
    private static final class Patterns {
        static final Pattern SLICE = Pattern.compile("^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$");
        static final Pattern COMPARISON = Pattern.compile("^([^!<>=]+)([!<>=]+)(.+?)$");
    }

    private static final String TERMINATORS = " \t\r\n.,[]$@{}";
    private static final int DEEPEST = 50;

    private final String text;
    private final int depth;
    private int at;

    JsonPathParser(String text) {
        this(text, 0);
    }

    private JsonPathParser(String text, int depth) {
        this.text = text;
        this.depth = depth;
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("filters are nested too deeply");
        }
    }

    List<JsonPath.Step> steps() {
        List<JsonPath.Step> steps = new ArrayList<>();
        while (at < text.length()) {
            step(steps);
        }
        return List.copyOf(steps);
    }

    private static List<JsonPath.Step> inner(String text, int depth) {
        return new JsonPathParser(text, depth).steps();
    }

    private void step(List<JsonPath.Step> steps) {
        if (text.startsWith("[?(", at)) {
            steps.add(filter());
            return;
        }
        if (text.startsWith("..", at)) {
            recursive(steps);
            return;
        }
        char c = text.charAt(at);
        if (c == '\n' || c == '\r') {
            throw new IllegalArgumentException("unclosed action");
        } else if (c == ' ' || c == '@' || c == '$') {
            at++;
        } else if (c == '[') {
            brackets(steps);
        } else if (c == '"' || c == '\'') {
            steps.add(quoted(c));
        } else if (c == '.') {
            at++;
            steps.add(member());
        } else if (c == '+' || c == '-' || (c >= '0' && c <= '9')) {
            steps.add(number());
        } else if (c == '_' || Character.isLetterOrDigit(c)) {
            steps.add(identifier());
        } else {
            throw new IllegalArgumentException(String.format(
                    "unrecognized character in action: U+%04X '%s'",
                    text.codePointAt(at), Character.toString(text.codePointAt(at))));
        }
    }

    private void recursive(List<JsonPath.Step> steps) {
        if (!steps.isEmpty() && steps.getLast() instanceof JsonPath.Below) {
            throw new IllegalArgumentException("invalid multiple recursive descent");
        }
        at += 2;
        steps.add(new JsonPath.Below());
        if (at < text.length() && (text.charAt(at) == '_' || Character.isLetterOrDigit(text.charAt(at)))) {
            steps.add(member());
        }
    }

    private JsonPath.Step member() {
        StringBuilder name = new StringBuilder();
        while (at < text.length() && TERMINATORS.indexOf(text.charAt(at)) < 0) {
            if (text.charAt(at) == '\\' && ++at >= text.length()) {
                break;
            }
            name.append(text.charAt(at++));
        }
        return name.toString().equals("*") ? new JsonPath.All() : new JsonPath.Member(name.toString());
    }

    private JsonPath.Step identifier() {
        int start = at;
        while (at < text.length() && TERMINATORS.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        if (word.equals("true") || word.equals("false")) {
            return new JsonPath.Constant(Json.FACTORY.booleanNode(word.equals("true")));
        }
        throw new IllegalArgumentException("unrecognized identifier " + word);
    }

    private JsonPath.Step number() {
        int start = at++;
        while (at < text.length() && (text.charAt(at) == '.' || Character.isDigit(text.charAt(at)))) {
            at++;
        }
        String digits = text.substring(start, at);
        try {
            return new JsonPath.Constant(
                    digits.indexOf('.') < 0
                            ? Json.number(Long.parseLong(digits))
                            : Json.FACTORY.numberNode(Double.parseDouble(digits)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("cannot parse number " + digits, e);
        }
    }

    private JsonPath.Step quoted(char quote) {
        StringBuilder value = new StringBuilder();
        for (at++; at < text.length() && text.charAt(at) != '\n'; at++) {
            char c = text.charAt(at);
            if (c == quote) {
                at++;
                return new JsonPath.Constant(Json.text(value.toString()));
            }
            if (c == '\\' && at + 1 < text.length()) {
                c = text.charAt(++at);
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
            value.append(c);
        }
        throw new IllegalArgumentException("unterminated quoted string");
    }

    private void brackets(List<JsonPath.Step> steps) {
        int end = text.indexOf(']', at);
        int line = text.indexOf('\n', at);
        if (end < 0 || (line >= 0 && line < end)) {
            throw new IllegalArgumentException("unterminated array");
        }
        String inside = text.substring(at + 1, end);
        at = end + 1;
        if (inside.indexOf(',') >= 0) {
            List<List<JsonPath.Step>> choices = new ArrayList<>();
            for (String choice : inside.split(",", -1)) {
                choices.add(inner("[" + choice.strip() + "]", depth + 1));
            }
            steps.add(new JsonPath.Union(choices));
        } else if (inside.length() >= 2
                && inside.startsWith("'")
                && inside.endsWith("'")
                && inside.indexOf('\'', 1) == inside.length() - 1) {
            steps.addAll(inner("." + inside.substring(1, inside.length() - 1), depth + 1));
        } else {
            steps.add(slice(inside.equals("*") ? ":" : inside));
        }
    }

    private static JsonPath.Step slice(String inside) {
        Matcher parts = Patterns.SLICE.matcher(inside);
        if (!parts.find()) {
            throw new IllegalArgumentException("invalid array index " + inside);
        }
        String second = parts.group(2);
        return new JsonPath.Slice(
                position(parts.group(1), 0),
                position(second, 1),
                second == null || second.isEmpty(),
                position(parts.group(3), 1));
    }

    private static @Nullable Integer position(@Nullable String digits, int skip) {
        if (digits == null || digits.length() <= skip) {
            return null;
        }
        try {
            return Integer.valueOf(digits.substring(skip));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("array index " + digits.substring(skip) + " is not a number", e);
        }
    }

    private JsonPath.Step filter() {
        at += 3;
        int start = at;
        char quote = 0;
        boolean closed = false;
        while (true) {
            if (at >= text.length() || text.charAt(at) == '\n') {
                throw new IllegalArgumentException("unterminated filter");
            }
            char c = text.charAt(at++);
            if (c == '"' || c == '\'') {
                if (quote == 0) {
                    quote = c;
                } else if (c == quote && text.charAt(at - 2) != '\\') {
                    closed = true;
                }
            } else if (c == ')' && (quote == 0 || closed)) {
                break;
            }
        }
        String inside = text.substring(start, at - 1);
        if (at >= text.length() || text.charAt(at++) != ']') {
            throw new IllegalArgumentException("unclosed array expect ]");
        }
        Matcher parts = Patterns.COMPARISON.matcher(inside);
        return parts.find()
                ? new JsonPath.Filter(
                        inner(parts.group(1), depth + 1), parts.group(2), inner(parts.group(3), depth + 1))
                : new JsonPath.Filter(inner(inside, depth + 1), "exists", List.of());
    }
}
