package lavaflow.apiserver;

import java.util.Optional;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Knows why things wait; called by many threads. Fails with an ApiException while it knows nothing yet. */
public interface Explanations {
    /**
     * Why a PodGroup waits; empty if there is none.
     *
     * @param all whether other namespaces may be named
     */
    Optional<ObjectNode> ofGroup(String namespace, String name, boolean all);

    /** Who waits in a queue, and why; empty if there is none. */
    Optional<ObjectNode> ofQueue(String name);
}
