package lavaflow.cel;

import java.time.DateTimeException;
import java.util.List;
import java.util.Set;

import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/** Checks of constants that types do not make: dates, durations, patterns, formats, lists of one type. */
final class LiteralRules {
    private static final Set<CelType> TEXT_FORMATTABLE = Set.of(
            CelType.INT,
            CelType.UINT,
            CelType.DOUBLE,
            CelType.BOOL,
            CelType.STRING,
            CelType.TIMESTAMP,
            CelType.BYTES,
            CelType.DURATION,
            CelType.NULL,
            CelType.DYN);

    private final CheckedExpr checked;
    private final Source source;
    private final boolean[] seen;

    private LiteralRules(CheckedExpr checked, Source source) {
        this.checked = checked;
        this.source = source;
        this.seen = new boolean[checked.types().length];
    }

    static void check(CheckedExpr checked, Source source) {
        new LiteralRules(checked, source).visit(checked.root(), false);
    }

    private void visit(@Nullable Expr expr, boolean inFormat) {
        if (expr == null || seen[expr.id()]) {
            return;
        }
        seen[expr.id()] = true;
        switch (expr) {
            case Expr.Literal literal -> {}
            case Expr.Ident ident -> {}
            case Expr.Select select -> visit(select.operand(), inFormat);
            case Expr.Call call -> {
                call(call);
                boolean exempt = inFormat || call.function().equals("format");
                visit(call.target(), exempt);
                call.args().forEach(arg -> visit(arg, exempt));
            }
            case Expr.ListLiteral list -> {
                if (!inFormat) {
                    sameType(list);
                }
                list.elements().forEach(element -> visit(element, inFormat));
            }
            case Expr.MapLiteral map -> {
                if (!inFormat) {
                    sameTypes(map);
                }
                for (Expr.Entry entry : map.entries()) {
                    visit(entry.key(), inFormat);
                    visit(entry.value(), inFormat);
                }
            }
            case Expr.ObjectLiteral object -> object.fields().forEach(field -> visit(field.value(), inFormat));
            case Expr.Comprehension loop -> {
                visit(loop.range(), inFormat);
                visit(loop.initial(), inFormat);
                visit(loop.condition(), inFormat);
                visit(loop.step(), inFormat);
                visit(loop.result(), inFormat);
            }
        }
    }

    private CelType elementType(Expr element, boolean optional) {
        CelType type = checked.type(element);
        CelType inner = optional ? TypeMapping.optionalValue(type) : null;
        return inner == null ? type : inner;
    }

    private void sameType(Expr.ListLiteral list) {
        CelType first = null;
        for (int i = 0; i < list.elements().size(); i++) {
            Expr element = list.elements().get(i);
            CelType type = elementType(
                    element, !list.optional().isEmpty() && list.optional().get(i));
            if (first == null) {
                first = type;
            } else if (!first.equals(type)) {
                mismatch(element, first, type);
                return;
            }
        }
    }

    private void sameTypes(Expr.MapLiteral map) {
        CelType key = null;
        CelType value = null;
        for (Expr.Entry entry : map.entries()) {
            CelType keyType = checked.type(entry.key());
            CelType valueType = elementType(entry.value(), entry.optional());
            if (key == null || value == null) {
                key = keyType;
                value = valueType;
                continue;
            }
            if (!key.equals(keyType)) {
                mismatch(entry.key(), key, keyType);
            }
            if (!value.equals(valueType)) {
                mismatch(entry.value(), value, valueType);
            }
        }
    }

    private void mismatch(Expr at, CelType expected, CelType found) {
        source.report(at.offset(), "expected type '" + expected + "' but found '" + found + "'");
    }

    private static @Nullable String constant(Expr expr) {
        return expr instanceof Expr.Literal literal && literal.value() instanceof String text ? text : null;
    }

