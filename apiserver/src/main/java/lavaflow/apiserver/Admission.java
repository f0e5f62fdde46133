package lavaflow.apiserver;

import java.util.List;

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

        /** {@code object} is null for DELETE. */
        default void validate(Call call, Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {}
    }

    private final List<Plugin> plugins;

    public Admission(List<Plugin> plugins) {
        this.plugins = List.copyOf(plugins);
    }

    void mutate(Call call, Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        for (Plugin plugin : plugins) {
            plugin.mutate(call, operation, object, old);
        }
    }

    void validate(Call call, Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        for (Plugin plugin : plugins) {
            plugin.validate(call, operation, object, old);
        }
    }
}
