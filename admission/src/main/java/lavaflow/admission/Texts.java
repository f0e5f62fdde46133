package lavaflow.admission;

import java.util.List;

/** How Go prints some things. */
final class Texts {
    private Texts() {}

    /** Several errors as one: alone as it is, else as a list without repetitions. */
    static String aggregated(List<String> errors) {
        List<String> distinct = errors.stream().distinct().toList();
        return distinct.size() == 1 ? distinct.getFirst() : "[" + String.join(", ", distinct) + "]";
    }
}
