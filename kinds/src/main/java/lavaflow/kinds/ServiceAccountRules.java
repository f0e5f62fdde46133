package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Service accounts: references to secrets are names only. */
final class ServiceAccountRules implements KindRules {
    private static final String ENFORCE = "kubernetes.io/enforce-mountable-secrets";

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        bareSecretReferences(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        bareSecretReferences(object);
    }

    private static void bareSecretReferences(ObjectNode object) {
        if (Nodes.emptyAt(object, "secrets")) {
            return;
        }
        ArrayNode bare = Json.array();
        for (ObjectNode secret : Nodes.objects(object, "secrets")) {
            ObjectNode reference = bare.addObject();
            KindRules.keep(reference, secret, "name");
        }
        object.set("secrets", bare);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        boolean before = old != null && Nodes.has(old, "metadata", "annotations", ENFORCE);
        if (before || !Nodes.has(object, "metadata", "annotations", ENFORCE)) {
            return List.of();
        }
        return List.of("metadata.annotations[" + ENFORCE
                + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets");
    }
}
