package lavaflow.gang;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.placement.Attempt;
import lavaflow.placement.NodeTable;
import lavaflow.placement.Ranking;
import lavaflow.placement.Reason;

import org.jspecify.annotations.Nullable;

/**
 * Finds the best node for a pod: one with room, else one that will have room. Exact: every node that could be better has been looked
 * at. Where nothing but the node and what runs there decides, nodes stay sorted from one pod to the next.
 */
final class Search {
    private static final int SHORTLISTS = 256;

    /**
     * A node.
     *
     * @param now whether it has the room already
     */
    record Found(int slot, boolean now) {}

    /** Pods that nodes cannot tell apart. */
    private record Demand(Object choice, List<Long> requests, List<Object> scopes, Object within) {}

    /** Nodes with room for a demand, also when those come whom it is promised to. */
    private final class Shortlist implements Ranking.Measure {
        private final @Nullable HyperNode within;
        private final Ranking ranking = new Ranking(this);
        /** Whether plugins have nothing to say about these pods but how good nodes are for their class. */
        private final boolean unremarkable;
        /** One of those it serves, the last that asked: others may be gone. */
        private Member by;

        Shortlist(Member by, List<Object> scopes, @Nullable HyperNode within) {
            this.by = by;
            this.unremarkable = scopes.isEmpty();
            this.within = within;
        }

        int best(Member member) {
            by = member;
            return ranking.best(nodes);
        }

        @Override
        public boolean fits(int slot) {
            return nodes.isKnown(slot)
                    && nodes.hasRoom(by.type, slot)
                    && (!outlook.concerns(slot) || outlook.willHaveRoom(by.type, slot))
                    && (within == null || within.contains(slot))
                    && session.nodeVotes.accepts(by.type, slot)
                    && (unremarkable || session.nodeVotes.refusal(by, slot) == null);
        }

        @Override
        public long rank(int slot) {
            return sortable(unremarkable ? session.nodeVotes.score(by.type, slot) : session.nodeVotes.score(by, slot));
        }

        @Override
        public boolean byName() {
            return true;
        }
    }

