package lavaflow;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/** What {@code --controllers} says, as upstream reads it: {@code *} for the usual ones, {@code name}, {@code -name}. */
record ControllerSelection(boolean usual, Set<String> on, Set<String> off) {
    static ControllerSelection parse(String text) {
        Set<String> on = new LinkedHashSet<>();
        Set<String> off = new LinkedHashSet<>();
        boolean usual = false;
        for (String word : text.split(",", -1)) {
            String name = word.strip();
            if (name.equals("*")) {
                usual = true;
            } else if (name.startsWith("-")) {
                off.add(name.substring(1));
            } else if (!name.isEmpty()) {
                on.add(name);
            }
        }
        return new ControllerSelection(usual, on, off);
    }

    /** Naming a controller wins over excluding it, and both over the star. */
    Predicate<String> wanted(Predicate<String> isUsual) {
        return name -> on.contains(name) || (!off.contains(name) && usual && isUsual.test(name));
    }

    /** Names that nobody has. */
    Set<String> unknown(Set<String> known) {
        Set<String> unknown = new LinkedHashSet<>(on);
        unknown.addAll(off);
        unknown.removeAll(known);
        return unknown;
    }
}
