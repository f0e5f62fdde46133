package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Finds the overloads that the arguments of calls fit. */
final class OverloadResolution {
    /** The overloads that fit, and the type of the result: dyn if they do not agree. */
    record Found(List<Overload> overloads, CelType result) {}

    private final TypeMapping mapping;
    private int parameters;

    OverloadResolution(TypeMapping mapping) {
        this.mapping = mapping;
    }

    /** A type still to be found. */
    CelType newParameter() {
        return new CelType.Parameter("_var" + parameters++);
    }

    /** What fits, or null if nothing does. */
    @Nullable
    Found resolve(List<Overload> candidates, boolean member, List<CelType> argTypes) {
        List<Overload> fitting = new ArrayList<>();
        CelType result = null;
        for (Overload overload : candidates) {
            CelType overloadResult = overload.member() == member ? match(overload, argTypes) : null;
            if (overloadResult == null) {
                continue;
            }
            fitting.add(overload);
            if (result == null) {
                result = overloadResult;
            } else if (!overloadResult.equals(result)) {
                result = CelType.DYN;
            }
        }
        return result == null ? null : new Found(fitting, result);
    }

    private @Nullable CelType match(Overload overload, List<CelType> argTypes) {
        if (overload.args().size() != argTypes.size()) {
            return null;
        }
        List<CelType> expected = overload.args();
        CelType result = overload.result();
        if (!overload.parameters().isEmpty()) {
            TypeMapping fresh = new TypeMapping();
            for (String parameter : overload.parameters()) {
                fresh.rename(parameter, newParameter());
            }
            expected = expected.stream().map(type -> fresh.resolve(type, false)).toList();
            result = fresh.resolve(result, false);
        }
        return mapping.assign(argTypes, expected) ? mapping.resolve(result, false) : null;
    }

    /** Why nothing fits. */
    String refusal(String function, List<CelType> argTypes, boolean member) {
        List<String> shown = new ArrayList<>();
        argTypes.forEach(type -> shown.add(mapping.resolve(type, true).toString()));
        String receiver = member ? shown.removeFirst() + "." : "";
        return "found no matching overload for '%s' applied to '%s(%s)'"
                .formatted(function, receiver, String.join(", ", shown));
    }
}
