package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.gang.Amounts;
import lavaflow.gang.Plugin.Limit;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;

import org.jspecify.annotations.Nullable;

/**
 * Queues with what they may have and should have, below each other or all side by side. Made anew for each round; what queues have is
 * kept up to date for those above them, too.
 */
final class QueueTree {
    private static final String ROOT = "root";

    /** A queue in the tree. */
    static final class Node {
        final String name;
        final @Nullable Queue queue;
        final @Nullable Node parent;
        final int depth;
        final List<Node> children = new ArrayList<>();
        /** Of these, the ones that keep something also while they do not need it. */
        private final List<Node> guaranteed = new ArrayList<>();

        final Amounts allocated = Amounts.none();
        final Amounts inqueue = Amounts.none();
        final Amounts elastic = Amounts.none();
        Amounts guarantee = Amounts.none();
        Amounts deserved = Amounts.none();
        private Amounts capability = Amounts.unlimited();
        /** The most it may have, with what others must not be denied left out. */
        Amounts limit = Amounts.unlimited();

        private Node(String name, @Nullable Queue queue, @Nullable Node parent) {
            this.name = name;
            this.queue = queue;
            this.parent = parent;
            this.depth = parent == null ? 0 : parent.depth + 1;
            if (queue != null) {
                guarantee = queue.guarantee().copy();
                deserved = queue.deserved().copy();
                capability = queue.capability().copy();
            }
        }

        boolean isLeaf() {
            return children.isEmpty();
        }

        /** Whether there is a limit other than what the cluster has. */
        boolean isLimited() {
            return parent != null || capability.size() > 0;
        }

        boolean hasDeserved() {
            return !deserved.isEmpty();
        }

        /** How much of what it should have it has; all of it where it should have nothing. */
        double share() {
            double share = 0;
            boolean counts = false;
            for (int column = 0; column < deserved.size(); column++) {
                if (!deserved.lacks(column)) {
                    counts = true;
                    share = Math.max(share, allocated.get(column) / deserved.get(column));
                }
            }
            return counts ? share : 1;
        }

        /** The one of its line at some depth; null if it is above that. */
        @Nullable
        Node at(int wanted) {
            Node node = this;
            while (node != null && node.depth > wanted) {
                node = node.parent;
            }
            return node != null && node.depth == wanted ? node : null;
        }

        boolean isBelowOrSame(Node other) {
            return at(other.depth) == other;
        }

        /** What it has; where somebody wants to be let in also what others were let in for, less what gangs have beyond that. */
        Amounts has(boolean entering) {
            return entering ? allocated.copy().add(inqueue).subtract(elastic) : allocated;
        }

        /** Whether its own capability is its limit, not that of a queue above it or what others are guaranteed. */
        private boolean limitsItself(int column) {
            return queue != null && queue.capability().get(column) <= limit.get(column);
        }

        /** The limit in the way of more; the lowest that a queue has of its own, else the highest. */
        @Nullable
        Limit inTheWay(Amounts wanted, boolean entering, int ignored) {
            Limit highest = null;
            for (Node node = this; node != null; node = node.parent) {
                Amounts has = node.has(entering);
                int column = entering || node.isLimited() ? has.firstBeyondWith(wanted, node.limit, ignored) : -1;
                if (column >= 0) {
                    highest = new Limit(node.name, column, has.get(column), 0, node.limit.get(column));
                    if (node.limitsItself(column)) {
                        return highest;
                    }
                } else if (!entering && node.parent != null) {
                    Limit kept = node.parent.keptFrom(node, wanted, ignored);
                    highest = kept == null ? highest : kept;
                }
            }
            return highest;
        }

        /** What it may have, in the way of one below because of what others below are guaranteed. */
        private @Nullable Limit keptFrom(Node child, Amounts wanted, int ignored) {
            int column = beyondFor(child, wanted, ignored);
            if (column < 0) {
                return null;
            }
            double has = allocated.get(column);
            return new Limit(name, column, has, taken(child).get(column) - has, limit.get(column));
        }

        /** A column that somebody below would be beyond with more, also because of what its siblings are guaranteed; -1 if none is. */
        int beyondFor(Node child, Amounts wanted, int ignored) {
            return keepsForOthers(child) ? taken(child).firstBeyondWith(wanted, limit, ignored) : -1;
        }

        /** How often somebody below may have something, at most so many times as wanted. */
        int timesFor(Node child, Amounts asked, int ignored, int wanted) {
            return keepsForOthers(child) ? taken(child).timesWithin(asked, limit, ignored, wanted) : wanted;
        }

