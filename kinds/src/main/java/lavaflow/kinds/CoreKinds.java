package lavaflow.kinds;

import java.util.Map;

/** Registers pods, nodes and what is made of pod templates in the core group. */
final class CoreKinds {
    private CoreKinds() {}

    static void register(Map<String, KindRules> rules) {
        rules.put("/pods", new PodRules());
        rules.put("/podtemplates", new StoredPodTemplateRules());
        rules.put("/replicationcontrollers", new ReplicationControllerRules());
        rules.put("/nodes", new NodeRules());
    }
}
