package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;

import lavaflow.cel.Token.Kind;

import org.jspecify.annotations.Nullable;

/** Reads an expression, rule by rule of the language's grammar. Errors go to the source; the result is then meaningless. */
final class Parser extends OperatorParser {
    private static final int MOST_CODE_POINTS = 100_000;

    private Parser(Source source, Macros macros, ExprFactory factory) {
        super(source, macros, factory);
    }

    static @Nullable Expr parse(Source source, Macros macros, ExprFactory factory) {
        if (source.length() > MOST_CODE_POINTS) {
            source.report(
                    Source.NOWHERE,
                    "expression code point size exceeds limit: size: " + source.length() + ", limit "
                            + MOST_CODE_POINTS);
            return null;
        }
        try {
            Parser parser = new Parser(source, macros, factory);
            Expr expr = parser.expression(Kind.END.mask());
            try {
                parser.match(Kind.END, NOTHING);
            } catch (SyntaxException failure) {
                parser.recover(failure, -1);
            }
            return source.hasIssues() ? null : expr;
        } catch (StackOverflowError deep) {
            source.report(Source.NOWHERE, "expression recursion limit exceeded: " + DEEPEST);
            return null;
        } catch (LimitException limit) {
            String message = String.valueOf(limit.getMessage());
            if (!message.isEmpty()) {
                source.report(Source.NOWHERE, message);
            }
            return null;
        }
    }

    @Override
    Expr primary(long follow) {
        enter(follow);
        int start = look(0).offset();
        try {
            sync(PRIMARY);
            return switch (kind()) {
                case LEFT_PAREN -> nested();
                case LEFT_BRACKET -> list();
                case LEFT_BRACE -> map();
                case DOT, IDENTIFIER -> named();
                default -> literal();
            };
        } catch (SyntaxException failure) {
            recover(failure, 9);
            return factory.missing(start);
        } finally {
            exit();
        }
    }

    private Expr nested() {
        matched();
        Expr inner = expression(Kind.RIGHT_PAREN.mask());
        match(Kind.RIGHT_PAREN, NOTHING);
        return inner;
    }

    private Expr list() {
        int offset = matched().offset();
        sync(OPTIONAL_EXPRESSION | set(Kind.COMMA, Kind.RIGHT_BRACKET));
        List<Expr> elements = new ArrayList<>();
        List<Boolean> optional = new ArrayList<>();
        if (sees(OPTIONAL_EXPRESSION)) {
            enter(set(Kind.COMMA, Kind.RIGHT_BRACKET));
            do {
                separator(elements.isEmpty());
                optional.add(optionalMark());
                elements.add(optionalElement(Kind.COMMA.mask() | NOTHING));
            } while (continues(OPTIONAL_EXPRESSION));
            exit();
        }
        lastComma(Kind.RIGHT_BRACKET);
        match(Kind.RIGHT_BRACKET, NOTHING);
        return factory.list(offset, elements, optional);
    }

    private Expr optionalElement(long follow) {
        enter(follow);
        Expr element = expression(NOTHING);
        exit();
        return element;
    }

    private void separator(boolean first) {
        if (!first) {
            matched();
        }
    }

    private boolean continues(long element) {
        return kind() == Kind.COMMA && (look(1).kind().mask() & element) != 0;
    }

    private void lastComma(Kind end) {
        sync(set(Kind.COMMA, end));
        if (kind() == Kind.COMMA) {
            matched();
        }
    }

    private Expr map() {
        int offset = matched().offset();
        sync(OPTIONAL_EXPRESSION | set(Kind.COMMA, Kind.RIGHT_BRACE));
        List<Expr.Entry> entries = new ArrayList<>();
        if (sees(OPTIONAL_EXPRESSION)) {
            enter(set(Kind.COMMA, Kind.RIGHT_BRACE));
            try {
                do {
                    separator(entries.isEmpty());
                    boolean optional = optionalMark();
                    Expr key = optionalElement(Kind.COLON.mask());
                    Token colon = match(Kind.COLON, EXPRESSION);
                    Expr value = expression(Kind.COMMA.mask() | NOTHING);
                    entries.add(factory.entry(colon.offset(), key, value, optional));
                } while (continues(OPTIONAL_EXPRESSION));
            } catch (SyntaxException failure) {
                recover(failure, 10);
            } finally {
                exit();
            }
        }
        lastComma(Kind.RIGHT_BRACE);
        match(Kind.RIGHT_BRACE, NOTHING);
        return factory.map(offset, entries);
    }

    /** A variable, a call, or an object ({@code a.b.C{...}}): what follows the names tells. */
    private Expr named() {
        boolean leadingDot = kind() == Kind.DOT;
        int first = leadingDot ? 1 : 0;
        if (look(first).kind() != Kind.IDENTIFIER) {
            throw noViable(first);
        }
        int end = first + 1;
        while (look(end).kind() == Kind.DOT && look(end + 1).kind() == Kind.IDENTIFIER) {
            end += 2;
        }
        if (look(end).kind() == Kind.LEFT_BRACE) {
            return object();
        }
        int start = look(0).offset();
        if (leadingDot) {
            matched();
        }
        Token name = matched();
        if (kind() != Kind.LEFT_PAREN) {
            return notReserved(start, name, factory.ident(name.offset(), (leadingDot ? "." : "") + name.text()));
        }
        Token paren = matched();
        List<Expr> args = arguments();
        return closed(
                NOTHING,
                () -> notReserved(
                        start, name, callOrMacro(paren.offset(), (leadingDot ? "." : "") + name.text(), null, args)));
    }

    private Expr notReserved(int offset, Token name, Expr expr) {
        if (Identifiers.isReserved(name.text())) {
            source.report(offset, "reserved identifier: " + name.text());
        }
        return expr;
    }

    private Expr object() {
        StringBuilder name = new StringBuilder();
        while (kind() != Kind.LEFT_BRACE) {
            name.append(matched().text());
        }
        int offset = matched().offset();
        sync(FIELD | set(Kind.COMMA, Kind.RIGHT_BRACE));
        List<Expr.Field> fields = new ArrayList<>();
        if (sees(FIELD)) {
            enter(set(Kind.COMMA, Kind.RIGHT_BRACE));
            try {
                do {
                    separator(fields.isEmpty());
                    boolean optional = optionalMark();
                    String field = identifier(Kind.COLON.mask());
                    Token colon = match(Kind.COLON, EXPRESSION);
                    Expr value = expression(Kind.COMMA.mask() | NOTHING);
                    fields.add(factory.field(colon.offset(), field, value, optional));
                } while (continues(FIELD));
            } catch (SyntaxException failure) {
                recover(failure, 11);
            } finally {
                exit();
            }
        }
        lastComma(Kind.RIGHT_BRACE);
        match(Kind.RIGHT_BRACE, NOTHING);
        return factory.object(offset, name.toString(), fields);
    }

    private Expr literal() {
        if (!sees(LITERALS)) {
            throw noViable(0);
        }
        int offset = look(0).offset();
        String sign = kind() == Kind.MINUS ? matched().text() : "";
        if (!sign.isEmpty() && !sees(set(Kind.INT, Kind.FLOAT))) {
            throw noViable(0);
        }
        Token token = matched();
        try {
            return factory.literal(offset, Literals.value(token, sign));
        } catch (IllegalArgumentException invalid) {
            source.report(offset, String.valueOf(invalid.getMessage()));
            return factory.missing(offset);
        }
    }
}
