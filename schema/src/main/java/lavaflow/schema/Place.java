package lavaflow.schema;

import org.jspecify.annotations.Nullable;

/** A place in a judged value; its text is made only if something is wrong there. */
final class Place {
    static final Place ROOT = new Place(null, "", -1, false);

    private final @Nullable Place parent;
    private final String name;
    private final int index;
    private final boolean dotted;

    private Place(@Nullable Place parent, String name, int index, boolean dotted) {
        this.parent = parent;
        this.name = name;
        this.index = index;
        this.dotted = dotted;
    }

    boolean isRoot() {
        return parent == null;
    }

    /** A declared member. */
    Place property(String member) {
        return new Place(this, member, -1, parent != null);
    }

    /** A member that is not declared or not there; upstream writes a dot before it even at the root. */
    Place other(String member) {
        return new Place(this, member, -1, true);
    }

    Place element(int position) {
        return new Place(this, "", position, false);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        append(text);
        return text.toString();
    }

    private void append(StringBuilder text) {
        if (parent == null) {
            return;
        }
        parent.append(text);
        if (index >= 0) {
            text.append('[').append(index).append(']');
        } else {
            text.append(dotted ? "." : "").append(name);
        }
    }
}
