package lavaflow.gang;

import java.time.Instant;
import java.util.List;

import lavaflow.placement.PodClass;
import lavaflow.placement.Rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Has a say in what is scheduled. A plugin implements those of the interfaces below that it has something to say to; how the answers of
 * several are put together is the {@link Session}'s.
 */
public interface Plugin {
    /** Before each round of decisions. */
    default void open(Session session) {}

    /** After it. */
    default void close(Session session) {}

    /** An answer of one among several. */
    enum Vote {
        NO,
        ABSTAIN,
        YES
    }

    /** Which gang comes first in a queue. */
    interface GangOrder {
        int compareGangs(Gang one, Gang other);
    }

    /** Which queue comes first. */
    interface QueueOrder {
        int compareQueues(Queue one, Queue other);
    }

    /** Which pod of a gang comes first. */
    interface MemberOrder {
        int compareMembers(Member one, Member other);
    }

    /** What is wrong with a gang that cannot be placed whatever there is room for. */
    interface Validity {
        @Nullable
        Invalid invalid(Gang gang);
    }

    /** Why a gang is not worth trying. */
    record Invalid(String reason, String message) {}

    /** Whether enough of a gang is placed. */
    interface Readiness {
        boolean isReady(Gang gang);

        /** How many more pods have to be placed at least until it can become ready; it is not asked before. */
        default int missing(Gang gang) {
            return 1;
        }

        Vote isPipelined(Gang gang);
    }

    /** Whether a gang needs more, so that others may have to go for it. */
    interface Starvation {
        boolean isStarving(Gang gang);
    }

    /** Whether a gang may enter its queue. */
    interface Entrance {
        Vote mayEnter(Gang gang, Refusals refusals);

        default void entered(Gang gang) {}
    }

    /** Hears why something was refused. */
    interface Refusals {
        void refused(Gang gang, String message);
    }

    /** Whether a queue has all it should have. */
    interface Overuse {
        boolean isOverused(Queue queue);
    }

    /** Whether a queue may have more. */
    interface Allowance {
        /** In place of a column: the queue takes nobody. */
        int CLOSED = Integer.MAX_VALUE;

        /** A column that is beyond what the queue may have with this pod; -1 if none is, {@link #CLOSED} if the queue takes nobody. */
        int beyond(Queue queue, Member member);

        /** How many pods like this the queue may have, at most so many as wanted; 0 or 1 unless a plugin knows more. */
        default int allowed(Queue queue, Member member, int wanted) {
            return beyond(queue, member) < 0 ? 1 : 0;
        }

        /** Whether it may take from other queues for these pods. */
        default boolean mayReclaim(Queue queue, List<Member> members) {
            return true;
        }
    }

    /** Who may have to go. */
    interface Victims {
        /** Whether an answer depends on how many candidates there are; such plugins are asked after the others. */
        default boolean countsVictims() {
            return false;
        }

        /** Those of the candidates that may have to go for a pod of their own queue; null if it has no opinion. */
        default @Nullable List<Member> preemptable(Member by, List<Member> candidates) {
            return null;
        }

        /** Those of the candidates that may have to go for a pod of another queue; null if it has no opinion. */
        default @Nullable List<Member> reclaimable(Member by, List<Member> candidates) {
            return null;
        }

