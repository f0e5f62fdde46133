package lavaflow.explain;

import java.util.List;
import java.util.Map;

/** One thing that was found at a stage. */
public sealed interface Finding {
    /** In a sentence without a full stop. */
    String message();

    /** The same for somebody who must not know what others' jobs are called. */
    static Finding seenFrom(String namespace, Finding finding) {
        return switch (finding) {
            case Bystander other ->
                new Bystander(
                        Explanation.seenFrom(namespace, other.podGroup, "job"),
                        other.queue,
                        other.priority,
                        other.pods,
                        other.action,
                        other.spared,
                        other.plugin);
            case KeptFor kept ->
                new KeptFor(
                        Explanation.seenFrom(namespace, kept.podGroup, "job"),
                        kept.pods,
                        kept.nodes,
                        kept.amounts,
                        kept.seconds);
            default -> finding;
        };
    }

    record QueueMissing(String queue) implements Finding {
        @Override
        public String message() {
            return "queue " + queue + " does not exist";
        }
    }

    record QueueNotOpen(String queue, String state) implements Finding {
        @Override
        public String message() {
            return "queue " + queue + " is " + state + " and takes nobody";
        }
    }

    /** A plugin does not let it in, in that plugin's words. */
    record NotLetIn(String plugin, String said) implements Finding {
        @Override
        public String message() {
            return "plugin " + plugin + ": " + (said.isEmpty() ? "not let in" : said);
        }
    }

    /**
     * Of a resource there is too little to let it in.
     *
     * @param total what all nodes have
     * @param used what pods have of it
     * @param promised what others were let in for and do not have yet
     */
    record TooLittle(String resource, long asked, long total, long used, long promised) implements Finding {
        long free() {
            return Math.max(0, total - used - promised);
        }

        long missing() {
            return asked - free();
        }

        @Override
        public String message() {
            return "it asks for " + Amount.of(resource, asked) + ", nodes have " + Amount.number(resource, total) + ", "
                    + Amount.number(resource, free()) + " of it free: " + Amount.number(resource, missing())
                    + " missing";
        }
    }

    /**
     * A queue may not have as much as it asks for.
     *
     * @param queue its own, or one above that
     * @param allocated what that queue has of the resource, and gangs were let in for
     * @param limit what it may have of it; -1 if that is not a number
     */
    record EntranceLimit(String queue, String resource, long asked, long allocated, long limit) implements Finding {
        @Override
        public String message() {
            return "it asks for " + Amount.of(resource, asked) + ", and queue " + queue + " has or is about to have "
                    + Amount.number(resource, allocated) + (limit < 0 ? "" : " of " + Amount.number(resource, limit));
        }
    }

    /** It has too few pods, in the words of the plugin that counts them. */
    record TooFewPods(String reason, String said, int missing) implements Finding {
        @Override
        public String message() {
            return said + (missing > 0 ? ": " + missing + " more must be made" : "");
        }
    }

    /** Pods that may not be given a node yet. */
    record Gated(int pods) implements Finding {
        @Override
        public String message() {
            return Amount.count(pods, "pod") + " must not be scheduled yet: schedulingGates are set";
        }
    }

    /** A queue has all that it should have. */
    record ShareUsedUp(String queue, Map<String, Long> allocated, Map<String, Long> deserved) implements Finding {
        @Override
        public String message() {
            return "queue " + queue + " has all it deserves: " + Amount.list(allocated) + " of "
                    + Amount.list(deserved);
        }
    }

    /**
     * A queue may not have as much as pods ask for.
     *
     * @param queue that of the pods, or one above it; empty for the cluster
     * @param allowed how many of the pods it may have
     * @param allocated what it has of the resource
     * @param kept what else is guaranteed to others
     * @param limit what it may have of it; -1 if that is not a number
     */
    record BeyondLimit(
            String queue,
            String resource,
            String role,
            int pods,
            int allowed,
            long each,
            long allocated,
            long kept,
            long limit)
            implements Finding {
        @Override
        public String message() {
            String whose = (queue.isEmpty() ? "the cluster" : "queue " + queue) + " has "
                    + Amount.of(resource, allocated)
                    + (limit < 0 ? "" : " and may have " + Amount.number(resource, limit))
                    + (kept == 0 ? "" : ", " + Amount.number(resource, kept) + " of it is guaranteed to others");
            return whose + ": enough for " + allowed + " of " + Amount.pods(pods, role)
                    + (pods == 1 ? " that asks for " : " that ask for ")
                    + Amount.number(resource, each) + " each";
        }
    }

