package lavaflow.gang;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which of those who may go have to, so that a gang has a place as a whole in a part of the network: as few of the first as suffice, and
 * of these nobody whose room is not needed. Where a gang loses more than it can do without, it loses all.
 */
final class Clearance {
    /** How often somebody is left out to see whether the gang has a place without. */
    private static final int TRIES = 16;

    /** Where a pod goes. */
    private record Place(Member member, int slot) {}

    private final Session session;
    private final Queue queue;
    private final Gang gang;
    private final HyperNode domain;
    private final String why;
    private final Plan plan;
    private final Amounts need;
    /** Where pods of the gang would go, as tried last. */
    private List<Place> places = List.of();

    Clearance(Session session, Queue queue, Gang gang, HyperNode domain, String why) {
        this.session = session;
        this.queue = queue;
        this.gang = gang;
        this.domain = domain;
        this.why = why;
        this.plan = new Plan(session.state);
        this.need = gang.parts().whole().least();
    }

    /** Who has to go, for good; empty if nobody helps. */
    List<Decision> make(List<Bundle> bundles) {
        int enough = enough(bundles);
        if (enough < 0) {
            plan.undo();
            return List.of();
        }
        List<Bundle> needed = withoutNeedless(spared(bundles.subList(0, enough)));
        plan.undo();
        needed.forEach(this::evict);
        for (Place place : places) {
            plan.pipeline(place.member, place.slot);
            place.member.made = true;
        }
        return plan.evictions();
    }

    // ---- how many of the first ----

    /** The least number of bundles that suffice if the first go, or -1. Trying costs, so it is not done after each. */
    private int enough(List<Bundle> bundles) {
        Amounts free = Amounts.none();
        domain.slots().stream().forEach(slot -> free.add(session.room(slot, true)));
        int tooFew = 0;
        int next = 1;
        for (int count = 1; count <= bundles.size(); count++) {
            addTo(free, evict(bundles.get(count - 1)));
            boolean last = count == bundles.size();
            if (!last && !need.within(free, need)) {
                tooFew = count;
            } else if (last || count >= next) {
                if (place()) {
                    return least(bundles, tooFew, count);
                }
                tooFew = count;
                next = count + Math.max(1, count / 2);
            }
        }
        return -1;
    }

    /** More room never hurts, so the border between too few and enough can be halved. */
    private int least(List<Bundle> bundles, int tooFew, int enough) {
        int low = tooFew;
        int high = enough;
        int tried = enough;
        while (high - low > 1) {
            tried = (low + high) / 2;
            if (suffice(bundles.subList(0, tried))) {
                high = tried;
            } else {
                low = tried;
            }
        }
        if (tried != high) {
            suffice(bundles.subList(0, high));
        }
        return high;
    }

    private boolean suffice(List<Bundle> bundles) {
        plan.undo();
        bundles.forEach(this::evict);
        return place();
    }

    /** Has the rest of a gang go with a bundle that it cannot do without; who goes that did not go yet. */
    private List<Member> evict(Bundle bundle) {
        List<Member> going = new ArrayList<>();
        for (List<Member> members : List.of(bundle.members(), bundle.rest())) {
            for (Member member : members) {
                if (member.stage.canBeEvicted()) {
                    plan.evict(member, why);
                    going.add(member);
                }
            }
        }
        return going;
    }

    private void addTo(Amounts free, List<Member> going) {
        for (Member member : going) {
            if (domain.contains(member.slot)) {
                free.add(member.request);
            }
        }
    }

    private boolean place() {
        int before = plan.mark();
        if (!new NetworkTrial(session, queue, gang, plan, true).placeWithin(domain)) {
            return false;
        }
        places = new ArrayList<>();
        List<Plan.Step> steps = plan.steps();
        for (Plan.Step step : steps.subList(before, steps.size())) {
            places.add(new Place(step.member(), step.member().slot));
        }
        return true;
    }

    // ---- who is not needed ----

    /** Those who have to go for the places that were found, without those who have room beside them: the most important stay first. */
    private List<Bundle> spared(List<Bundle> bundles) {
        Set<Integer> used = new HashSet<>();
        places.forEach(place -> used.add(place.slot));
        boolean plain = isPlain();
        List<Bundle> kept = new ArrayList<>();
        Set<Gang> broken = new HashSet<>();
        List<Member> staying = new ArrayList<>();
        for (Bundle bundle : bundles.reversed()) {
            if (!broken.contains(bundle.gang()) && canStay(bundle, used, plain)) {
                staying.addAll(bundle.members());
            } else {
                kept.addFirst(bundle);
                if (!bundle.safe()) {
                    broken.add(bundle.gang());
                }
            }
        }
        staying.forEach(member -> session.state.outlook.releases(member.type, member.slot));
        return kept;
    }

    /** Whether all of a bundle have room beside those who come, which is theirs from then on. */
    private boolean canStay(Bundle bundle, Set<Integer> used, boolean plain) {
        Outlook outlook = session.state.outlook;
        List<Member> staying = new ArrayList<>();
        for (Member member : bundle.members()) {
            boolean free = !used.contains(member.slot) || (plain && outlook.willHaveRoom(member.type, member.slot));
            if (!free) {
                staying.forEach(each -> outlook.releases(each.type, each.slot));
                return false;
            }
            outlook.releasesNoMore(member.type, member.slot);
            staying.add(member);
        }
        return true;
    }

    /** Whether nothing but room was in the way of pods. */
    private boolean isPlain() {
        return places.stream().allMatch(place -> {
            var attempt = session.nodeVotes.attempt(place.member);
            return (attempt == null || attempt.onlyNodesCount()) && session.nodeVotes.scopes(place.member) != null;
        });
    }

    /** Leaves out who is not needed if the gang goes elsewhere. */
    private List<Bundle> withoutNeedless(List<Bundle> all) {
        List<Bundle> needed = all;
        Amounts free = roomWith(needed);
        int tries = 0;
        for (Bundle bundle : all.reversed()) {
            boolean might = tries < TRIES && need.within(free.copy().subtract(room(bundle)), need);
            if (might && needed.contains(bundle)) {
                tries++;
                List<Bundle> fewer = new ArrayList<>(needed);
                fewer.remove(bundle);
                List<Place> before = places;
                if (suffice(fewer)) {
                    needed = spared(fewer);
                    free = roomWith(needed);
                } else {
                    places = before;
                }
            }
        }
        return needed;
    }

    private Amounts roomWith(List<Bundle> bundles) {
        plan.undo();
        Amounts free = Amounts.none();
        domain.slots().stream().forEach(slot -> free.add(session.room(slot, true)));
        bundles.forEach(bundle -> free.add(room(bundle)));
        return free;
    }

    /** What a bundle gives in the part of the network. */
    private Amounts room(Bundle bundle) {
        Amounts room = Amounts.none();
        addTo(room, bundle.members());
        return room;
    }
}
