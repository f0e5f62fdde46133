package lavaflow.controller;

import java.util.List;

import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What became of a {@link Plan}.
 *
 * @param done in the order of the plan
 * @param refused in the order of the plan
 * @param left how many steps were not tried any more
 */
public record Outcome(List<Done> done, List<Refused> refused, int left) {
    /**
     * A step that was done.
     *
     * @param answer the object as the server has it now; null for deletions
     */
    public record Done(Step step, @Nullable ObjectNode answer) {}

    /** A step the server refused. */
    public record Refused(Step step, ApiException why) {}

    public boolean isComplete() {
        return refused.isEmpty();
    }

    /** Fails as the first step that was refused did. */
    public void orThrow() {
        if (!refused.isEmpty()) {
            throw refused.getFirst().why();
        }
    }
}
