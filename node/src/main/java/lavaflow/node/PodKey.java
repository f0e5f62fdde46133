package lavaflow.node;

/** One pod on one node. */
record PodKey(String namespace, String name, String node) {}
