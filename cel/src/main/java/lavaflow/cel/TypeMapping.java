package lavaflow.cel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** What is known of type parameters while checking, and whether types fit each other under it. */
final class TypeMapping {
    /** Types can double with each step of an expression; nothing real comes near this. */
    private static final int MOST_RESOLVED = 2_000_000;

    /** What was known before of a parameter about which something was learnt. */
    private record Before(
            CelType.Parameter parameter, @Nullable CelType meaning) {}

    private final Map<CelType.Parameter, CelType> known = new HashMap<>();
    private int resolved;
    private final List<Before> learnt = new ArrayList<>();

    /** Whether values of the types fit, pairwise; learns from it if so, else learns nothing. */
    boolean assign(List<CelType> left, List<CelType> right) {
        learnt.clear();
        if (all(left, right)) {
            return true;
        }
        for (Before before : learnt.reversed()) {
            if (before.meaning == null) {
                known.remove(before.parameter);
            } else {
                known.put(before.parameter, before.meaning);
            }
        }
        return false;
    }

    private void learn(CelType.Parameter parameter, CelType meaning) {
        learnt.add(new Before(parameter, known.put(parameter, meaning)));
    }

    boolean assign(CelType left, CelType right) {
        return assign(List.of(left), List.of(right));
    }

    private boolean all(List<CelType> left, List<CelType> right) {
        if (left.size() != right.size()) {
            return false;
        }
        for (int i = 0; i < left.size(); i++) {
            if (!fits(left.get(i), right.get(i))) {
                return false;
            }
        }
        return true;
    }

    private boolean fits(CelType left, CelType right) {
        if (right instanceof CelType.Parameter parameter) {
            boolean had = known.containsKey(parameter);
            if (substitute(left, parameter)) {
                return true;
            }
            if (had || left.equals(parameter)) {
                return false;
            }
        }
        if (left instanceof CelType.Parameter parameter) {
            return substitute(right, parameter);
        }
        if (isDynamic(left) || isDynamic(right)) {
            return true;
        }
        if (left.equals(CelType.NULL)) {
            return right.equals(CelType.NULL) || isNullable(right);
        }
        if (right.equals(CelType.NULL)) {
            return isNullable(left);
        }
        return sameKind(left, right);
    }

    private boolean sameKind(CelType left, CelType right) {
        return switch (left) {
            case CelType.Basic basic -> basic.equals(right);
            case CelType.ObjectOf object -> object.equals(right);
            case CelType.TypeOf of -> right instanceof CelType.TypeOf;
            case CelType.ListOf list -> right instanceof CelType.ListOf other && fits(list.element(), other.element());
            case CelType.MapOf map ->
                right instanceof CelType.MapOf other
                        && fits(map.key(), other.key())
                        && fits(map.value(), other.value());
            case CelType.Opaque opaque ->
                right instanceof CelType.Opaque other
                        && opaque.name().equals(other.name())
                        && all(opaque.parameters(), other.parameters());
            case CelType.Parameter parameter -> false;
        };
    }

    private boolean substitute(CelType type, CelType.Parameter parameter) {
        if (type.equals(parameter)) {
            return true;
        }
        CelType current = known.get(parameter);
        if (current != null) {
            if (type.equals(current)) {
                return true;
            }
            if (!fits(type, current)) {
                return false;
            }
            CelType general = mostGeneral(type, current);
            if (isNotIn(parameter, general)) {
                learn(parameter, general);
            }
            return true;
        }
        if (isNotIn(parameter, type)) {
            learn(parameter, type);
            return true;
        }
        return false;
    }

