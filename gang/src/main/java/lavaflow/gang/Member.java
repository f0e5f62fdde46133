package lavaflow.gang;

import lavaflow.placement.PodClass;

import org.jspecify.annotations.Nullable;

/** A pod of a gang. */
public final class Member {
    final Gang gang;
    final PodClass type;
    /** What it asks for, and one pod. */
    final Amounts request;

    /** Where pods of its role are counted. */
    final Gang.Tally role;

    MemberSpec spec;
    Stage stage;
    /** The node it has, or would have; -1 if none. */
    int slot = -1;
    /** The node it would have had in a plan that came to nothing; -1 if none. */
    int tried = -1;
    /** The node on which others had to go for it, in an earlier round; empty if none did. */
    String awaited;
    /** Whether others have to go for the place it is promised. */
    boolean made;
    /** Was told to go, which the API may have told since. */
    boolean evicted;
    /** What was told last of why it waits. */
    Decision.@Nullable Wait told;

    Member(Gang gang, MemberSpec spec, PodClass type, Amounts request) {
        this.gang = gang;
        this.spec = spec;
        this.type = type;
        this.request = request;
        this.stage = spec.stage();
        this.awaited = spec.pod().nominated();
        this.role = gang.tally(spec.role());
    }

    public Gang gang() {
        return gang;
    }

    public MemberSpec spec() {
        return spec;
    }

    /** What it asks for, and one pod; not to be changed. */
    public Amounts request() {
        return request;
    }

    public PodClass type() {
        return type;
    }

    /** The node it has, or would have; -1 if none. */
    public int slot() {
        return slot;
    }

    public Stage stage() {
        return stage;
    }

    String uid() {
        return spec.pod().uid();
    }

    /** Waits for a node and may have one. */
    boolean waits() {
        return stage == Stage.PENDING && !spec.gated() && spec.ours();
    }

    /** Was decided to go, and the API has not told so yet. */
    boolean isToldToGo() {
        return stage.isLeaving() && spec.stage() != Stage.RELEASING;
    }

    /** Was given a node that the API has not confirmed yet, whether or not it has to go. */
    boolean isUnconfirmed() {
        return stage.isUnconfirmed() || (isToldToGo() && spec.stage() == Stage.PENDING);
    }

    /** By the number in its name, then by age. */
    static int compareByAge(Member one, Member other) {
        int byIndex = Integer.compare(one.spec.index(), other.spec.index());
        if (byIndex != 0) {
            return byIndex;
        }
        int byAge = one.spec.pod().created().compareTo(other.spec.pod().created());
        return byAge != 0 ? byAge : one.uid().compareTo(other.uid());
    }

    @Override
    public String toString() {
        return spec.pod().place() + " " + stage;
    }
}
