package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** rbac.authorization.k8s.io/v1 Role and ClusterRole. */
final class RoleRules implements KindRules {
    private final boolean cluster;

    RoleRules(boolean cluster) {
        this.cluster = cluster;
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.CREATE_ON_UPDATE);
    }

    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        return Names.PATH_SEGMENT.check(name, prefix);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        List<ObjectNode> rules = Nodes.objects(object, "rules");
        for (int i = 0; i < rules.size(); i++) {
            validateRule(rules.get(i), FieldPath.of("rules").index(i), errors);
        }
        if (cluster && Nodes.has(object, "aggregationRule")) {
            validateAggregation(object, FieldPath.of("aggregationRule", "clusterRoleSelectors"), errors);
        }
    }

    private void validateRule(ObjectNode rule, FieldPath path, FieldErrors errors) {
        if (Nodes.emptyAt(rule, "verbs")) {
            errors.required(path.child("verbs"), "verbs must contain at least one value");
        }
        if (!Nodes.emptyAt(rule, "nonResourceURLs")) {
            JsonNode urls = Json.at(rule, "nonResourceURLs");
            FieldPath urlsPath = path.child("nonResourceURLs");
            if (!cluster) {
                errors.invalid(urlsPath, urls, "namespaced rules cannot apply to non-resource URLs");
            }
            boolean resources = !Nodes.emptyAt(rule, "apiGroups")
                    || !Nodes.emptyAt(rule, "resources")
                    || !Nodes.emptyAt(rule, "resourceNames");
            if (resources) {
                errors.invalid(urlsPath, urls, "rules cannot apply to both regular resources and non-resource URLs");
            }
            return;
        }
        if (Nodes.emptyAt(rule, "apiGroups")) {
            errors.required(path.child("apiGroups"), "resource rules must supply at least one api group");
        }
        if (Nodes.emptyAt(rule, "resources")) {
            errors.required(path.child("resources"), "resource rules must supply at least one resource");
        }
    }

    private static void validateAggregation(ObjectNode object, FieldPath path, FieldErrors errors) {
        List<ObjectNode> selectors = Nodes.objects(object, "aggregationRule", "clusterRoleSelectors");
        if (selectors.isEmpty()) {
            errors.required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
        }
        for (int i = 0; i < selectors.size(); i++) {
            LabelSelectorRules.check(selectors.get(i), path.index(i), errors);
            if (WorkloadChecks.readable(selectors.get(i)) == null) {
                errors.invalid(path.index(i), (JsonNode) null, "invalid label selector.");
            }
        }
    }
}