    private boolean isNotIn(CelType.Parameter parameter, CelType type) {
        if (parameter.equals(type)) {
            return false;
        }
        return switch (type) {
            case CelType.Parameter other -> {
                CelType meaning = known.get(other);
                yield meaning == null || isNotIn(parameter, meaning);
            }
            case CelType.ListOf list -> isNotIn(parameter, list.element());
            case CelType.MapOf map -> isNotIn(parameter, map.key()) && isNotIn(parameter, map.value());
            case CelType.Opaque opaque -> opaque.parameters().stream().allMatch(part -> isNotIn(parameter, part));
            case CelType.TypeOf of -> isNotIn(parameter, of.of());
            case CelType.Basic basic -> true;
            case CelType.ObjectOf object -> true;
        };
    }

    static boolean isDynamic(CelType type) {
        return type.equals(CelType.DYN) || type.equals(CelType.Basic.ERROR);
    }

    private static boolean isNullable(CelType type) {
        return type instanceof CelType.Opaque
                || type instanceof CelType.ObjectOf
                || type.equals(CelType.TIMESTAMP)
                || type.equals(CelType.DURATION);
    }

    static CelType mostGeneral(CelType left, CelType right) {
        return isEqualOrLessSpecific(left, right) ? left : right;
    }

    private static boolean isEqualOrLessSpecific(CelType left, CelType right) {
        if (left.equals(CelType.DYN) || left instanceof CelType.Parameter) {
            return true;
        }
        if (right.equals(CelType.DYN) || right instanceof CelType.Parameter) {
            return false;
        }
        return switch (left) {
            case CelType.ListOf list ->
                right instanceof CelType.ListOf other && isEqualOrLessSpecific(list.element(), other.element());
            case CelType.MapOf map ->
                right instanceof CelType.MapOf other
                        && isEqualOrLessSpecific(map.key(), other.key())
                        && isEqualOrLessSpecific(map.value(), other.value());
            case CelType.Opaque opaque -> right instanceof CelType.Opaque other && areLessSpecific(opaque, other);
            case CelType.TypeOf of -> right instanceof CelType.TypeOf;
            case CelType.Basic basic -> basic.equals(right);
            case CelType.ObjectOf object -> object.equals(right);
            case CelType.Parameter parameter -> true;
        };
    }

    private static boolean areLessSpecific(CelType.Opaque left, CelType.Opaque right) {
        if (!left.name().equals(right.name())
                || left.parameters().size() != right.parameters().size()) {
            return false;
        }
        for (int i = 0; i < left.parameters().size(); i++) {
            if (!isEqualOrLessSpecific(
                    left.parameters().get(i), right.parameters().get(i))) {
                return false;
            }
        }
        return true;
    }

    /** The type with what is known put in; what is not known stays or becomes dyn. */
    CelType resolve(CelType type, boolean unknownIsDyn) {
        if (++resolved > MOST_RESOLVED) {
            throw new TokenReader.LimitException("expression type is too large");
        }
        return switch (type) {
            case CelType.Parameter parameter -> {
                CelType meaning = known.get(parameter);
                yield meaning != null ? resolve(meaning, unknownIsDyn) : unknownIsDyn ? CelType.DYN : parameter;
            }
            case CelType.ListOf list -> CelType.list(resolve(list.element(), unknownIsDyn));
            case CelType.MapOf map -> CelType.map(resolve(map.key(), unknownIsDyn), resolve(map.value(), unknownIsDyn));
            case CelType.Opaque opaque -> {
                List<CelType> parts = new ArrayList<>();
                opaque.parameters().forEach(part -> parts.add(resolve(part, unknownIsDyn)));
                yield new CelType.Opaque(opaque.name(), parts);
            }
            case CelType.TypeOf of -> CelType.type(resolve(of.of(), unknownIsDyn));
            case CelType.Basic basic -> basic;
            case CelType.ObjectOf object -> object;
        };
    }

    /** The meaning given to a parameter by hand: fresh names for those of an overload. */
    void rename(String parameter, CelType fresh) {
        known.put(new CelType.Parameter(parameter), fresh);
    }

    static @Nullable CelType optionalValue(CelType type) {
        return type instanceof CelType.Opaque opaque && opaque.name().equals("optional_type")
                ? opaque.parameters().getFirst()
                : null;
    }
}
