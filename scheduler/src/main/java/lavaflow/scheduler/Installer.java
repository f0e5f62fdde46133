package lavaflow.scheduler;

import java.util.Map;
import java.util.Set;

import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the objects of files into a cluster and renews those it has put there itself, which an annotation tells: what others have
 * installed, or have taken the annotation from, stays as it is.
 */
final class Installer {
    static final String INSTALLED = "lavaflow.io/installed";

    private static final Logger LOG = LoggerFactory.getLogger(Installer.class);
    private static final Set<String> IDENTITY = Set.of("apiVersion", "kind", "metadata");

    private final KubeApi api;
    private boolean hasWritten;

    Installer(KubeApi api) {
        this.api = api;
    }

    /** Whether anything was missing or old. */
    boolean hasWritten() {
        return hasWritten;
    }

    void ensure(KubeApi.Kind kind, DefinitionFiles files, String name) {
        ObjectNode present = api.find(kind, "", name).orElse(null);
        if (present == null) {
            create(kind, marked(files, name));
            return;
        }
        String mark = Json.textAt(present, "metadata", "annotations", INSTALLED);
        if (!mark.isEmpty() && !mark.equals(files.fingerprint(name))) {
            renew(kind, present.deepCopy(), marked(files, name));
        }
    }

    private static ObjectNode marked(DefinitionFiles files, String name) {
        ObjectNode object = files.read(name);
        Json.ensureObject(object, "metadata", "annotations").put(INSTALLED, files.fingerprint(name));
        return object;
    }

    void create(KubeApi.Kind kind, ObjectNode object) {
        try {
            api.create(kind, "", object);
            hasWritten = true;
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
            // Another one was quicker.
        }
    }

    /** An object that cannot be renewed goes on as it was: the cluster has lived with it. */
    private void renew(KubeApi.Kind kind, ObjectNode present, ObjectNode wanted) {
        for (Map.Entry<String, JsonNode> field : wanted.properties()) {
            if (!IDENTITY.contains(field.getKey())) {
                present.set(field.getKey(), field.getValue());
            }
        }
        Json.ensureObject(present, "metadata", "annotations")
                .put(INSTALLED, Json.textAt(wanted, "metadata", "annotations", INSTALLED));
        try {
            api.update(kind, "", present);
            hasWritten = true;
        } catch (ApiException e) {
            LOG.warn("{} {} stays as an older version made it: {}", kind.resource(), name(wanted), e.getMessage());
        }
    }

    private static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }
}
