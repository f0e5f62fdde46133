package lavaflow.cel;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Calls that are not functions but abbreviations, chiefly of loops. */
final class Macros {
    /** A wrong use of a macro. */
    private static final class Misuse extends RuntimeException {
        final int offset;

        Misuse(Expr at, String message) {
            super(message, null, false, false);
            this.offset = at.offset();
        }
    }

    private static final String UNUSED = "#unused";

    private final Set<CelLibrary> libraries;

    Macros(Set<CelLibrary> libraries) {
        this.libraries = libraries;
    }

    /** What a call expands to, or null if it is a plain call. */
    @Nullable
    Expr expand(Source source, ExprFactory make, int offset, String function, @Nullable Expr target, List<Expr> args) {
        Expansion expansion = new Expansion(make, offset);
        try {
            return target == null ? global(expansion, function, args) : member(expansion, function, target, args);
        } catch (Misuse misuse) {
            source.report(misuse.offset, String.valueOf(misuse.getMessage()));
            return make.missing(offset);
        }
    }

    private static @Nullable Expr global(Expansion expansion, String function, List<Expr> args) {
        return function.equals("has") && args.size() == 1 ? expansion.has(args.getFirst()) : null;
    }

    private @Nullable Expr member(Expansion expansion, String function, Expr target, List<Expr> args) {
        return switch (args.size()) {
            case 2 -> oneVariable(expansion, function, target, args);
            case 3 -> function.equals("map") ? expansion.map(target, args) : bindOr(expansion, function, target, args);
            case 4 -> twoVariables(expansion, function, target, args);
            default -> null;
        };
    }

    private @Nullable Expr bindOr(Expansion expansion, String function, Expr target, List<Expr> args) {
        if (libraries.contains(CelLibrary.BINDINGS)
                && function.equals("bind")
                && target instanceof Expr.Ident namespace
                && namespace.name().equals("cel")) {
            return expansion.bind(
                    expansion.name(args.get(0), "cel.bind() variable names must be simple identifiers"),
                    args.get(1),
                    args.get(2));
        }
        return twoVariables(expansion, function, target, args);
    }

    private @Nullable Expr oneVariable(Expansion expansion, String function, Expr target, List<Expr> args) {
        boolean optionals = libraries.contains(CelLibrary.OPTIONALS);
        return switch (function) {
            case "all" -> expansion.all(target, expansion.variable(args.get(0)), null, args.get(1));
            case "exists" -> expansion.exists(target, expansion.variable(args.get(0)), null, args.get(1));
            case "exists_one" -> expansion.existsOne(target, expansion.variable(args.get(0)), null, args.get(1));
            case "map" -> expansion.map(target, args);
            case "filter" -> expansion.filter(target, args);
            case "optMap" -> optionals ? expansion.optionalMap(target, args, false) : null;
            case "optFlatMap" -> optionals ? expansion.optionalMap(target, args, true) : null;
            case "sortBy" -> libraries.contains(CelLibrary.LISTS) ? expansion.sortBy(target, args) : null;
            default -> null;
        };
    }

    private @Nullable Expr twoVariables(Expansion expansion, String function, Expr target, List<Expr> args) {
        if (!libraries.contains(CelLibrary.TWO_VARIABLE_COMPREHENSIONS)) {
            return null;
        }
        Expr filter = args.size() == 4 ? args.get(2) : null;
        Expr last = args.getLast();
        return switch (function) {
            case "all", "exists", "exists_one", "existsOne" -> {
                if (filter != null) {
                    yield null;
                }
                String first = expansion.firstVariable(args);
                String second = args.get(1) instanceof Expr.Ident ident ? ident.name() : "";
                yield switch (function) {
                    case "all" -> expansion.all(target, first, second, last);
                    case "exists" -> expansion.exists(target, first, second, last);
                    default -> expansion.existsOne(target, first, second, last);
                };
            }
            case "transformList", "transformMap", "transformMapEntry" ->
                expansion.transform(function, target, args, filter, last);
            default -> null;
        };
    }

    /** One expansion: everything it makes is at the place of the call. */
    private record Expansion(ExprFactory make, int offset) {
        private Expr accumulator() {
            return make.accumulator(offset);
        }

        private Expr call(String function, Expr... args) {
            return make.call(offset, function, args);
        }

        private Expr literal(Object value) {
            return make.literal(offset, value);
        }

        Expr has(Expr arg) {
            if (arg instanceof Expr.Select select) {
                return make.select(offset, select.operand(), select.field(), true);
            }
            throw new Misuse(arg, "invalid argument to has() macro");
        }

        String name(Expr arg, String problem) {
            if (!(arg instanceof Expr.Ident ident)) {
                throw new Misuse(arg, problem);
            }
            return ident.name();
        }

        private String loopVariable(Expr arg, String problem) {
            String name = name(arg, problem);
            if (name.equals(ExprFactory.ACCUMULATOR) || name.equals("__result__")) {
                throw new Misuse(arg, "iteration variable overwrites accumulator variable");
            }
            return name;
        }

