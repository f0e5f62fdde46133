package lavaflow.cel;

import org.jspecify.annotations.Nullable;

/** Fields of patch operations. */
final class JsonPatches {
    private JsonPatches() {}

    static @Nullable Object field(JsonPatchOperation operation, Object key) {
        if (!(key instanceof String name)) {
            return null;
        }
        return switch (name) {
            case "op" -> operation.op();
            case "path" -> operation.path();
            case "from" -> operation.from();
            case "value" -> operation.value();
            default -> null;
        };
    }
}