    private void call(Expr.Call call) {
        List<Expr> args = call.args();
        switch (call.function()) {
            case "timestamp" -> {
                checkConstant(call, 0, LiteralRules::isTimestamp);
                checkNumber(call, number -> isTimestamp(number));
            }
            case "duration" -> {
                checkConstant(call, 0, LiteralRules::isDuration);
                checkNumber(call, number -> false);
            }
            case "matches" -> checkConstant(call, call.target() == null ? 1 : 0, Regex::isValid);
            case "format" -> {
                Expr target = call.target();
                String text = target == null ? null : constant(target);
                if (text != null && args.size() == 1 && args.getFirst() instanceof Expr.ListLiteral list) {
                    format(call, text, list.elements());
                }
            }
            default -> {}
        }
    }

    private void checkConstant(Expr.Call call, int index, java.util.function.Predicate<String> valid) {
        if (index >= call.args().size()) {
            return;
        }
        Expr arg = call.args().get(index);
        String text = constant(arg);
        if (text != null && !valid.test(text)) {
            source.report(arg.offset(), "invalid " + call.function() + " argument");
        }
    }

    private void checkNumber(Expr.Call call, java.util.function.LongPredicate valid) {
        if (!call.args().isEmpty()
                && call.args().getFirst() instanceof Expr.Literal literal
                && literal.value() instanceof Long number
                && !valid.test(number)) {
            source.report(literal.offset(), "invalid " + call.function() + " argument");
        }
    }

    private static boolean isTimestamp(long seconds) {
        try {
            Times.ofSeconds(seconds);
            return true;
        } catch (CelException wrong) {
            return false;
        }
    }

    private static boolean isTimestamp(String text) {
        try {
            Times.parse(text);
            return true;
        } catch (DateTimeException | CelException wrong) {
            return false;
        }
    }

    private static boolean isDuration(String text) {
        try {
            Times.parseDuration(text);
            return true;
        } catch (MalformedException wrong) {
            return false;
        }
    }

    /** A clause that its argument does not fit; the error is at the argument. */
    private static final class WrongArgument extends CelException {
        final int offset;

        WrongArgument(int offset, String message) {
            super(message);
            this.offset = offset;
        }
    }

    private void format(Expr.Call call, String format, List<Expr> args) {
        int[] used = new int[1];
        int[] place = {call.offset()};
        try {
            StringFormat.parse(format, new StringFormat.Lenient() {
                @Override
                public int size() {
                    return args.size();
                }

                @Override
                public String apply(int arg, char letter, int decimals) {
                    used[0]++;
                    try {
                        clause(args.get(arg), letter);
                    } catch (WrongArgument wrong) {
                        place[0] = wrong.offset;
                        throw wrong;
                    }
                    return "";
                }
            });
        } catch (CelException wrong) {
            source.report(place[0], wrong.text());
            return;
        }
        if (args.size() > used[0]) {
            source.report(
                    call.offset(),
                    "too many arguments supplied to string.format (expected %d, got %d)"
                            .formatted(used[0], args.size()));
        }
    }

    private void clause(Expr arg, char letter) {
        if (letter == 's') {
            text(arg);
            return;
        }
        CelType type = checked.type(arg);
        Set<CelType> allowed = switch (letter) {
            case 'd', 'o' -> Set.of(CelType.INT, CelType.UINT, CelType.DYN);
            case 'f', 'e' -> Set.of(CelType.DOUBLE, CelType.STRING, CelType.DYN);
            case 'b' -> Set.of(CelType.INT, CelType.UINT, CelType.BOOL, CelType.DYN);
            default -> Set.of(CelType.INT, CelType.UINT, CelType.STRING, CelType.BYTES, CelType.DYN);
        };
        if (!allowed.contains(type)) {
            throw new WrongArgument(arg.offset(), StringFormat.refusal(letter, type.typeName()));
        }
    }

    private void text(Expr arg) {
        CelType type = checked.type(arg);
        boolean good = TEXT_FORMATTABLE.contains(type)
                || type instanceof CelType.ListOf
                || type instanceof CelType.MapOf
                || type instanceof CelType.TypeOf;
        if (!good) {
            throw new WrongArgument(arg.offset(), StringFormat.refusal('s', type.typeName()));
        }
        switch (arg) {
            case Expr.ListLiteral list -> list.elements().forEach(this::text);
            case Expr.MapLiteral map ->
                map.entries().forEach(entry -> {
                    text(entry.key());
                    text(entry.value());
                });
            default -> {}
        }
    }
}
