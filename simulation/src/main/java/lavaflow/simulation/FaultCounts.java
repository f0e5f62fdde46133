package lavaflow.simulation;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How often each thing went wrong in a run. */
final class FaultCounts {
    private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);

    void add(Fault fault) {
        counts.merge(fault, 1L, Long::sum);
    }

    /** Those that happened. */
    Map<Fault, Long> asMap() {
        return new EnumMap<>(counts);
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(each -> each.getValue() + " "
                        + each.getKey().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .collect(Collectors.joining(", "));
    }
}
