package lavaflow.apiserver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The chain of in-process admission: first everything that changes objects, then everything that only refuses. */
public final class Admission {
    /** What is about to happen to an object. */
    public enum Operation {
        CREATE,
        UPDATE,
        DELETE,
        CONNECT
    }

    /** One rule. Implementations change objects only in {@link #mutate} and throw an ApiException to refuse. */
    public interface Plugin {
        default void mutate(Call call, Operation operation, ObjectNode object, @Nullable ObjectNode old) {}

        /** As the other, for plugins that care whether the chain runs again because somebody changed the object late. */
        default void mutate(
                Call call, Operation operation, ObjectNode object, @Nullable ObjectNode old, Rounds rounds) {
            mutate(call, operation, object, old);
        }

        /** {@code object} is null for DELETE. */
        default void validate(Call call, Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {}
    }

    /** The one or two times the chain goes over an object. Used by one thread. */
    public static final class Rounds {
        private final Map<Plugin, Object> memory = new HashMap<>();
        private boolean second;
        private boolean wanted;

        /** Whether all plugins have seen the object once. */
        public boolean isSecond() {
            return second;
        }

        /** Asks that all plugins look at the object again, because it changed after some had seen it. */
        public void requireSecond() {
            wanted = true;
        }

        /** What a plugin noted in the first round. */
        public @Nullable Object memory(Plugin plugin) {
            return memory.get(plugin);
        }

        public void remember(Plugin plugin, Object what) {
            memory.put(plugin, what);
        }
    }

    private final List<Plugin> plugins;

    public Admission(List<Plugin> plugins) {
        this.plugins = List.copyOf(plugins);
    }

    void mutate(Call call, Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        if (call.isAdmitted()) {
            return;
        }
        Rounds rounds = new Rounds();
        try {
            round(call, operation, object, old, rounds);
            if (rounds.wanted) {
                rounds.second = true;
                round(call, operation, object, old, rounds);
            }
        } catch (ApiException e) {
            throw e.warnings(call.warnings());
        }
    }

    private void round(Call call, Operation operation, ObjectNode object, @Nullable ObjectNode old, Rounds rounds) {
        for (Plugin plugin : plugins) {
            plugin.mutate(call, operation, object, old, rounds);
        }
    }

    void validate(Call call, Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        if (call.isAdmitted()) {
            return;
        }
        try {
            for (Plugin plugin : plugins) {
                plugin.validate(call, operation, object, old);
            }
        } catch (ApiException e) {
            throw e.warnings(call.warnings());
        }
    }
}
