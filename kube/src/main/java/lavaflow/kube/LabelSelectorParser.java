package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.LabelSelector.Operator;
import lavaflow.kube.LabelSelector.Requirement;

/** Reads selector text; the complaints are upstream's, oddities included, because clients show them. */
final class LabelSelectorParser {
    private enum Kind {
        END,
        COMMA,
        OPEN,
        CLOSE,
        NOT,
        OPERATOR,
        /** {@code in} and {@code notin}: operators after a key, identifiers anywhere else. */
        SET_OPERATOR,
        IDENTIFIER
    }

    private record Token(Kind kind, String text) {
        boolean isIdentifier() {
            return kind == Kind.IDENTIFIER || kind == Kind.SET_OPERATOR;
        }
    }

    private static final String SYMBOLS = "=!(),><";

    private final String text;
    private int position;
    private Token next;

    LabelSelectorParser(String text) {
        this.text = text;
        this.next = scan();
    }

    List<Requirement> parse() {
        List<Requirement> requirements = new ArrayList<>();
        while (next.kind() != Kind.END) {
            if (!next.isIdentifier() && next.kind() != Kind.NOT) {
                throw found(next, ", expected: !, identifier, or 'end of string'");
            }
            requirements.add(requirement());
            Token after = take();
            if (after.kind() == Kind.END) {
                break;
            }
            if (after.kind() != Kind.COMMA) {
                throw found(after, ", expected: ',' or 'end of string'");
            }
            if (!next.isIdentifier() && next.kind() != Kind.NOT) {
                throw found(next, ", expected: identifier after ','");
            }
        }
        return requirements;
    }

    private Requirement requirement() {
        try {
            return unwrappedRequirement();
        } catch (MalformedException e) {
            throw new MalformedException("unable to parse requirement: " + e.getMessage());
        }
    }

    private Requirement unwrappedRequirement() {
        boolean negated = next.kind() == Kind.NOT;
        if (negated) {
            take();
        }
        Token key = take();
        if (!key.isIdentifier()) {
            throw found(key, ", expected: identifier");
        }
        List<String> wrong = Names.qualifiedName(key.text());
        if (!wrong.isEmpty()) {
            throw new MalformedException(
                    "<nil>: Invalid value: " + GoQuote.quote(key.text()) + ": " + String.join("; ", wrong));
        }
        boolean alone = next.kind() == Kind.END || next.kind() == Kind.COMMA;
        if (negated || alone) {
            Operator operator = negated ? Operator.DOES_NOT_EXIST : Operator.EXISTS;
            return Requirement.checked(key.text(), operator, List.of());
        }
        Operator operator = operator(take());
        boolean set = operator == Operator.IN || operator == Operator.NOT_IN;
        return Requirement.checked(key.text(), operator, set ? values() : List.of(value()));
    }

    private static Operator operator(Token token) {
        return switch (token.text()) {
            case "in" -> Operator.IN;
            case "notin" -> Operator.NOT_IN;
            case "=" -> Operator.EQUALS;
            case "==" -> Operator.DOUBLE_EQUALS;
            case "!=" -> Operator.NOT_EQUALS;
            case ">" -> Operator.GREATER_THAN;
            case "<" -> Operator.LESS_THAN;
            default -> throw found(token, ", expected: in, notin, =, ==, !=, gt, lt");
        };
    }

    private String value() {
        if (next.kind() == Kind.END || next.kind() == Kind.COMMA) {
            return "";
        }
        Token token = take();
        if (!token.isIdentifier()) {
            throw found(token, ", expected: identifier");
        }
        return token.text();
    }

    private List<String> values() {
        Token open = take();
        if (open.kind() != Kind.OPEN) {
            throw found(open, " expected: '('");
        }
        if (next.kind() == Kind.CLOSE) {
            take();
            return List.of("");
        }
        if (!next.isIdentifier() && next.kind() != Kind.COMMA) {
            throw found(next, ", expected: ',', ')' or identifier");
        }
        Set<String> values = new TreeSet<>();
        while (next.kind() != Kind.CLOSE) {
            element(values);
        }
        take();
        return List.copyOf(values);
    }

    /** An identifier or a comma; a comma with nothing on one side stands for the empty value. */
    private void element(Set<String> values) {
        Token token = take();
        if (token.isIdentifier()) {
            values.add(token.text());
            if (next.kind() != Kind.COMMA && next.kind() != Kind.CLOSE) {
                throw found(next, ", expected: ',' or ')'");
            }
        } else if (token.kind() == Kind.COMMA) {
            if (values.isEmpty() || next.kind() == Kind.CLOSE || next.kind() == Kind.COMMA) {
                values.add("");
            }
            if (!next.isIdentifier() && next.kind() != Kind.COMMA && next.kind() != Kind.CLOSE) {
                throw found(next, ", expected: ',', or identifier");
            }
        } else {
            throw found(token, ", expected: ',', or identifier");
        }
    }

    private static MalformedException found(Token token, String expected) {
        return new MalformedException("found '" + token.text() + "'" + expected);
    }

    private Token take() {
        Token taken = next;
        next = scan();
        return taken;
    }

    private Token scan() {
        while (position < text.length() && isSpace(text.charAt(position))) {
            position++;
        }
        if (position >= text.length() || text.charAt(position) == 0) {
            position = text.length();
            return new Token(Kind.END, "");
        }
        return SYMBOLS.indexOf(text.charAt(position)) >= 0 ? symbol() : word();
    }

    private Token symbol() {
        char c = text.charAt(position++);
        boolean equalsFollows = position < text.length() && text.charAt(position) == '=';
        return switch (c) {
            case ',' -> new Token(Kind.COMMA, ",");
            case '(' -> new Token(Kind.OPEN, "(");
            case ')' -> new Token(Kind.CLOSE, ")");
            case '!', '=' -> {
                if (equalsFollows) {
                    position++;
                    yield new Token(Kind.OPERATOR, c + "=");
                }
                yield c == '!' ? new Token(Kind.NOT, "!") : new Token(Kind.OPERATOR, "=");
            }
            default -> new Token(Kind.OPERATOR, String.valueOf(c));
        };
    }

    private Token word() {
        int start = position;
        while (position < text.length() && !endsWord(text.charAt(position))) {
            position++;
        }
        String word = text.substring(start, position);
        if (position < text.length() && text.charAt(position) == 0) {
            position++;
        }
        boolean set = word.equals("in") || word.equals("notin");
        return new Token(set ? Kind.SET_OPERATOR : Kind.IDENTIFIER, word);
    }

    private static boolean endsWord(char c) {
        return c == 0 || isSpace(c) || SYMBOLS.indexOf(c) >= 0;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }
}
