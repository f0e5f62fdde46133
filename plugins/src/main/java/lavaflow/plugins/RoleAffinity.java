package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.gang.Gang;

import org.jspecify.annotations.Nullable;

/** Which roles of a gang are to be on the same node, and which are not. */
final class RoleAffinity {
    static final String TOGETHER = "volcano.sh/task-topology-affinity";
    static final String APART = "volcano.sh/task-topology-anti-affinity";
    static final String ORDER = "volcano.sh/task-topology-task-order";

    /** Two roles, in the order of their names; or one twice. */
    private record Pair(String one, String other) {
        static Pair of(String one, String other) {
            return one.compareTo(other) <= 0 ? new Pair(one, other) : new Pair(other, one);
        }
    }

    private final Set<Pair> together = new HashSet<>();
    private final Set<Pair> apart = new HashSet<>();
    private final Set<String> roles = new HashSet<>();
    private final List<String> order;

    private RoleAffinity(List<String> order) {
        this.order = order;
    }

    /** Null if nothing is said. */
    static @Nullable RoleAffinity of(Gang gang) {
        String together = gang.spec().mark(TOGETHER);
        String apart = gang.spec().mark(APART);
        if (together.isEmpty() && apart.isEmpty()) {
            return null;
        }
        RoleAffinity affinity = new RoleAffinity(names(gang.spec().mark(ORDER), ","));
        affinity.read(together, affinity.together);
        affinity.read(apart, affinity.apart);
        return affinity;
    }

    private static List<String> names(String text, String separator) {
        List<String> names = new ArrayList<>();
        for (String name : text.split(separator, -1)) {
            if (!name.isBlank()) {
                names.add(name.strip());
            }
        }
        return names;
    }

    /** One role alone is about itself; several are about each other. */
    private void read(String text, Set<Pair> pairs) {
        for (String group : names(text, ";")) {
            List<String> members = names(group, ",");
            roles.addAll(members);
            if (members.size() == 1) {
                pairs.add(Pair.of(members.getFirst(), members.getFirst()));
            }
            for (int i = 0; i < members.size(); i++) {
                for (int k = i + 1; k < members.size(); k++) {
                    pairs.add(Pair.of(members.get(i), members.get(k)));
                }
            }
        }
    }

    boolean concerns(String role) {
        return roles.contains(role);
    }

    /** How much a role wants to be with others, by role and number. */
    int net(String role, Map<String, Integer> others, boolean onlyAgainst) {
        int net = 0;
        for (Map.Entry<String, Integer> each : others.entrySet()) {
            Pair pair = Pair.of(role, each.getKey());
            net += !onlyAgainst && together.contains(pair) ? each.getValue() : 0;
            net -= apart.contains(pair) ? each.getValue() : 0;
        }
        return net;
    }

    /** Whoever must be apart from its own kind is placed first, as there is least choice for it. */
    private int importance(String role) {
        if (apart.contains(Pair.of(role, role))) {
            return 4;
        }
        if (isPaired(together, role)) {
            return 3;
        }
        if (together.contains(Pair.of(role, role))) {
            return 2;
        }
        return isPaired(apart, role) ? 1 : 0;
    }

    private static boolean isPaired(Set<Pair> pairs, String role) {
        return pairs.stream()
                .anyMatch(pair -> !pair.one.equals(pair.other) && (pair.one.equals(role) || pair.other.equals(role)));
    }

    /** Negative if pods of one role come before those of another. */
    int compare(String one, String other) {
        int byOrder = Integer.compare(place(one), place(other));
        return byOrder != 0 ? byOrder : Integer.compare(importance(other), importance(one));
    }

    private int place(String role) {
        int place = order.indexOf(role);
        return place < 0 ? Integer.MAX_VALUE : place;
    }
}
