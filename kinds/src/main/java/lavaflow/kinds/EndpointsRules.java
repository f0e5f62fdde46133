package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Endpoints, the older form of endpoint slices. */
final class EndpointsRules implements KindRules {
    private static final String MANAGED_BY = "endpoints.kubernetes.io/managed-by";

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.CREATE_ON_UPDATE);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        for (ObjectNode subset : Nodes.objects(object, "subsets")) {
            for (ObjectNode port : Nodes.objects(subset, "ports")) {
                Nodes.defaultText(port, "protocol", "TCP");
            }
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        // Nothing is the server's to decide.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        // Nothing is the server's to decide.
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        EndpointsValidation.subsets(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        // What an older server let in may stay.
        if (!Objects.equals(Json.at(object, "subsets"), Json.at(old, "subsets"))) {
            EndpointsValidation.subsets(object, errors);
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        if (Json.textAt(object, "metadata", "labels", MANAGED_BY).equals("endpoints-controller")) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>();
        List<ObjectNode> subsets = Nodes.objects(object, "subsets");
        for (int i = 0; i < subsets.size(); i++) {
            for (String field : new String[] {"addresses", "notReadyAddresses"}) {
                List<ObjectNode> addresses = Nodes.objects(subsets.get(i), field);
                for (int j = 0; j < addresses.size(); j++) {
                    FieldPath path =
                            FieldPath.of("subsets").index(i).child(field).index(j);
                    AddressRules.warnOfIp(path.child("ip"), Json.textAt(addresses.get(j), "ip"), warnings);
                }
            }
        }
        return warnings;
    }

    @Override
    public String deprecation() {
        return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
    }
}
