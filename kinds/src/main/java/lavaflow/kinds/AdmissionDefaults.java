package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Defaults that webhooks and admission policies share. */
final class AdmissionDefaults {
    private AdmissionDefaults() {}

    /** Which objects match: by default all, in any version. */
    static void applyMatch(ObjectNode match) {
        Nodes.defaultValue(match, "matchPolicy", Json.text("Equivalent"));
        for (String selector : new String[] {"namespaceSelector", "objectSelector"}) {
            Nodes.defaultValue(match, selector, Json.object());
        }
        for (String rules : new String[] {"rules", "resourceRules", "excludeResourceRules"}) {
            for (ObjectNode rule : Nodes.objects(match, rules)) {
                Nodes.defaultValue(rule, "scope", Json.text("*"));
            }
        }
    }

    static void applyService(@Nullable ObjectNode service) {
        if (service != null) {
            Nodes.defaultValue(service, "port", Json.number(443));
        }
    }
}