    private final Session session;
    private final NodeTable nodes;
    private final Outlook outlook;
    private final Map<Demand, Shortlist> shortlists = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Demand, Shortlist> eldest) {
            return size() > SHORTLISTS;
        }
    };

    Search(Session session) {
        this.session = session;
        this.nodes = session.nodes();
        this.outlook = session.state.outlook;
    }

    /** A number in whose order scores are. */
    private static long sortable(double score) {
        long bits = Double.doubleToLongBits(score);
        return bits < 0 ? bits ^ Long.MAX_VALUE : bits;
    }

    /** Looks for nodes for pods of one class, as long as no other pods come or go. */
    final class Run {
        private final Member first;
        private final @Nullable HyperNode within;
        private final @Nullable Attempt attempt;
        private final @Nullable List<Object> scopes;
        private final @Nullable Shortlist shortlist;

        private Run(Member first, @Nullable HyperNode within) {
            this.first = first;
            this.within = within;
            this.attempt = session.nodeVotes.attempt(first);
            this.scopes = session.nodeVotes.scopes(first);
            boolean plain = attempt == null || (attempt.hopeless() == null && attempt.onlyNodesCount());
            this.shortlist = plain && scopes != null ? shortlist(first, scopes, within) : null;
        }

        /** Something no node can help with; null if there is nothing such. */
        @Nullable
        String hopeless() {
            return attempt == null ? null : attempt.hopeless();
        }

        /** Whether no other pod of the class finds a node once one did not. */
        boolean isPlain() {
            return shortlist != null;
        }

        boolean serves(Member member) {
            return shortlist != null
                    && member.type == first.type
                    && scopes != null
                    && (member == first || scopes.equals(session.nodeVotes.scopes(member)));
        }

        /** Whether it is enough to know how many pods of the class are on nodes, not which. */
        boolean canCount() {
            return shortlist != null
                    && scopes != null
                    && scopes.isEmpty()
                    && session.cluster().isLonely(first.type);
        }

        /** The best node that has room; -1 if there is none, or none that can be told without looking at all. */
        int bestWithRoom() {
            return shortlist == null ? -1 : shortlist.best(first);
        }

        @Nullable
        Found find() {
            if (attempt != null && attempt.hopeless() != null) {
                return null;
            }
            return shortlist == null ? bestOfAll() : bestOf(shortlist);
        }

        /** A node that was named before, if it can take the pod. */
        @Nullable
        Found findOn(String node) {
            Integer slot = nodes.find(node);
            if (slot == null || hopeless() != null || !couldTake(slot) || !nobodyRefuses(slot)) {
                return null;
            }
            return new Found(slot, nodes.hasRoom(first.type, slot));
        }

        private @Nullable Found bestOf(Shortlist sorted) {
            int slot = sorted.best(first);
            if (slot >= 0) {
                return new Found(slot, true);
            }
            Choice choice = new Choice();
            for (int i = 0; i < outlook.size(); i++) {
                int other = outlook.slot(i);
                if (couldTake(other) && nobodyRefuses(other)) {
                    choice.offer(other, false, session.nodeVotes.score(first, other));
                }
            }
            return choice.found();
        }

        /** Those with room are compared with each other; only if there are none, those that will have room. */
        private @Nullable Found bestOfAll() {
            int[] slots = new int[nodes.slots()];
            int count = 0;
            boolean now = false;
            for (int slot = 0; slot < nodes.slots(); slot++) {
                if (!couldTake(slot)) {
                    continue;
                }
                boolean hasRoom = nodes.hasRoom(first.type, slot);
                if ((hasRoom || !now) && nobodyRefuses(slot)) {
                    count = hasRoom && !now ? 0 : count;
                    now |= hasRoom;
                    slots[count++] = slot;
                }
            }
            Choice choice = new Choice();
            double[] scores = session.nodeVotes.scores(first, Arrays.copyOf(slots, count));
            for (int i = 0; i < count; i++) {
                choice.offer(slots[i], now, scores[i]);
            }
            return choice.found();
        }

        private boolean couldTake(int slot) {
            return nodes.isKnown(slot)
                    && (within == null || within.contains(slot))
                    && outlook.willHaveRoom(first.type, slot);
        }

        private boolean nobodyRefuses(int slot) {
            return (attempt == null || attempt.refusalBesidesRoom(slot) == null)
                    && session.nodeVotes.refusal(first, slot) == null;
        }

        /** The best of what is offered. */
        private final class Choice {
            private int best = -1;
            private boolean now;
            private double score;

            void offer(int slot, boolean hasRoom, double its) {
                boolean better = best < 0
                        || (hasRoom && !now)
                        || (hasRoom == now
                                && (its > score
                                        || (its == score && nodes.placeByName(slot) < nodes.placeByName(best))));
                if (better) {
                    best = slot;
                    now = hasRoom;
                    score = its;
                }
            }

            @Nullable
            Found found() {
                return best < 0 ? null : new Found(best, now);
            }
        }
    }

    Run run(Member first) {
        return new Run(first, null);
    }

    /** The same in a part of the network. */
    Run run(Member first, HyperNode within) {
        return new Run(first, within);
    }

    private Shortlist shortlist(Member member, List<Object> scopes, @Nullable HyperNode within) {
        Demand demand = new Demand(member.type.choice, member.type.demand, scopes, within == null ? "" : within);
        return shortlists.computeIfAbsent(demand, _ -> new Shortlist(member, scopes, within));
    }

    /** Why a pod found no node. */
    Waiting why(Member member, Run run) {
        String role = member.spec.role();
        String name = member.spec.pod().name();
        String hopeless = run.hopeless();
        return hopeless != null
                ? new Waiting.Hopeless(role, name, hopeless)
                : new Waiting.NoNode(role, name, nodes.size(), refusals(member));
    }

    /** How many nodes refuse a pod for which reason. */
    Map<String, Integer> refusals(Member member) {
        return refusals(member, null);
    }

    /** The same in a part of the network; null for all of it. */
    Map<String, Integer> refusals(Member member, @Nullable HyperNode within) {
        Attempt attempt = session.nodeVotes.attempt(member);
        Map<String, Integer> told = new TreeMap<>();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (!nodes.isKnown(slot) || (within != null && !within.contains(slot))) {
                continue;
            }
            Reason reason = attempt == null ? null : attempt.refusalBesidesRoom(slot);
            List<String> missing = reason == null ? session.nodeVotes.missing(member, slot) : List.of(reason.message());
            Plugin.Refusal refusal = missing.isEmpty() ? session.nodeVotes.refusal(member, slot) : null;
            missing.forEach(word -> told.merge(word, 1, Integer::sum));
            if (refusal != null) {
                told.merge(refusal.message(), 1, Integer::sum);
            }
        }
        return told;
    }
}
