package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import lavaflow.cel.Token.Kind;

import org.jspecify.annotations.Nullable;

/** Reads an expression, rule by rule of the language's grammar. Errors go to the source; the result is then meaningless. */
final class Parser extends TokenReader {
    private static final int MOST_CODE_POINTS = 100_000;
    private static final int DEEPEST = 250;

    private static final long RELATIONS =
            set(Kind.EQUALS, Kind.NOT_EQUALS, Kind.IN, Kind.LESS, Kind.LESS_EQUALS, Kind.GREATER_EQUALS, Kind.GREATER);
    private static final long PRODUCTS = set(Kind.STAR, Kind.SLASH, Kind.PERCENT);
    private static final long SUMS = set(Kind.PLUS, Kind.MINUS);
    private static final long LITERALS =
            set(Kind.MINUS, Kind.TRUE, Kind.FALSE, Kind.NULL, Kind.FLOAT, Kind.INT, Kind.UINT, Kind.STRING, Kind.BYTES);
    private static final long PRIMARY =
            LITERALS | set(Kind.LEFT_BRACKET, Kind.LEFT_BRACE, Kind.LEFT_PAREN, Kind.DOT, Kind.IDENTIFIER);
    private static final long EXPRESSION = PRIMARY | set(Kind.NOT);
    private static final long OPTIONAL_EXPRESSION = EXPRESSION | set(Kind.QUESTION);
    private static final long FIELD = set(Kind.QUESTION, Kind.IDENTIFIER, Kind.ESCAPED_IDENTIFIER);

    private static final long MEMBERS = set(Kind.DOT, Kind.LEFT_BRACKET);

    private final Macros macros;
    private final ExprFactory factory;
    private int depth;

