package lavaflow.gang;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is to be told to the API. */
public sealed interface Decision {
    /** A gang has another status than was told, at most one for each gang in a round. */
    record Status(Gang gang, GroupStatus status) implements Decision {}

    /**
     * A pod goes to a node.
     *
     * @param annotations what is written on it before; mostly empty
     */
    record Bind(Member member, String node, ObjectNode annotations) implements Decision {}

    /** A pod has to go. */
    record Evict(Member member, String why) implements Decision {}

    /**
     * A pod gets no node now: its condition PodScheduled is false. Told when the reason is another one than before; of pods that are refused
     * for the same thing only the first is told again when just the words change.
     *
     * @param reason Schedulable where only the rest of its gang keeps it waiting, else Unschedulable
     * @param node where others have to go first; empty if nowhere
     */
    record Wait(Member member, String reason, String message, String node) implements Decision {}

    /** A gang was not let into its queue, which is worth an event on it; told when the words change. */
    record Refuse(Gang gang, String message) implements Decision {}
}
