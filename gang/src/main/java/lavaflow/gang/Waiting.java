package lavaflow.gang;

import java.util.Map;
import java.util.TreeSet;

/** One thing that keeps a gang from running, at the stage where it stopped. */
public sealed interface Waiting {
    /** In a few words, upstream's where it has some. */
    String message();

    /** The same of another gang, which is like the one this was found for. */
    default Waiting of(Gang gang) {
        return this;
    }

    private static String first(Gang gang, String role) {
        for (Member member : gang.members()) {
            if (member.waits() && member.spec.role().equals(role)) {
                return member.spec.pod().name();
            }
        }
        return "";
    }

    /** There is no queue of the name it gives. */
    record NoQueue(String queue) implements Waiting {
        @Override
        public String message() {
            return "queue " + queue + " does not exist";
        }
    }

    /** Its queue takes nobody in. */
    record QueueNotOpen(String queue, String state) implements Waiting {
        @Override
        public String message() {
            return "queue " + queue + " is " + state + ", not Open";
        }
    }

    /** A plugin does not let it into its queue. */
    record NotLetIn(String plugin, String message) implements Waiting {}

    /** It could not run whatever there were room for. */
    record Invalid(String reason, String message) implements Waiting {}

    /** Its queue has all that it should have. */
    record Overused(String queue) implements Waiting {
        @Override
        public String message() {
            return "queue " + queue + " has all it deserves";
        }
    }

    /**
     * Its queue may not have as much as a pod asks for.
     *
     * @param role of the pods this is about, empty where they have none
     * @param pod the first of them
     */
    record BeyondAllowance(String queue, String resource, String role, String pod) implements Waiting {
        @Override
        public Waiting of(Gang gang) {
            return new BeyondAllowance(queue, resource, role, first(gang, role));
        }

        @Override
        public String message() {
            return "queue resource quota insufficient: insufficient " + resource;
        }
    }

    /**
     * No node takes a pod.
     *
     * @param role of the pods this is about, empty where they have none
     * @param pod the first of them
     * @param nodes how many there are
     * @param reasons how many nodes refuse it for what
     */
    record NoNode(String role, String pod, int nodes, Map<String, Integer> reasons) implements Waiting {
        @Override
        public Waiting of(Gang gang) {
            return new NoNode(role, first(gang, role), nodes, reasons);
        }

        @Override
        public String message() {
            TreeSet<String> told = new TreeSet<>();
            reasons.forEach((reason, count) -> told.add(count + " " + reason));
            return told.isEmpty()
                    ? "0/" + nodes + " nodes are unavailable"
                    : "0/" + nodes + " nodes are unavailable: " + String.join(", ", told) + ".";
        }
    }

    /**
     * No part of the network that is close enough has room for it.
     *
     * @param tier the highest that would do
     * @param tried how many parts had a chance
     */
    record NoDomain(int tier, int tried) implements Waiting {
        @Override
        public String message() {
            return "no HyperNode up to tier " + tier + " has room for it, " + tried + " were tried";
        }
    }

    /** The parts of the network contradict each other. */
    record NetworkUnclear() implements Waiting {
        @Override
        public String message() {
            return "HyperNodes are not a tree: one is part of itself or of several";
        }
    }

    /** Nothing helps a pod whatever nodes there are. */
    record Hopeless(String role, String pod, String message) implements Waiting {
        @Override
        public Waiting of(Gang gang) {
            return new Hopeless(role, first(gang, role), message);
        }
    }

    /** Enough pods have a node, where others have to go first. */
    record OthersToGo(int pods) implements Waiting {
        @Override
        public String message() {
            return pods + " pods wait for others to leave their nodes";
        }
    }
}
