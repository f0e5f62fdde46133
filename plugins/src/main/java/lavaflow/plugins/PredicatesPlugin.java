package lavaflow.plugins;

import lavaflow.gang.Arguments;
import lavaflow.gang.Plugin;
import lavaflow.placement.Rules;

/** Has nodes refuse pods by kube-scheduler's rules; without it only room counts. */
final class PredicatesPlugin implements Plugin, Plugin.Predicates {
    private final Rules rules;

    PredicatesPlugin(Arguments arguments) {
        this.rules = new Rules(
                arguments.flag("predicate.NodeAffinityEnable", true),
                arguments.flag("predicate.NodePortsEnable", true),
                arguments.flag("predicate.TaintTolerationEnable", true),
                arguments.flag("predicate.PodAffinityEnable", true),
                arguments.flag("predicate.NodeVolumeLimitsEnable", true),
                arguments.flag("predicate.VolumeZoneEnable", true),
                arguments.flag("predicate.PodTopologySpreadEnable", true),
                arguments.flag("predicate.VolumeBindingEnable", true));
    }

    @Override
    public Rules rules() {
        return rules;
    }
}
