package lavaflow.kinds;

import java.util.Map;

/** Registers apps, batch, autoscaling and policy. */
final class WorkloadKinds {
    private WorkloadKinds() {}

    static void register(Map<String, KindRules> rules) {}
}
