package lavaflow.cel;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import com.google.re2j.Pattern;

/** Steps that call functions. What a call costs is charged when it returns, also when it fails. */
final class CallNodes {
    private CallNodes() {}

    /** Evaluates arguments and charges for the call. */
    abstract static class Call extends Node {
        final Node[] args;
        private final CallCost cost;
        /** Whether an argument that fails keeps those behind it from being evaluated; upstream then charges nothing. */
        private final boolean hasty;

        Call(Node[] args, CallCost cost, boolean hasty) {
            this.args = args;
            this.cost = cost;
            this.hasty = hasty || args.length > 2;
        }

        abstract Object apply(Object[] values, Frame frame);

        static Object run(Implementation implementation, Object[] values, Frame frame) {
            if (!(implementation instanceof Implementation.Counted counted)) {
                return implementation.call(values);
            }
            Work work = new Work();
            try {
                return counted.call(values, work);
            } finally {
                frame.charge(work.excess());
            }
        }

        @Override
        final Object eval(Frame frame) {
            Object[] values = new Object[args.length];
            CelException failure = null;
            for (int i = 0; i < args.length; i++) {
                try {
                    values[i] = args[i].eval(frame);
                } catch (CelException wrong) {
                    if (hasty && i < args.length - 1) {
                        throw wrong;
                    }
                    values[i] = wrong;
                    failure = failure == null ? wrong : failure;
                }
            }
            Object result;
            try {
                if (failure != null) {
                    throw failure;
                }
                result = apply(values, frame);
            } catch (CelException wrong) {
                frame.charge(cost.of(values, wrong));
                throw wrong;
            }
            frame.charge(cost.of(values, result));
            return result;
        }
    }

    /** A function that knows what to do with any arguments. */
    static final class Direct extends Call {
        private final Implementation implementation;

        Direct(Implementation implementation, Node[] args, CallCost cost) {
            super(args, cost, false);
            this.implementation = implementation;
        }

        @Override
        Object apply(Object[] values, Frame frame) {
            return run(implementation, values, frame);
        }
    }

    /** A function chosen by the types that its arguments turn out to have. */
    static final class Dispatched extends Call {
        private final String function;
        private final Overload[] overloads;
        private final Implementation[] implementations;

        Dispatched(String function, List<Overload> candidates, Node[] args, CallCost cost) {
            super(args, cost, candidates.size() > 1);
            this.function = function;
            this.overloads = candidates.toArray(Overload[]::new);
            this.implementations = new Implementation[overloads.length];
            for (int i = 0; i < overloads.length; i++) {
                implementations[i] = Objects.requireNonNull(Implementations.find(overloads[i]), overloads[i].id());
            }
        }

        @Override
        Object apply(Object[] values, Frame frame) {
            for (int i = 0; i < overloads.length; i++) {
                if (fits(overloads[i].args(), values)) {
                    return run(implementations[i], values, frame);
                }
            }
            throw Errors.noSuchOverload(function, values);
        }

        private static boolean fits(List<CelType> types, Object[] values) {
            for (int i = 0; i < values.length; i++) {
                if (!fits(types.get(i), values[i])) {
                    return false;
                }
            }
            return true;
        }

        private static boolean fits(CelType type, Object value) {
            return switch (type) {
                case CelType.Parameter parameter -> true;
                case CelType.Basic basic -> basic == CelType.DYN || Types.of(value) == basic;
                case CelType.ListOf list -> value instanceof CelList elements && fitsFirst(list.element(), elements);
                case CelType.MapOf map -> value instanceof CelMap;
                case CelType.TypeOf of -> value instanceof CelType;
                case CelType.ObjectOf object -> Types.name(value).equals(object.name());
                case CelType.Opaque opaque -> Types.name(value).equals(opaque.name());
            };
        }

        /** Overloads for lists of different types are told apart by the first element. */
        private static boolean fitsFirst(CelType element, CelList list) {
            boolean nested = element instanceof CelType.ListOf inner && inner.element() instanceof CelType.Parameter;
            return nested || list.size() == 0 || fits(element, list.get(0));
        }
    }

    /** A pattern that is known beforehand and compiled once. */
    static final class Matches extends Call {
        private final Pattern pattern;

        Matches(Pattern pattern, Node[] args, CallCost cost) {
            super(args, cost, true);
            this.pattern = pattern;
        }

        @Override
        Object apply(Object[] values, Frame frame) {
            if (values[0] instanceof String text) {
                return pattern.matcher(text).find();
            }
            throw Errors.noSuchOverload();
        }
    }

    /** {@code find} and {@code findAll} with a known pattern. */
    static final class Find extends Call {
        private final Pattern pattern;
        private final boolean all;

        Find(Pattern pattern, boolean all, Node[] args, CallCost cost) {
            super(args, cost, true);
            this.pattern = pattern;
            this.all = all;
        }

        @Override
        Object apply(Object[] values, Frame frame) {
            if (!(values[0] instanceof String text)) {
                throw Errors.noSuchOverload();
            }
            if (!all) {
                return Regex.find(text, pattern);
            }
            long limit = -1;
            if (values.length == 3) {
                if (!(values[2] instanceof Long given)) {
                    throw Errors.noSuchOverload();
                }
                limit = given;
            }
            return Regex.findAll(text, pattern, limit);
        }
    }

    /** Whether a value is one of some constants; costs nothing but the value. */
    static final class InConstants extends Node {
        private final Node value;
        private final Set<Object> constants;

        InConstants(Node value, Set<Object> constants) {
            this.value = value;
            this.constants = constants;
        }

        @Override
        Object eval(Frame frame) {
            return constants.contains(value.eval(frame));
        }
    }

    /** {@code or} and {@code orValue}: the second is evaluated only if the first is absent. */
    static final class OptionalOr extends Node {
        private final Node optional;
        private final Node otherwise;
        private final boolean unwrap;

        OptionalOr(Node optional, Node otherwise, boolean unwrap) {
            this.optional = optional;
            this.otherwise = otherwise;
            this.unwrap = unwrap;
        }

        @Override
        Object eval(Frame frame) {
            if (!(optional.eval(frame) instanceof CelOptional held)) {
                throw Errors.noSuchOverload();
            }
            if (held.value() != null) {
                return unwrap ? held.value() : held;
            }
            return otherwise.eval(frame);
        }
    }

    /** Whether a value is anything but false; errors are not false. */
    static final class NotStrictlyFalse extends Node {
        private final Node value;

        NotStrictlyFalse(Node value) {
            this.value = value;
        }

        @Override
        Object eval(Frame frame) {
            boolean result;
            try {
                result = !Boolean.FALSE.equals(value.eval(frame));
            } catch (CelException unknown) {
                result = true;
            }
            frame.charge(1);
            return result;
        }
    }

    /** And, or: a term that decides hides errors of the others. */
    static final class Logic extends Node {
        private final Node[] terms;
        private final boolean deciding;

        Logic(Node[] terms, boolean deciding) {
            this.terms = terms;
            this.deciding = deciding;
        }

        @Override
        Object eval(Frame frame) {
            CelException failure = null;
            for (Node term : terms) {
                try {
                    Object value = term.eval(frame);
                    if (!(value instanceof Boolean bool)) {
                        failure = failure == null ? Errors.noSuchOverload() : failure;
                    } else if (bool == deciding) {
                        return bool;
                    }
                } catch (CelException wrong) {
                    failure = failure == null ? wrong : failure;
                }
            }
            if (failure != null) {
                throw failure;
            }
            return !deciding;
        }
    }
}
