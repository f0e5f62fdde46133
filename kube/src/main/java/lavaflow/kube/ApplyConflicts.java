package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Fields that an apply would take from others: who owns what of it. Upstream's order is random; ours is sorted. */
final class ApplyConflicts {
    private final Map<FieldOwner.Identity, FieldSet> fieldsByOwner = new TreeMap<>();

    void add(FieldOwner.Identity owner, FieldSet fields) {
        if (!fields.isEmpty()) {
            fieldsByOwner.put(owner, fields);
        }
    }

    boolean isEmpty() {
        return fieldsByOwner.isEmpty();
    }

    /** The conflicts that are not about some fields. */
    ApplyConflicts without(FieldSet allowed) {
        ApplyConflicts rest = new ApplyConflicts();
        fieldsByOwner.forEach((owner, fields) -> rest.add(owner, fields.difference(allowed)));
        return rest;
    }

    ApiException exception() {
        List<String> owners = new ArrayList<>();
        List<String> paths = new ArrayList<>();
        StringBuilder list = new StringBuilder();
        fieldsByOwner.forEach((owner, fields) -> {
            list.append(list.isEmpty() ? "" : "\n")
                    .append("conflicts with ")
                    .append(owner.shown())
                    .append(':');
            fields.forEach(path -> {
                owners.add(owner.shown());
                paths.add(FieldSet.show(path));
                list.append("\n- ").append(paths.getLast());
            });
        });
        String message = paths.size() == 1
                ? "Apply failed with 1 conflict: conflict with " + owners.getFirst() + ": " + paths.getFirst()
                : "Apply failed with " + paths.size() + " conflicts: " + list;
        ApiException conflict = ApiException.of(409, "Conflict", message);
        for (int i = 0; i < paths.size(); i++) {
            conflict.cause("FieldManagerConflict", "conflict with " + owners.get(i), paths.get(i));
        }
        return conflict;
    }
}
