package lavaflow.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Two served versions of the same objects: one is stored, the other is converted at the edge.
 *
 * <p>Only events (core/v1 and events.k8s.io/v1) and autoscalers (v1 and v2) need it.
 */
public interface VersionBridge {
    /** The stored form of an object a client sent in the other version; apiVersion included. */
    ObjectNode toStored(ObjectNode object);

    /** The other version's form of a stored object; apiVersion included. */
    ObjectNode fromStored(ObjectNode stored);
}
