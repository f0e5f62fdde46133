package lavaflow.kube;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A set of paths into an object, which is what a manager of fields owns.
 *
 * <p>A trie of sorted arrays: every write of every object compares such sets, so operations are merges of sorted arrays
 * that give back the receiver where nothing changes. A path can be in the set without its parents. Immutable.
 */
public final class FieldSet {
    public static final FieldSet EMPTY = new FieldSet(new PathStep[0], new boolean[0], new FieldSet[0]);

    private static final String SELF = ".";

    private final PathStep[] steps;
    /** Whether the path that ends with a step is in the set. */
    private final boolean[] members;
    /** What is in the set below a step; null for nothing, never empty. */
    private final @Nullable FieldSet[] children;

    private FieldSet(PathStep[] steps, boolean[] members, @Nullable FieldSet[] children) {
        this.steps = steps;
        this.members = members;
        this.children = children;
    }

    /** Collects steps of one level, in any order. */
    static final class Builder {
        private PathStep[] steps = new PathStep[8];
        private boolean[] members = new boolean[8];
        private @Nullable FieldSet[] children = new FieldSet[8];
        private int size;
        private boolean sorted = true;

        void member(PathStep step) {
            add(step, true, null);
        }

        /** Adds a step; one that is neither a member nor has children is left out. */
        void add(PathStep step, boolean member, @Nullable FieldSet child) {
            FieldSet below = child == null || child.isEmpty() ? null : child;
            if (!member && below == null) {
                return;
            }
            if (size == steps.length) {
                steps = Arrays.copyOf(steps, size * 2);
                members = Arrays.copyOf(members, size * 2);
                children = Arrays.copyOf(children, size * 2);
            }
            sorted = sorted && (size == 0 || steps[size - 1].compareTo(step) < 0);
            steps[size] = step;
            members[size] = member;
            children[size++] = below;
        }

        FieldSet build() {
            if (size == 0) {
                return EMPTY;
            }
            if (sorted) {
                return new FieldSet(
                        Arrays.copyOf(steps, size), Arrays.copyOf(members, size), Arrays.copyOf(children, size));
            }
            return sort();
        }

        private FieldSet sort() {
            Integer[] order = new Integer[size];
            Arrays.setAll(order, i -> i);
            Arrays.sort(order, Comparator.comparing(i -> steps[i]));
            Builder result = new Builder();
            for (int i : order) {
                int last = result.size - 1;
                if (last >= 0 && result.steps[last].compareTo(steps[i]) == 0) {
                    result.members[last] |= members[i];
                    FieldSet before = result.children[last];
                    FieldSet more = children[i];
                    result.children[last] = before == null ? more : more == null ? before : before.union(more);
                } else {
                    result.add(steps[i], members[i], children[i]);
                }
            }
            return result.build();
        }
    }

    /** The set of paths of field names, each written as {@code metadata.name}. */
    public static FieldSet ofFields(String... paths) {
        FieldSet all = EMPTY;
        for (String path : paths) {
            List<PathStep> steps = new ArrayList<>();
            for (String name : path.split("\\.", -1)) {
                steps.add(PathStep.field(name));
            }
            all = all.union(of(steps));
        }
        return all;
    }

    /** The set of one path. */
    static FieldSet of(List<PathStep> path) {
        FieldSet set = EMPTY;
        for (int i = path.size() - 1; i >= 0; i--) {
            Builder level = new Builder();
            level.add(path.get(i), i == path.size() - 1, set);
            set = level.build();
        }
        return set;
    }

    /** Reads {@code fieldsV1}; malformed input is a bad request. */
    public static FieldSet parse(JsonNode fieldsV1) {
        if (fieldsV1.isNull()) {
            return EMPTY;
        }
        if (!fieldsV1.isObject()) {
            throw ApiException.badRequest("fieldsV1 must be an object, got " + GoText.jsonKind(fieldsV1));
        }
        Builder level = new Builder();
        for (var entry : fieldsV1.properties()) {
            JsonNode below = entry.getValue();
            if (!entry.getKey().equals(SELF)) {
                PathStep step = PathStep.parse(entry.getKey());
                if (step != null) {
                    FieldSet child = parse(below);
                    level.add(step, child.isEmpty() || below.has(SELF), child);
                }
            }
        }
        return level.build();
    }

