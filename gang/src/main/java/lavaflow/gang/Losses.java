package lavaflow.gang;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Pods of a gang that failed and that nobody comes for. Where pods have numbers, one that takes over has the number of the one that failed,
 * and where one comes, others may follow: then nothing is lost. Of pods without numbers nobody knows.
 *
 * @param members the pods
 * @param roles how many, by role
 */
record Losses(Set<Member> members, Map<String, Integer> roles) {
    static final Losses NONE = new Losses(Set.of(), Map.of());

    private record Place(String role, int index) {}

    static Losses of(Collection<Member> members) {
        Set<Place> taken = new HashSet<>();
        for (Member member : members) {
            if (member.stage != Stage.FAILED) {
                taken.add(place(member));
            }
        }
        Map<String, Integer> roles = new HashMap<>();
        Set<Member> lost = new HashSet<>();
        for (Member member : members) {
            if (member.stage == Stage.FAILED) {
                if (member.spec.index() < 0 || !taken.add(place(member))) {
                    return NONE;
                }
                roles.merge(member.spec.role(), 1, Integer::sum);
                lost.add(member);
            }
        }
        return new Losses(lost, roles);
    }

    private static Place place(Member member) {
        return new Place(member.spec.role(), member.spec.index());
    }

    int all() {
        return members.size();
    }

    int of(String role) {
        return roles.getOrDefault(role, 0);
    }
}
