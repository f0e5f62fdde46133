package lavaflow.kube;

import org.jspecify.annotations.Nullable;

/**
 * A place in an object, printed as upstream prints it in validation messages: {@code spec.containers[0].name},
 * {@code metadata.labels[app]}.
 */
public final class FieldPath {
    private final @Nullable FieldPath parent;
    private final String step;

    private FieldPath(@Nullable FieldPath parent, String step) {
        this.parent = parent;
        this.step = step;
    }

    private static final FieldPath ROOT = new FieldPath(null, "");

    /** The object itself, which upstream calls {@code <nil>}. */
    public static FieldPath root() {
        return ROOT;
    }

    /** A path of field names from the object's root. */
    public static FieldPath of(String first, String... more) {
        FieldPath path = new FieldPath(null, first);
        return path.child(more);
    }

    public FieldPath child(String... names) {
        FieldPath path = this;
        for (String name : names) {
            path = path.isRoot() ? new FieldPath(null, name) : new FieldPath(path, "." + name);
        }
        return path;
    }

    /** An element of a list. */
    public FieldPath index(int index) {
        return new FieldPath(this, "[" + index + "]");
    }

    /** An entry of a map. */
    public FieldPath key(String key) {
        return new FieldPath(this, "[" + key + "]");
    }

    private boolean isRoot() {
        return parent == null && step.isEmpty();
    }

    @Override
    public String toString() {
        if (isRoot()) {
            return "<nil>";
        }
        StringBuilder text = new StringBuilder();
        append(text);
        return text.toString();
    }

    private void append(StringBuilder text) {
        if (parent != null) {
            parent.append(text);
        }
        text.append(step);
    }
}
