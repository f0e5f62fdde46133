package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a pod that has entries for ResourceClaims, or one that the scheduler made for what its containers ask for.
 *
 * @param claims the names of those that are known
 * @param templates what the others are made of
 * @param done none of its containers runs, or ever will
 */
record DeviceUser(
        String namespace,
        String name,
        String uid,
        List<String> claims,
        List<String> templates,
        boolean done,
        boolean deleting,
        boolean placed) {
    /**
     * Which claim an entry of a pod stands for.
     *
     * @param name null while it is not known, and where it turned out that none is needed
     * @param made from a template, so that the pod has to own it
     */
    record Entry(
            String name, @Nullable String claim, @Nullable String template, boolean made, boolean needless) {
        static Entry of(ObjectNode pod, JsonNode entry) {
            String name = Json.textAt(entry, "name");
            JsonNode given = Json.at(entry, "resourceClaimName");
            if (given != null) {
                return new Entry(name, given.asText(), null, false, false);
            }
            String template = Json.textAt(entry, "resourceClaimTemplateName");
            for (JsonNode status : Json.listAt(pod, "status", "resourceClaimStatuses")) {
                if (Json.textAt(status, "name").equals(name)) {
                    JsonNode claim = Json.at(status, "resourceClaimName");
                    return new Entry(name, claim == null ? null : claim.asText(), template, true, claim == null);
                }
            }
            return new Entry(name, null, template, true, false);
        }
    }

    static List<Entry> entries(ObjectNode pod) {
        List<Entry> entries = new ArrayList<>(0);
        Json.listAt(pod, "spec", "resourceClaims").forEach(entry -> entries.add(Entry.of(pod, entry)));
        return entries;
    }

    static boolean isDone(ObjectNode pod) {
        String phase = Json.textAt(pod, "status", "phase");
        return phase.equals("Succeeded")
                || phase.equals("Failed")
                || (Objects.isDeleting(pod)
                        && Json.textAt(pod, "spec", "nodeName").isEmpty());
    }

    /** Null for the many that have none. */
    static @Nullable DeviceUser of(ObjectNode pod) {
        String extended = Json.textAt(pod, "status", "extendedResourceClaimStatus", "resourceClaimName");
        if (Json.listAt(pod, "spec", "resourceClaims").isEmpty() && extended.isEmpty()) {
            return null;
        }
        List<String> claims = new ArrayList<>();
        if (!extended.isEmpty()) {
            claims.add(extended);
        }
        List<String> templates = new ArrayList<>();
        for (Entry entry : entries(pod)) {
            if (entry.claim() != null) {
                claims.add(entry.claim());
            }
            if (entry.template() != null) {
                templates.add(entry.template());
            }
        }
        return new DeviceUser(
                Objects.namespace(pod),
                Objects.name(pod),
                Objects.uid(pod),
                List.copyOf(claims),
                List.copyOf(templates),
                isDone(pod),
                Objects.isDeleting(pod),
                !Json.textAt(pod, "spec", "nodeName").isEmpty());
    }

    List<String> words() {
        List<String> words = new ArrayList<>();
        claims.forEach(claim -> words.add(ofClaim(namespace, claim)));
        templates.forEach(template -> words.add(ofTemplate(namespace, template)));
        return words;
    }

    static String ofClaim(String namespace, String name) {
        return "claim " + namespace + "/" + name;
    }

    static String ofTemplate(String namespace, String name) {
        return "template " + namespace + "/" + name;
    }
}
