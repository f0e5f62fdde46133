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

    /**
     * What a pod's secrets say.
     *
     * @param missing names of those that are not there
     */
    record Found(List<Credential> credentials, List<String> missing) {
        /** What is told of the missing ones; empty where there are none. */
        String complaint() {
            return missing.isEmpty()
                    ? ""
                    : "Unable to retrieve some image pull secrets (" + String.join(", ", missing)
                            + "); attempting to pull the image may not succeed.";
        }
    }

    static Found of(PodView pod, Environment.Objects objects) {
        List<Credential> credentials = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (JsonNode reference : Json.listAt(pod.object(), "spec", "imagePullSecrets")) {
            String name = Json.textAt(reference, "name");
            if (name.isEmpty()) {
                continue;
            }
            objects.secret(pod.namespace(), name)
                    .ifPresentOrElse(secret -> credentials.addAll(of(secret)), () -> missing.add(name));
        }
        return new Found(credentials, missing);
    }

    static List<Credential> of(ObjectNode secret) {
        String current = Json.textAt(secret, "data", ".dockerconfigjson");
        String old = Json.textAt(secret, "data", ".dockercfg");
        try {
            if (!current.isEmpty()) {
                return named(secret, DockerConfig.parse(Base64.getDecoder().decode(current)));
            }
            return old.isEmpty()
                    ? List.of()
                    : named(secret, DockerConfig.parseLegacy(Base64.getDecoder().decode(old)));
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }

    /** A secret that is made anew under the same name is another one. */
    private static List<Credential> named(ObjectNode secret, List<Credential> credentials) {
        String uid = Json.textAt(secret, "metadata", "uid");
        if (uid.isEmpty()) {
            return credentials;
        }
        String source = Json.textAt(secret, "metadata", "namespace") + "/" + Json.textAt(secret, "metadata", "name")
                + "/" + uid;
        return credentials.stream().map(credential -> credential.from(source)).toList();
    }
}
