package lavaflow.access;

import java.util.List;
import java.util.function.Supplier;

import lavaflow.kube.FieldSelector;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.store.Store;

import org.jspecify.annotations.Nullable;

/** What nodes may: what they need for themselves and for the pods on them, and nothing of their neighbours. */
public final class NodeAuthorizer implements Authorizer {
    private static final List<String> READ = List.of("get", "list", "watch");

    private final NodeObjects objects;
    private final Supplier<List<Rule>> rules;

    public NodeAuthorizer(Store store) {
        this.objects = new NodeObjects(store);
        this.rules = new Supplier<>() {
            private @Nullable List<Rule> read;

            @Override
            public synchronized List<Rule> get() {
                List<Rule> known = read;
                if (known == null) {
                    known = nodeRules();
                    read = known;
                }
                return known;
            }
        };
    }

    private static List<Rule> nodeRules() {
        return BootstrapRoles.all().stream()
                .filter(role -> Json.textAt(role, "kind").equals("ClusterRole")
                        && Json.textAt(role, "metadata", "name").equals("system:node"))
                .findFirst()
                .map(Rule::of)
                .orElseThrow();
    }

    @Override
    public Decision decide(User user, Attributes attributes) {
        String node = NodeIdentity.of(user);
        if (node == null) {
            return NO_OPINION;
        }
        if (!attributes.resourceRequest()) {
            return byRules(attributes);
        }
        String resource =
                attributes.group().isEmpty() ? attributes.resource() : attributes.resource() + "." + attributes.group();
        return switch (resource) {
            case "secrets", "configmaps" -> readNamespaced(node, attributes);
            case "persistentvolumeclaims" ->
                attributes.subresource().equals("status") ? claimStatus(node, attributes) : get(node, attributes);
            case "persistentvolumes", "volumeattachments.storage.k8s.io", "resourceclaims.resource.k8s.io" ->
                get(node, attributes);
            case "serviceaccounts" ->
                attributes.subresource().equals("token") ? createToken(node, attributes) : get(node, attributes);
            case "leases.coordination.k8s.io" -> lease(node, attributes);
            case "csinodes.storage.k8s.io" -> csiNode(node, attributes);
            case "resourceslices.resource.k8s.io" -> slices(node, attributes);
            case "nodes" -> nodes(node, attributes);
            case "pods" -> pods(node, attributes);
            default -> byRules(attributes);
        };
    }

    private Decision byRules(Attributes attributes) {
        return rules.get().stream().anyMatch(rule -> rule.allows(attributes)) ? ALLOW : NO_OPINION;
    }

    private Decision related(String node, Attributes attributes) {
        boolean related = objects.related(node, attributes.resource(), attributes.namespace(), attributes.name());
        return related ? ALLOW : no("no relationship found between node '" + node + "' and this object");
    }

    private static Decision no(String reason) {
        return new NoOpinion(reason);
    }

    private Decision readNamespaced(String node, Attributes attributes) {
        if (!READ.contains(attributes.verb())) {
            return no("can only read resources of this type");
        }
        if (!attributes.subresource().isEmpty()) {
            return no("cannot read subresource");
        }
        if (attributes.namespace().isEmpty()) {
            return no("can only read namespaced object of this type");
        }
        return attributes.name().isEmpty() ? no("No Object name found") : related(node, attributes);
    }

    private Decision get(String node, Attributes attributes) {
        if (!attributes.verb().equals("get")) {
            return no("can only get individual resources of this type");
        }
        if (!attributes.subresource().isEmpty()) {
            return no("cannot get subresource");
        }
        return attributes.name().isEmpty() ? no("No Object name found") : related(node, attributes);
    }

    private Decision claimStatus(String node, Attributes attributes) {
        if (!List.of("update", "patch").contains(attributes.verb())) {
            return no("can only get/update/patch this type");
        }
        return attributes.name().isEmpty() ? no("No Object name found") : related(node, attributes);
    }

    private Decision createToken(String node, Attributes attributes) {
        boolean one = attributes.verb().equals("create") && !attributes.name().isEmpty();
        return one ? related(node, attributes) : no("can only create tokens for individual service accounts");
    }

    private Decision lease(String node, Attributes attributes) {
        if (!List.of("get", "create", "update", "patch", "delete").contains(attributes.verb())) {
            return no("can only get, create, update, patch, or delete a node lease");
        }
        if (!attributes.namespace().equals("kube-node-lease")) {
            return no("can only access leases in the \"kube-node-lease\" system namespace");
        }
        boolean own = attributes.verb().equals("create") || attributes.name().equals(node);
        return own ? ALLOW : no("can only access node lease with the same name as the requesting node");
    }

    private Decision csiNode(String node, Attributes attributes) {
        if (!List.of("get", "create", "update", "patch", "delete").contains(attributes.verb())) {
            return no("can only get, create, update, patch, or delete a CSINode");
        }
        if (!attributes.subresource().isEmpty()) {
            return no("cannot authorize CSINode subresources");
        }
        boolean own = attributes.verb().equals("create") || attributes.name().equals(node);
        return own ? ALLOW : no("can only access CSINode with the same name as the requesting node");
    }

    private Decision slices(String node, Attributes attributes) {
        if (!attributes.subresource().isEmpty()) {
            return no("cannot authorize ResourceSlice subresources");
        }
        return switch (attributes.verb()) {
            case "create" -> ALLOW;
            case "list", "watch", "deletecollection" ->
                selects(attributes, "spec.nodeName", node)
                        ? ALLOW
                        : no("can only list/watch/deletecollection resourceslices with nodeName field selector");
            case "get", "update", "patch", "delete" -> related(node, attributes);
            default ->
                no(
                        "only the following verbs are allowed for resourceslices: get, watch, list, create, update, patch, delete, deletecollection");
        };
    }

    private Decision nodes(String node, Attributes attributes) {
        switch (attributes.verb()) {
            case "get" -> {
                if (attributes.subresource().isEmpty() && !attributes.name().equals(node)) {
                    return no("node '" + node + "' cannot read '" + attributes.name() + "', only its own Node object");
                }
            }
            case "list", "watch" -> {
                boolean own = attributes.name().equals(node) || selects(attributes, "metadata.name", node);
                if (!own) {
                    return no("node '" + node + "' cannot read all nodes, only its own Node object");
                }
            }
            default -> {}
        }
        return byRules(attributes);
    }

    private Decision pods(String node, Attributes attributes) {
        if (!attributes.subresource().isEmpty()) {
            return byRules(attributes);
        }
        return switch (attributes.verb()) {
            case "get" -> related(node, attributes);
            case "list", "watch" ->
                selects(attributes, "spec.nodeName", node)
                        ? ALLOW
                        : no("can only list/watch pods with spec.nodeName field selector");
            default -> byRules(attributes);
        };
    }

    private static boolean selects(Attributes attributes, String field, String value) {
        if (attributes.fieldSelector().isEmpty()) {
            return false;
        }
        try {
            return FieldSelector.parse(attributes.fieldSelector())
                    .exactly(field)
                    .filter(value::equals)
                    .isPresent();
        } catch (MalformedException e) {
            return false;
        }
    }
}
