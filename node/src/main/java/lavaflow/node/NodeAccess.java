package lavaflow.node;

import lavaflow.controller.KubeApi;

/** The API as a node sees it: each writes as itself where the server can tell them apart. */
@FunctionalInterface
public interface NodeAccess {
    KubeApi as(String node);
}
