package lavaflow.gang;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Pods of a gang that go together or not at all.
 *
 * @param safe whether the gang can do without them
 * @param rest all others of the gang, which go along unless it can do without these
 */
record Bundle(Gang gang, List<Member> members, boolean safe, List<Member> rest) {
    private static Bundle safe(Member member) {
        return new Bundle(member.gang, List.of(member), true, List.of());
    }

    /** How a gang falls into pods it can do without, one by one, and the rest, which goes whole. */
    static List<Bundle> of(Gang gang, Set<Member> candidates, boolean allowWhole) {
        List<Member> sorted = new ArrayList<>(candidates);
        sorted.sort(Comparator.comparingInt((Member member) -> member.spec.priority())
                .thenComparing(Member::uid));
        List<Bundle> bundles = new ArrayList<>();
        int spare = gang.tally().certain() - gang.spec.minMember();
        if (gang.tally().ready() < gang.spec.minMember()) {
            // It does not run as it should anyhow, but a part of it would be of use to nobody.
            if (sorted.size() == gang.tally().holding()) {
                bundles.add(new Bundle(gang, List.copyOf(sorted), true, List.of()));
            }
            return bundles;
        }
        Map<String, Integer> byRole = new HashMap<>();
        Map<SubGang, Integer> byPart = new HashMap<>();
        List<Member> rest = new ArrayList<>();
        for (Member member : sorted) {
            if (spare > 0 && isSpare(gang, member, byRole, byPart)) {
                bundles.add(safe(member));
                spare--;
            } else {
                rest.add(member);
            }
        }
        boolean all = rest.size() + bundles.size() == gang.tally().holding();
        if (allowWhole && all && !rest.isEmpty()) {
            List<Member> others =
                    bundles.stream().map(bundle -> bundle.members.getFirst()).toList();
            bundles.add(new Bundle(gang, List.copyOf(rest), false, others));
        }
        return bundles;
    }

    /** Whether a role and a part of the gang can do without one more. */
    private static boolean isSpare(
            Gang gang, Member member, Map<String, Integer> byRole, Map<SubGang, Integer> byPart) {
        String role = member.spec.role();
        int gone = byRole.getOrDefault(role, 0);
        SubGang part = gang.spec.subGroups().isEmpty() ? null : gang.parts().of(member);
        int goneOfPart = part == null ? 0 : byPart.getOrDefault(part, 0);
        boolean spare = gang.canSpare(role, gone + 1)
                && (part == null || !part.isReady() || part.count(false) - goneOfPart > part.minAvailable());
        if (spare) {
            byRole.put(role, gone + 1);
            if (part != null) {
                byPart.put(part, goneOfPart + 1);
            }
        }
        return spare;
    }

    /** How much it helps for what it costs: the part of what is needed that it frees, by all that goes. */
    double worth(Amounts need, HyperNode domain) {
        if (safe) {
            return Double.POSITIVE_INFINITY;
        }
        double helps = 0;
        double costs = 0;
        Amounts local = Amounts.none();
        Amounts global = Amounts.none();
        for (Member member : members) {
            global.add(member.request);
            if (domain.contains(member.slot)) {
                local.add(member.request);
            }
        }
        for (int column = 0; column < need.size(); column++) {
            double wanted = need.get(column);
            if (wanted > 0) {
                helps += Math.min(local.get(column), wanted) / wanted;
                costs += global.get(column) / wanted;
            }
        }
        return costs == 0 ? 0 : helps / costs;
    }
}
