package lavaflow.fairness;

import java.util.List;

/**
 * A request as it is told apart from others.
 *
 * @param namespace empty for what is in none
 * @param path of a request that is about no resource
 * @param seats how much of the server it takes, at least one
 */
public record FlowRequest(
        String user,
        List<String> groups,
        boolean resourceRequest,
        String verb,
        String group,
        String resource,
        String subresource,
        String namespace,
        String path,
        int seats) {}
