package lavaflow.cel;

import org.jspecify.annotations.Nullable;

/** What {@code JSONPatch{op: ..., path: ..., value: ...}} makes; unset texts are empty. */
public record JsonPatchOperation(
        String op, String path, String from, @Nullable Object value) {}
