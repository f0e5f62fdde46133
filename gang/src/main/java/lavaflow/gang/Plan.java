package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Steps that take effect at once and can be taken back, the last first: a gang is tried and then kept or not. What is evicted for a
 * plan counts as going until the API tells so.
 */
final class Plan {
    /** One step. */
    sealed interface Step {
        Member member();

        record Allocate(Member member) implements Step {}

        /** Of pods that are alike. */
        record AllocateAlike(List<Member> members) implements Step {
            @Override
            public Member member() {
                return members.getFirst();
            }
        }

        record Pipeline(Member member) implements Step {}

        record Evict(Member member, Stage before, String why) implements Step {}
    }

    private final GangState state;
    private final List<Step> steps = new ArrayList<>();
    /** How many of these are known on nodes; pods of later ones are only counted there. */
    private int settled;

    Plan(GangState state) {
        this.state = state;
    }

    void allocate(Member member, int slot) {
        state.placements.allocate(member, slot);
        steps.add(new Step.Allocate(member));
    }

    /**
     * Gives pods that are alike and lonely room as long as there is some; how many got it.
     *
     * @param best the next node with room; -1 if there is none
     */
    int allocate(List<Member> alike, IntSupplier best) {
        int count = state.placements.allocate(alike, best);
        if (count > 0) {
            steps.add(new Step.AllocateAlike(List.copyOf(alike.subList(0, count))));
        }
        return count;
    }

    /** From now on nodes tell who is there, not only how many: before anybody is asked who might want to know. */
    void settle() {
        for (; settled < steps.size(); settled++) {
            if (steps.get(settled) instanceof Step.AllocateAlike(List<Member> members)) {
                state.placements.settle(members);
            }
        }
    }

    void pipeline(Member member, int slot) {
        state.placements.pipeline(member, slot);
        steps.add(new Step.Pipeline(member));
    }

    void evict(Member member, String why) {
        steps.add(new Step.Evict(member, member.stage, why));
        state.placements.evict(member);
    }

    /** A moment that can be gone back to. */
    int mark() {
        return steps.size();
    }

    void undoTo(int mark) {
        while (steps.size() > mark) {
            switch (steps.removeLast()) {
                case Step.Allocate(Member member) -> undoAllocate(member);
                case Step.AllocateAlike(List<Member> members) -> undoAlike(members);
                case Step.Pipeline(Member member) -> state.placements.undoPipeline(member);
                case Step.Evict(Member member, Stage before, String _) -> state.placements.undoEvict(member, before);
            }
            settled = Math.min(settled, steps.size());
        }
    }

    private void undoAllocate(Member member) {
        int slot = member.slot;
        state.placements.undoAllocate(member);
        member.tried = slot;
    }

    private void undoAlike(List<Member> members) {
        if (steps.size() < settled) {
            members.reversed().forEach(this::undoAllocate);
        } else {
            members.forEach(member -> member.tried = member.slot);
            state.placements.undoReserved(members);
        }
    }

    void undo() {
        undoTo(0);
    }

    boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Who has to go for it. */
    List<Decision> evictions() {
        List<Decision> evictions = new ArrayList<>();
        for (Step step : steps) {
            if (step instanceof Step.Evict(Member member, Stage _, String why)) {
                evictions.add(new Decision.Evict(member, why));
            }
        }
        return evictions;
    }

    /** Who got room that is there. */
    List<Member> allocated() {
        List<Member> allocated = new ArrayList<>();
        for (Step step : steps) {
            switch (step) {
                case Step.Allocate(Member member) -> allocated.add(member);
                case Step.AllocateAlike(List<Member> members) -> allocated.addAll(members);
                case Step.Pipeline _ -> {}
                case Step.Evict _ -> {}
            }
        }
        return allocated;
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }
}
