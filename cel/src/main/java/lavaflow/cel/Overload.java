package lavaflow.cel;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One signature of a function. {@code library} is null for standard ones. The first argument of a member is its target. */
record Overload(String library, String function, String id, boolean member, List<CelType> args, CelType result) {
    /** Names of types to be found for each call. */
    Set<String> parameters() {
        Set<String> names = new LinkedHashSet<>();
        args.forEach(arg -> collect(arg, names));
        collect(result, names);
        return names;
    }

    private static void collect(CelType type, Set<String> names) {
        switch (type) {
            case CelType.Parameter parameter -> names.add(parameter.name());
            case CelType.ListOf list -> collect(list.element(), names);
            case CelType.MapOf map -> {
                collect(map.key(), names);
                collect(map.value(), names);
            }
            case CelType.Opaque opaque -> opaque.parameters().forEach(parameter -> collect(parameter, names));
            case CelType.TypeOf of -> collect(of.of(), names);
            case CelType.Basic basic -> {}
            case CelType.ObjectOf object -> {}
        }
    }
}
