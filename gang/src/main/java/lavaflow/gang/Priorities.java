package lavaflow.gang;

import java.util.HashMap;
import java.util.Map;

/** The PriorityClasses. */
final class Priorities {
    private final Map<String, Integer> values = new HashMap<>();
    /** The class of those that name none; empty if there is none. */
    private String usualClass = "";

    private int usual;

    void put(String name, int value, boolean forAll) {
        values.put(name, value);
        if (forAll) {
            usualClass = name;
            usual = value;
        } else {
            forgetUsual(name);
        }
    }

    void remove(String name) {
        values.remove(name);
        forgetUsual(name);
    }

    private void forgetUsual(String name) {
        if (name.equals(usualClass)) {
            usualClass = "";
            usual = 0;
        }
    }

    /** The class of those that name none; empty if there is none. */
    String usualClass() {
        return usualClass;
    }

    int of(GroupSpec spec) {
        return values.getOrDefault(spec.priorityClass(), usual);
    }
}