    private Parser(Source source, Macros macros, ExprFactory factory) {
        super(source);
        this.macros = macros;
        this.factory = factory;
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

    // The rules call each other directly and keep few frames for each level of nesting: stacks are small.

    private Expr expression(long follow) {
        if (++depth > DEEPEST) {
            throw new LimitException("expression recursion limit exceeded: " + DEEPEST);
        }
        enter(follow);
        int start = look(0).offset();
        try {
            Expr condition = either(Kind.QUESTION.mask() | NOTHING);
            if (!sees(Kind.QUESTION.mask())) {
                return condition;
            }
            Token question = matched();
            Expr whenTrue = either(Kind.COLON.mask());
            match(Kind.COLON, EXPRESSION);
            Expr whenFalse = expression(NOTHING);
            return factory.call(question.offset(), "_?_:_", null, List.of(condition, whenTrue, whenFalse));
        } catch (SyntaxException failure) {
            recover(failure, 1);
            return factory.missing(start);
        } finally {
            exit();
            depth--;
        }
    }

    private Expr either(long follow) {
        enter(follow);
        Expr first = both(Kind.OR.mask() | NOTHING);
        if (sees(Kind.OR.mask())) {
            int offset = look(0).offset();
            List<Expr> terms = new ArrayList<>();
            terms.add(first);
            while (sees(Kind.OR.mask())) {
                matched();
                terms.add(both(Kind.OR.mask() | NOTHING));
            }
            first = factory.logic(offset, "_||_", terms);
        }
        exit();
        return first;
    }

    private Expr both(long follow) {
        enter(follow);
        Expr first = relation(0, Kind.AND.mask() | NOTHING);
        if (sees(Kind.AND.mask())) {
            int offset = look(0).offset();
            List<Expr> terms = new ArrayList<>();
            terms.add(first);
            while (sees(Kind.AND.mask())) {
                matched();
                terms.add(relation(0, Kind.AND.mask() | NOTHING));
            }
            first = factory.logic(offset, "_&&_", terms);
        }
        exit();
        return first;
    }

    private Expr relation(int precedence, long follow) {
        enter(follow);
        Expr left = calculation(0, RELATIONS | NOTHING);
        while (precedence <= 1 && sees(RELATIONS)) {
            Token operator = matched();
            left = binary(operator, left, relation(2, RELATIONS | NOTHING));
        }
        exit();
        return left;
    }

    private Expr calculation(int precedence, long follow) {
        enter(follow);
        Expr left = unary(PRODUCTS | SUMS | NOTHING);
        while (sees(PRODUCTS | SUMS)) {
            int own = sees(PRODUCTS) ? 2 : 1;
            if (own < precedence) {
                break;
            }
            Token operator = matched();
            left = binary(operator, left, calculation(own + 1, PRODUCTS | SUMS | NOTHING));
        }
        exit();
        return left;
    }

    private Expr binary(Token operator, Expr left, Expr right) {
        String function = operator.kind() == Kind.IN ? "@in" : "_" + operator.text() + "_";
        return factory.call(operator.offset(), function, null, List.of(left, right));
    }

    private Expr unary(long follow) {
        enter(follow);
        int start = look(0).offset();
        try {
            sync(EXPRESSION);
            return switch (kind()) {
                case NOT -> repeated(Kind.NOT, "!_");
                case MINUS -> negative();
                default -> member(NOTHING);
            };
        } catch (SyntaxException failure) {
            recover(failure, 6);
            return factory.missing(start);
        } finally {
            exit();
        }
    }

    private Expr negative() {
        Kind next = look(1).kind();
        if (next == Kind.INT || next == Kind.FLOAT) {
            return member(NOTHING);
        }
        if ((next.mask() & PRIMARY) == 0) {
            throw noViable(1);
        }
        return repeated(Kind.MINUS, "-_");
    }

    private Expr repeated(Kind operator, String function) {
        int offset = look(0).offset();
        int count = 0;
        do {
            matched();
            count++;
            syncLoop(PRIMARY | operator.mask());
        } while (sees(operator.mask()));
        Expr operand = member(NOTHING);
        return count % 2 == 0 ? operand : factory.call(offset, function, null, List.of(operand));
    }

    private Expr member(long follow) {
        enter(follow);
        Expr left = factory.missing(look(0).offset());
        try {
            left = primary(MEMBERS | NOTHING);
            while (sees(MEMBERS)) {
                left = continued(left);
            }
            return left;
        } catch (SyntaxException failure) {
            recover(failure, 7);
            return left;
        } finally {
            exit();
        }
    }

    private Expr continued(Expr left) {
        if (kind() == Kind.LEFT_BRACKET) {
            return index(left);
        }
        Kind next = look(1).kind();
        if (next == Kind.IDENTIFIER && look(2).kind() == Kind.LEFT_PAREN) {
            return memberCall(left);
        }
        if ((next.mask() & FIELD) == 0) {
            throw noViable(1);
        }
        return select(left);
    }

    private Expr index(Expr left) {
        Token bracket = matched();
        sync(OPTIONAL_EXPRESSION);
        boolean optional = optionalMark();
        Expr index = expression(Kind.RIGHT_BRACKET.mask());
        match(Kind.RIGHT_BRACKET, MEMBERS | NOTHING);
        return factory.call(bracket.offset(), optional ? "_[?_]" : "_[_]", null, List.of(left, index));
    }

    private boolean optionalMark() {
        if (kind() != Kind.QUESTION) {
            return false;
        }
        matched();
        return true;
    }

    private Expr memberCall(Expr left) {
        matched();
        String name = matched().text();
        Token paren = matched();
        List<Expr> args = arguments();
        return closed(MEMBERS | NOTHING, () -> callOrMacro(paren.offset(), name, left, args));
    }

    /** The end of a call. A call that is not closed is still looked at: its macro may be misused, too. */
    private Expr closed(long next, Supplier<Expr> call) {
        SyntaxException unclosed = null;
        try {
            match(Kind.RIGHT_PAREN, next);
        } catch (SyntaxException failure) {
            unclosed = failure;
        }
        Expr made = call.get();
        if (unclosed != null) {
            throw unclosed;
        }
        return made;
    }

    private Expr select(Expr left) {
        Token dot = matched();
        boolean optional = optionalMark();
        Token field = look(0);
        String name = identifier(MEMBERS | NOTHING);
        if (optional) {
            Expr text = factory.literal(field.offset(), name);
            return factory.call(dot.offset(), "_?._", null, List.of(left, text));
        }
        return factory.select(dot.offset(), left, name, false);
    }

    /** A name of a field. Kubernetes has not enabled the quoted form. */
    private String identifier(long follow) {
        enter(follow);
        int start = look(0).offset();
        try {
            sync(set(Kind.IDENTIFIER, Kind.ESCAPED_IDENTIFIER));
            if (kind() == Kind.ESCAPED_IDENTIFIER) {
                source.report(look(0).offset(), "unsupported syntax: '`'");
            }
            return matched().text();
        } catch (SyntaxException failure) {
            recover(failure, 8);
            source.report(start, "unsupported ident kind");
            return "";
        } finally {
            exit();
        }
    }

    private List<Expr> arguments() {
        sync(EXPRESSION | Kind.RIGHT_PAREN.mask());
        List<Expr> args = new ArrayList<>();
        if (!sees(EXPRESSION)) {
            return args;
        }
        long follow = Kind.COMMA.mask() | NOTHING;
        enter(Kind.RIGHT_PAREN.mask());
        args.add(expression(follow));
        while (kind() == Kind.COMMA) {
            matched();
            args.add(expression(follow));
        }
        exit();
        return args;
    }

    private Expr primary(long follow) {
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

    private Expr callOrMacro(int offset, String function, @Nullable Expr target, List<Expr> args) {
        Expr expanded = macros.expand(source, factory, offset, function, target, args);
        return expanded != null ? expanded : factory.call(offset, function, target, args);
    }
}
