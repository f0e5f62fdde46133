package lavaflow.kubelet;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import lavaflow.image.Credential;
import lavaflow.image.DockerConfig;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Reads who may pull images from secrets. What cannot be read is left out, as upstream does. */
final class PullSecrets {
    private PullSecrets() {}

    static List<Credential> of(PodView pod, Environment.Objects objects) {
        List<Credential> credentials = new ArrayList<>();
        for (JsonNode reference : Json.listAt(pod.object(), "spec", "imagePullSecrets")) {
            objects.secret(pod.namespace(), Json.textAt(reference, "name"))
                    .ifPresent(secret -> credentials.addAll(of(secret)));
        }
        return credentials;
    }

    static List<Credential> of(ObjectNode secret) {
        String current = Json.textAt(secret, "data", ".dockerconfigjson");
        String old = Json.textAt(secret, "data", ".dockercfg");
        try {
            if (!current.isEmpty()) {
                return DockerConfig.parse(Base64.getDecoder().decode(current));
            }
            return old.isEmpty()
                    ? List.of()
                    : DockerConfig.parseLegacy(Base64.getDecoder().decode(old));
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }
}
