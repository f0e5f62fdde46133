package lavaflow.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Judges whether the expressions of a validating admission policy fit the kinds it matches. */
@FunctionalInterface
public interface PolicyTypeCheck {
    /** The entries of {@code status.typeChecking.expressionWarnings}; empty where everything fits. */
    ArrayNode warnings(ObjectNode policy);
}