    /** Nodes that refuse for the same; some of them by name. */
    record NodeReason(String reason, int nodes, List<String> examples, boolean preemptionHelps) {}

    /**
     * Pods that no node takes.
     *
     * @param pods how many wait
     * @param fitting how many of them find a node
     * @param first the first of them by name
     * @param request of each
     * @param missing what nodes that would take them lack for all of them
     */
    record NoNode(
            String role,
            int pods,
            int fitting,
            String first,
            Map<String, Long> request,
            int nodes,
            List<NodeReason> reasons,
            Map<String, Long> missing)
            implements Finding {
        @Override
        public String message() {
            String lack = missing.isEmpty() ? "" : ": missing " + Amount.list(missing);
            if (pods == 1) {
                return "its " + (role.isEmpty() ? "" : role + " ") + "pod asks for " + Amount.list(request)
                        + " and fits on no node" + lack;
            }
            return (pods - fitting) + " of " + Amount.pods(pods, role) + " that ask for " + Amount.list(request)
                    + " each fit on no node" + lack;
        }
    }

    /**
     * Room is free that nobody else is given, because pods of a running gang died there and are about to come back.
     *
     * @param podGroup by namespace and name
     * @param pods how many died
     * @param seconds until others may have it if they do not come back
     */
    record KeptFor(String podGroup, int pods, List<String> nodes, Map<String, Long> amounts, long seconds)
            implements Finding {
        @Override
        public String message() {
            return Amount.list(amounts) + " on " + String.join(", ", nodes) + " is kept for "
                    + Explanation.job(podGroup) + ", where " + Amount.count(pods, "pod") + " died, for "
                    + Amount.count((int) seconds, "second") + " at most";
        }
    }

    /**
     * Nothing helps pods whatever nodes there are.
     *
     * @param role of all of them; empty if they have none, or several
     * @param pods how many there are
     * @param examples the names of the first
     */
    record Hopeless(String role, int pods, List<String> examples, String said) implements Finding {
        @Override
        public String message() {
            if (pods == 1) {
                return "pod " + examples.getFirst() + ": " + said;
            }
            int more = pods - examples.size();
            return Amount.pods(pods, role) + " (" + String.join(", ", examples)
                    + (more > 0 ? " and " + more + " more" : "") + "): " + said;
        }
    }

    /** It does not fit into the network. */
    record NoDomain(String said) implements Finding {
        @Override
        public String message() {
            return said;
        }
    }

    /** It waits, in the words of who decided so. */
    record Said(String said) implements Finding {
        @Override
        public String message() {
            return said;
        }
    }

    /** It takes nobody's place. */
    record NoPreemption(String said) implements Finding {
        @Override
        public String message() {
            return said;
        }
    }

    /**
     * Pods whose place it could use.
     *
     * @param podGroup by namespace and name; empty for pods of none
     * @param action that was to have them go; empty if none
     * @param spared why they stay; empty if they might go but that is not enough
     * @param plugin who spares them; empty if it is no plugin
     */
    record Bystander(String podGroup, String queue, int priority, int pods, String action, String spared, String plugin)
            implements Finding {
        @Override
        public String message() {
            String whose = Amount.count(pods, "pod") + (podGroup.isEmpty() ? "" : " of " + Explanation.job(podGroup));
            if (!plugin.isEmpty()) {
                return whose + ": spared by plugin " + plugin + why();
            }
            return whose + ": "
                    + (spared.isEmpty() ? "may have to go (" + action + "), but that is not enough" : spared);
        }

        private String why() {
            return switch (plugin) {
                case "priority" -> ", they are not less important";
                case "gang" -> ", their gang needs every one of them";
                case "conformance" -> ", they are critical for the cluster";
                case "pdb" -> ", a PodDisruptionBudget keeps them";
                case "cdp" -> ", they are too young";
                case "proportion", "capacity" -> ", their queue has no more than it deserves";
                case "drf" -> ", their gang would have less than the one that waits";
                default -> "";
            };
        }
    }
}