        private boolean keepsForOthers(Node child) {
            return guaranteed.size() > 1 || (guaranteed.size() == 1 && !guaranteed.contains(child));
        }

        /** What is had, and what others than one below are guaranteed. */
        private Amounts taken(Node child) {
            Amounts taken = allocated.copy();
            for (Node each : guaranteed) {
                if (each != child) {
                    taken.add(each.guarantee.copy().subtract(each.allocated).raise(Amounts.none()));
                }
            }
            return taken;
        }

        private void count(Queue own) {
            for (Node node = this; node != null; node = node.parent) {
                node.allocated.add(own.claimed());
                node.inqueue.add(own.inqueue());
                node.elastic.add(own.elastic());
            }
        }

        /** Works out what may be had from above to below. */
        private void settle(Amounts available) {
            limit = available.copy().cap(capability);
            deserved = deserved.cap(limit).raise(guarantee);
            Amounts kept = Amounts.none();
            for (Node child : children) {
                kept.add(child.guarantee);
                if (!child.guarantee.isEmpty()) {
                    guaranteed.add(child);
                }
            }
            Amounts lendable = limit.copy().subtract(kept).raise(Amounts.none());
            children.forEach(child -> child.settle(lendable.copy().add(child.guarantee)));
        }
    }

    private final Map<Queue, Node> nodes = new LinkedHashMap<>();
    private final boolean hierarchical;

    private QueueTree(boolean hierarchical) {
        this.hierarchical = hierarchical;
    }

    /** All queues side by side. */
    static QueueTree flat(Session session) {
        QueueTree tree = new QueueTree(false);
        Node top = new Node("", null, null);
        session.queues().forEach(queue -> tree.put(queue.spec().name(), queue, top));
        top.settle(session.total());
        return tree;
    }

    /** Queues below those they name; those that lead nowhere are left out. */
    static QueueTree hierarchical(Session session) {
        QueueTree tree = new QueueTree(true);
        Map<String, List<Queue>> below = new HashMap<>();
        Queue root = null;
        for (Queue queue : session.queues()) {
            if (queue.spec().name().equals(ROOT)) {
                root = queue;
            } else {
                String parent = queue.spec().parent();
                below.computeIfAbsent(parent.isEmpty() ? ROOT : parent, _ -> new ArrayList<>())
                        .add(queue);
            }
        }
        Node top = new Node(ROOT, root, null);
        if (root != null) {
            tree.nodes.put(root, top);
            top.count(root);
        }
        tree.grow(top, below, new HashSet<>());
        top.guarantee = Amounts.none();
        top.deserved = Amounts.none();
        top.children.forEach(child -> {
            top.guarantee.add(child.guarantee);
            top.deserved.add(child.deserved);
        });
        top.settle(session.total());
        return tree;
    }

    private void grow(Node parent, Map<String, List<Queue>> below, Set<String> seen) {
        if (seen.add(parent.name)) {
            for (Queue queue : below.getOrDefault(parent.name, List.of())) {
                grow(put(queue.spec().name(), queue, parent), below, seen);
            }
        }
    }

    private Node put(String name, Queue queue, Node parent) {
        Node node = new Node(name, queue, parent);
        // What a queue does not limit the one above it does.
        node.capability.cap(parent.capability);
        parent.children.add(node);
        nodes.put(queue, node);
        node.count(queue);
        return node;
    }

    /** Null for a queue that is nowhere in the tree. */
    @Nullable
    Node find(@Nullable Queue queue) {
        return queue == null ? null : nodes.get(queue);
    }

    /** Whether gangs of a queue may be placed: it is in the tree, and nothing is below it. */
    boolean takesGangs(@Nullable Queue queue) {
        Node node = find(queue);
        return node != null && (!hierarchical || node.isLeaf());
    }

    /** Something of a queue changes, and so of all above it. */
    void change(@Nullable Queue queue, Amounts amounts, int sign) {
        for (Node node = find(queue); node != null; node = node.parent) {
            node.allocated.add(amounts, sign);
        }
    }

    /** A gang was let in for something. */
    void letIn(@Nullable Queue queue, Amounts amounts) {
        for (Node node = find(queue); node != null; node = node.parent) {
            node.inqueue.add(amounts);
        }
    }

    /** The lowest that both are below. */
    static Node common(Node one, Node other) {
        Node node = one;
        while (!other.isBelowOrSame(node)) {
            Node parent = node.parent;
            if (parent == null) {
                return node;
            }
            node = parent;
        }
        return node;
    }
}