        /** Those of the candidates that may have to go for a whole gang; null if it has no opinion. */
        default @Nullable List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
            return reclaim ? reclaimable(by, candidates) : preemptable(by, candidates);
        }
    }

    /** Whose pods have to go first when a pod of another queue needs their place. */
    interface VictimOrder {
        /** Negative if the first has to give before the other. */
        int compareVictims(Queue one, Queue other, Queue by);
    }

    /** Who has to go although nobody needs the place. */
    interface Shuffle {
        /** Those of the pods that run who have to go now. */
        List<Member> toShuffle(List<Member> running);

        /** Those of whom others named that may go. */
        default List<Member> mayShuffle(List<Member> named) {
            return named;
        }
    }

    /** Answers otherwise as time goes by. */
    interface Timed {
        /** When that is the next time, if nothing else happens; null if never. */
        @Nullable
        Instant nextChange();

        /** The first of two times; null if there is neither. */
        static @Nullable Instant first(@Nullable Instant one, @Nullable Instant other) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            return one.isBefore(other) ? one : other;
        }
    }

    /**
     * How good a node is for a pod; depends on nothing but the pod's class, the node and how much pods have there: who these are may not
     * be known yet while many are placed at once.
     */
    interface NodeScore {
        double score(PodClass type, int slot);
    }

    /** How far an answer about a node reaches: whether it can be kept for other pods, and while nothing changes there. */
    sealed interface Scope {
        /** Has nothing to say about the pod. */
        Scope NONE = new None();
        /** The answer depends on more than the pod and what runs on the node: it is asked for anew each time. */
        Scope WIDE = new Wide();

        /**
         * The answer is the same for all pods that ask for the same amounts and accept the same nodes, and of which this is equal, as long as
         * the node and what runs there do not change.
         */
        static Scope alike(Object what) {
            return new Alike(what);
        }

        record None() implements Scope {}

        record Alike(Object what) implements Scope {}

        record Wide() implements Scope {}
    }

    /** Why nodes refuse pods, beyond what kube-scheduler's rules say. */
    interface Filter {
        Scope scope(Member member);

        /** Null if the node may take such a pod; the pod itself may have a place already, and others alike ask through it. */
        @Nullable
        Refusal refusal(Member member, int slot);
    }

    /**
     * Why a node refuses a pod.
     *
     * @param preemptionHelps whether it might take the pod once others are gone
     */
    record Refusal(String message, boolean preemptionHelps) {}

    /** How good a node is for a pod of a gang; may depend on the gang and on where its other pods are. */
    interface MemberScore {
        Scope scope(Member member);

        double score(Member member, int slot);
    }

    /** How good nodes are for a pod in comparison: answers that depend on which others come into question. */
    interface BatchScore {
        /** Whether there is something to say about the pod; where nobody has, nodes stay sorted. */
        boolean concerns(Member member);

        /**
         * Adds to the scores of nodes.
         *
         * @param slots the nodes that come into question
         * @param scores of each of these
         */
        void score(Member member, int[] slots, double[] scores);
    }

    /** Says which of kube-scheduler's rules hold; where no plugin does, only room counts. */
    interface Predicates {
        Rules rules();
    }

    /** Has something to write on a pod when it gets its node. */
    interface Notes {
        /** Adds annotations of a pod that has got its room. */
        void annotate(Member member, ObjectNode annotations);
    }

    /** Which parts of the network a gang may be placed in, and how good they are. */
    interface Domains {
        /** The parts to try, those of a row alike and better than those of the next. */
        List<List<HyperNode>> rows(SubGang part, HyperNode within, Purpose purpose);
    }

    /** What a part of the network is looked for. */
    enum Purpose {
        ALLOCATE,
        EVICT
    }

    /** How good a part of the network is for a part of a gang. */
    interface DomainScore {
        /** The scores of some parts of the network, in their order. */
        double[] score(SubGang part, List<HyperNode> domains);
    }

    /** Works out what queues should have. */
    interface Shares {
        /** As of the last round; null for a queue it knows nothing of. */
        @Nullable
        Share shareOf(Queue queue);
    }

    /**
     * What a queue should have and may have.
     *
     * @param capacity the most it could ever have, with what others must not be denied left out
     * @param limit the most it may have now
     * @param share how much it has of what it should have
     */
    record Share(Amounts deserved, Amounts capacity, Amounts limit, double share) {}

    /** Knows whose limit is in the way of a queue. */
    interface Limits {
        /**
         * The limit that would be exceeded if a queue had more; null if none would.
         *
         * @param entering whether what gangs were let in for counts, too
         */
        @Nullable
        Limit inTheWay(Queue queue, Amounts wanted, boolean entering);
    }

    /**
     * A limit of a queue, or of one above it.
     *
     * @param queue whose it is; empty for the cluster
     * @param column of what
     * @param has what that queue has of it, with those below it
     * @param kept what else is guaranteed to others
     */
    record Limit(String queue, int column, double has, double kept, double most) {}

    /** Keeps an account of who has what. */
    interface Account {
        void roomTaken(Member member);

        void roomGiven(Member member);

        /** The same at once for pods of a gang that ask for the same and have the same role, each on its node. */
        default void roomTaken(List<Member> alike) {
            alike.forEach(this::roomTaken);
        }

        default void roomGiven(List<Member> alike) {
            alike.forEach(this::roomGiven);
        }

        /** Others go for a pod: it will have their room, which no other pod may have. */
        default void roomPromised(Member member) {}

        default void promiseEnded(Member member) {}
    }
}