    /** The set as {@code fieldsV1}, sorted as upstream sorts it. */
    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        writeTo(json);
        return json;
    }

    private void writeTo(ObjectNode json) {
        for (int i = 0; i < steps.length; i++) {
            ObjectNode below = Json.object();
            FieldSet child = children[i];
            if (child != null) {
                if (members[i]) {
                    below.set(SELF, Json.object());
                }
                child.writeTo(below);
            }
            json.set(steps[i].text(), below);
        }
    }

    public boolean isEmpty() {
        return steps.length == 0;
    }

    int size() {
        return steps.length;
    }

    PathStep step(int i) {
        return steps[i];
    }

    boolean member(int i) {
        return members[i];
    }

    FieldSet child(int i) {
        FieldSet child = children[i];
        return child == null ? EMPTY : child;
    }

    int find(PathStep step) {
        return Arrays.binarySearch(steps, step);
    }

    /** Whether a path is in the set. */
    boolean has(List<PathStep> path) {
        FieldSet level = this;
        for (int i = 0; i < path.size(); i++) {
            int found = level.find(path.get(i));
            if (found < 0) {
                return false;
            }
            if (i == path.size() - 1) {
                return level.members[found];
            }
            level = level.child(found);
        }
        return false;
    }

    /** Paths in either set. */
    @SuppressWarnings("ReferenceEquality") // a shortcut, not a comparison
    public FieldSet union(FieldSet other) {
        if (other.isEmpty() || this == other) {
            return this;
        }
        if (isEmpty()) {
            return other;
        }
        Builder all = new Builder();
        int i = 0;
        int j = 0;
        while (i < steps.length || j < other.steps.length) {
            int order = i == steps.length ? 1 : j == other.steps.length ? -1 : steps[i].compareTo(other.steps[j]);
            if (order < 0) {
                all.add(steps[i], members[i], children[i++]);
            } else if (order > 0) {
                all.add(other.steps[j], other.members[j], other.children[j++]);
            } else {
                all.add(steps[i], members[i] || other.members[j], child(i).union(other.child(j)));
                i++;
                j++;
            }
        }
        return all.build();
    }

    /** Paths in both sets. */
    public FieldSet intersection(FieldSet other) {
        Builder common = new Builder();
        for (int i = 0, j = 0; i < steps.length && j < other.steps.length; ) {
            int order = steps[i].compareTo(other.steps[j]);
            if (order == 0) {
                common.add(steps[i], members[i] && other.members[j], child(i).intersection(other.child(j)));
            }
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
        return common.build();
    }

    /** Paths in this set that are not in the other; what lies below a path of the other stays. */
    public FieldSet difference(FieldSet other) {
        return without(other, false);
    }

    /** Paths in this set that are neither in the other nor below a path of the other. */
    public FieldSet recursiveDifference(FieldSet other) {
        return without(other, true);
    }

    @SuppressWarnings("ReferenceEquality") // tells whether anything was taken away
    private FieldSet without(FieldSet other, boolean recursive) {
        if (isEmpty() || other.isEmpty()) {
            return this;
        }
        Builder rest = new Builder();
        boolean changed = false;
        int j = 0;
        for (int i = 0; i < steps.length; i++) {
            while (j < other.steps.length && other.steps[j].compareTo(steps[i]) < 0) {
                j++;
            }
            boolean member = members[i];
            FieldSet child = children[i];
            if (j < other.steps.length && other.steps[j].compareTo(steps[i]) == 0) {
                member = member && !other.members[j];
                if (child != null) {
                    child = recursive && other.members[j] ? null : child.without(other.child(j), recursive);
                }
            }
            changed = changed || member != members[i] || child != children[i];
            rest.add(steps[i], member, child);
        }
        return changed ? rest.build() : this;
    }

    /** Paths that have no other path of the set below them. */
    public FieldSet leaves() {
        Builder leaves = new Builder();
        for (int i = 0; i < steps.length; i++) {
            leaves.add(steps[i], members[i] && children[i] == null, child(i).leaves());
        }
        return leaves.build();
    }

    /** Calls back for every path: those that end on a level before those that go deeper. */
    void forEach(Consumer<List<PathStep>> consumer) {
        forEach(List.of(), consumer);
    }

    private void forEach(List<PathStep> prefix, Consumer<List<PathStep>> consumer) {
        for (int i = 0; i < steps.length; i++) {
            if (members[i]) {
                consumer.accept(append(prefix, steps[i]));
            }
        }
        for (int i = 0; i < steps.length; i++) {
            if (children[i] != null) {
                child(i).forEach(append(prefix, steps[i]), consumer);
            }
        }
    }

    private static List<PathStep> append(List<PathStep> prefix, PathStep step) {
        List<PathStep> path = new ArrayList<>(prefix.size() + 1);
        path.addAll(prefix);
        path.add(step);
        return path;
    }

    /** A path as messages show it: {@code .spec.containers[name="x"].image}. */
    static String show(List<PathStep> path) {
        StringBuilder text = new StringBuilder();
        path.forEach(text::append);
        return text.toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FieldSet set
                && Arrays.equals(steps, set.steps)
                && Arrays.equals(members, set.members)
                && Arrays.equals(children, set.children);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(steps) * 31 + Arrays.hashCode(children);
    }

    /** One path a line. */
    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        forEach(path -> lines.add(show(path)));
        return String.join("\n", lines);
    }
}
