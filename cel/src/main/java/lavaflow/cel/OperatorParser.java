package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import lavaflow.cel.Token.Kind;

import org.jspecify.annotations.Nullable;

/** The part of the parser that reads operators, from the loosest to the tightest, down to fields, indices and calls. */
abstract class OperatorParser extends TokenReader {
    static final int DEEPEST = 250;

    static final long RELATIONS =
            set(Kind.EQUALS, Kind.NOT_EQUALS, Kind.IN, Kind.LESS, Kind.LESS_EQUALS, Kind.GREATER_EQUALS, Kind.GREATER);
    static final long PRODUCTS = set(Kind.STAR, Kind.SLASH, Kind.PERCENT);
    static final long SUMS = set(Kind.PLUS, Kind.MINUS);
    static final long LITERALS =
            set(Kind.MINUS, Kind.TRUE, Kind.FALSE, Kind.NULL, Kind.FLOAT, Kind.INT, Kind.UINT, Kind.STRING, Kind.BYTES);
    static final long PRIMARY =
            LITERALS | set(Kind.LEFT_BRACKET, Kind.LEFT_BRACE, Kind.LEFT_PAREN, Kind.DOT, Kind.IDENTIFIER);
    static final long EXPRESSION = PRIMARY | set(Kind.NOT);
    static final long OPTIONAL_EXPRESSION = EXPRESSION | set(Kind.QUESTION);
    static final long FIELD = set(Kind.QUESTION, Kind.IDENTIFIER, Kind.ESCAPED_IDENTIFIER);

    static final long MEMBERS = set(Kind.DOT, Kind.LEFT_BRACKET);

    private final Macros macros;
    final ExprFactory factory;
    private int depth;

    OperatorParser(Source source, Macros macros, ExprFactory factory) {
        super(source);
        this.macros = macros;
        this.factory = factory;
    }

    /** What operators are applied to. */
    abstract Expr primary(long follow);

    // The rules call each other directly and keep few frames for each level of nesting: stacks are small.

    final Expr expression(long follow) {
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

    final boolean optionalMark() {
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
    final Expr closed(long next, Supplier<Expr> call) {
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
    final String identifier(long follow) {
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

    final List<Expr> arguments() {
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

    final Expr callOrMacro(int offset, String function, @Nullable Expr target, List<Expr> args) {
        Expr expanded = macros.expand(source, factory, offset, function, target, args);
        return expanded != null ? expanded : factory.call(offset, function, target, args);
    }
}
