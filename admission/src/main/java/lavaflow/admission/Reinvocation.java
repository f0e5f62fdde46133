package lavaflow.admission;

import java.util.HashSet;
import java.util.Set;

import lavaflow.apiserver.Admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Who has to look at an object again: those that wish to, and that saw it before somebody changed it. */
final class Reinvocation {
    private final Set<String> asked = new HashSet<>();
    private final Set<String> due = new HashSet<>();
    private @Nullable ObjectNode left;

    private Reinvocation() {}

    /** What a plugin knows from the first round, brought up to date with the object as it is now. */
    static Reinvocation of(Admission.Plugin plugin, Admission.Rounds rounds, ObjectNode object) {
        Reinvocation known = rounds.memory(plugin) instanceof Reinvocation earlier ? earlier : new Reinvocation();
        rounds.remember(plugin, known);
        if (rounds.isSecond() && !object.equals(known.left)) {
            known.changed();
        }
        return known;
    }

    private void changed() {
        due.addAll(asked);
        asked.clear();
    }

    boolean isDue(String id) {
        return due.contains(id);
    }

    /** Notes that somebody saw the object, and perhaps changed it. */
    void seen(String id, boolean again, boolean changed, Admission.Rounds rounds) {
        if (changed) {
            changed();
            rounds.requireSecond();
        }
        if (again) {
            asked.add(id);
        }
    }

    /** Notes how the plugin leaves the object. */
    void left(ObjectNode object) {
        left = object.deepCopy();
    }
}