        String variable(Expr arg) {
            return loopVariable(arg, "argument must be a simple name");
        }

        /** Checks both variables of a loop with two; returns the first. */
        String firstVariable(List<Expr> args) {
            String first = name(args.get(0), "argument must be a simple name");
            String second = name(args.get(1), "argument must be a simple name");
            if (first.equals(second)) {
                throw new Misuse(args.get(1), "duplicate variable name: " + first);
            }
            variable(args.get(0));
            variable(args.get(1));
            return first;
        }

        private Expr loop(
                Expr range,
                String variable,
                @Nullable String second,
                Expr initial,
                Expr condition,
                Expr step,
                Expr result) {
            return make.loop(
                    offset, variable, second, range, ExprFactory.ACCUMULATOR, initial, condition, step, result);
        }

        Expr all(Expr range, String variable, @Nullable String second, Expr predicate) {
            return loop(
                    range,
                    variable,
                    second,
                    literal(true),
                    call("@not_strictly_false", accumulator()),
                    make.logic(offset, "_&&_", List.of(accumulator(), predicate)),
                    accumulator());
        }

        Expr exists(Expr range, String variable, @Nullable String second, Expr predicate) {
            return loop(
                    range,
                    variable,
                    second,
                    literal(false),
                    call("@not_strictly_false", call("!_", accumulator())),
                    make.logic(offset, "_||_", List.of(accumulator(), predicate)),
                    accumulator());
        }

        Expr existsOne(Expr range, String variable, @Nullable String second, Expr predicate) {
            return loop(
                    range,
                    variable,
                    second,
                    literal(0L),
                    literal(true),
                    call("_?_:_", predicate, call("_+_", accumulator(), literal(1L)), accumulator()),
                    call("_==_", accumulator(), literal(1L)));
        }

        private Expr collect(Expr range, String variable, @Nullable String second, @Nullable Expr filter, Expr step) {
            Expr initial = make.list(offset);
            return collect(range, variable, second, filter, initial, step);
        }

        private Expr collect(
                Expr range, String variable, @Nullable String second, @Nullable Expr filter, Expr initial, Expr step) {
            Expr whole = filter == null ? step : call("_?_:_", filter, step, accumulator());
            return loop(range, variable, second, initial, literal(true), whole, accumulator());
        }

        private Expr append(Expr element) {
            return call("_+_", accumulator(), make.list(offset, element));
        }

        Expr map(Expr range, List<Expr> args) {
            String variable = loopVariable(args.getFirst(), "argument is not an identifier");
            Expr filter = args.size() == 3 ? args.get(1) : null;
            return collect(range, variable, null, filter, append(args.getLast()));
        }

        Expr filter(Expr range, List<Expr> args) {
            String variable = loopVariable(args.getFirst(), "argument is not an identifier");
            return collect(range, variable, null, args.get(1), append(args.getFirst()));
        }

        Expr transform(String function, Expr range, List<Expr> args, @Nullable Expr filter, Expr value) {
            String first = firstVariable(args);
            String second = name(args.get(1), "argument must be a simple name");
            return switch (function) {
                case "transformList" -> collect(range, first, second, filter, append(value));
                case "transformMap" -> {
                    Expr step = call("cel.@mapInsert", accumulator(), make.ident(offset, first), value);
                    yield collect(range, first, second, filter, make.map(offset, List.of()), step);
                }
                default -> {
                    Expr step = call("cel.@mapInsert", accumulator(), value);
                    yield collect(range, first, second, filter, make.map(offset, List.of()), step);
                }
            };
        }

        /** A loop that never runs: it names a value. */
        Expr bind(String variable, Expr value, Expr result) {
            return make.loop(
                    offset,
                    UNUSED,
                    null,
                    make.list(offset),
                    variable,
                    value,
                    literal(false),
                    make.ident(offset, variable),
                    result);
        }

        Expr optionalMap(Expr target, List<Expr> args, boolean flat) {
            String macro = flat ? "optFlatMap" : "optMap";
            String variable = name(args.getFirst(), macro + "() variable name must be a simple identifier");
            Expr value = make.call(offset, "value", target, List.of());
            Expr mapped = bind(variable, value, args.getLast());
            return call(
                    "_?_:_",
                    make.call(offset, "hasValue", target, List.of()),
                    flat ? mapped : call("optional.of", mapped),
                    call("optional.none"));
        }

        Expr sortBy(Expr target, List<Expr> args) {
            if (target instanceof Expr.Literal
                    || target instanceof Expr.MapLiteral
                    || target instanceof Expr.ObjectLiteral) {
                throw new Misuse(
                        target,
                        "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
            }
            String input = "@__sortBy_input__";
            Expr keys = map(make.ident(offset, input), args);
            Expr sorted = make.call(offset, "@sortByAssociatedKeys", make.ident(offset, input), List.of(keys));
            return bind(input, target, sorted);
        }
    }
}
