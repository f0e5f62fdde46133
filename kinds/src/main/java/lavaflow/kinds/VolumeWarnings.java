package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Warnings about volumes: sources that no longer work and files that hide each other. */
final class VolumeWarnings {
    /** By source; the path upstream prints differs for one. */
    private static final Map<String, String> DEPRECATED = new LinkedHashMap<>();

    static {
        DEPRECATED.put("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+");
        DEPRECATED.put("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+");
        DEPRECATED.put("scaleIO", "deprecated in v1.16, non-functional in v1.22+");
        DEPRECATED.put("flocker", "deprecated in v1.22, non-functional in v1.25+");
        DEPRECATED.put("storageos", "deprecated in v1.22, non-functional in v1.25+");
        DEPRECATED.put("quobyte", "deprecated in v1.22, non-functional in v1.25+");
        DEPRECATED.put("glusterfs", "deprecated in v1.25, non-functional in v1.26+");
        DEPRECATED.put("ephemeral", "");
        DEPRECATED.put("cephfs", "deprecated in v1.28, non-functional in v1.31+");
        DEPRECATED.put("rbd", "deprecated in v1.28, non-functional in v1.31+");
    }

    private record Source(String path, String origin) {
        @Override
        public String toString() {
            String quoted = FieldErrors.quoted(path);
            return origin.isEmpty() ? quoted : quoted + " (" + origin + ")";
        }
    }

    private VolumeWarnings() {}

    static List<String> of(List<ObjectNode> volumes, FieldPath path) {
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < volumes.size(); i++) {
            ObjectNode volume = volumes.get(i);
            for (Map.Entry<String, String> source : DEPRECATED.entrySet()) {
                if (!Nodes.has(volume, source.getKey())) {
                    continue;
                }
                FieldPath place =
                        path.index(i).child(source.getKey().equals("storageos") ? "storageOS" : source.getKey());
                if (source.getKey().equals("ephemeral")) {
                    JsonNode resources = Json.at(volume, "ephemeral", "volumeClaimTemplate", "spec", "resources");
                    FieldPath where = place.child("volumeClaimTemplate", "spec", "resources");
                    ResourceLists.warnFraction(resources, "requests", "storage", where, warnings);
                    ResourceLists.warnFraction(resources, "limits", "storage", where, warnings);
                } else {
                    warnings.add(place + ": " + source.getValue());
                }
            }
        }
        for (ObjectNode volume : volumes) {
            addOverlaps(volume, warnings);
        }
        return warnings;
    }

    private static void addOverlaps(ObjectNode volume, List<String> warnings) {
        String name = FieldErrors.quoted(Json.textAt(volume, "name"));
        addOverlaps(
                name,
                "ConfigMap " + FieldErrors.quoted(Json.textAt(volume, "configMap", "name")),
                paths(volume.get("configMap"), ""),
                warnings);
        addOverlaps(
                name,
                "Secret " + FieldErrors.quoted(Json.textAt(volume, "secret", "secretName")),
                paths(volume.get("secret"), ""),
                warnings);
        addOverlaps(name, "DownwardAPI", paths(volume.get("downwardAPI"), ""), warnings);
        List<Source> projected = new ArrayList<>();
        for (ObjectNode source : Nodes.objects(volume, "projected", "sources")) {
            if (source.isEmpty()) {
                warnings.add("volume " + name + " (Projected) has no sources provided");
            }
            projected.addAll(projectedPaths(source));
        }
        addOverlaps(name, "Projected", projected, warnings);
    }

    private static List<Source> projectedPaths(ObjectNode source) {
        String configMap = Json.textAt(source, "configMap", "name");
        List<Source> found = paths(source.get("configMap"), "ConfigMap " + FieldErrors.quoted(configMap));
        if (found.isEmpty()) {
            String secret = Json.textAt(source, "secret", "name");
            found = paths(source.get("secret"), "Secret " + FieldErrors.quoted(secret));
        }
        if (found.isEmpty()) {
            found = paths(source.get("downwardAPI"), "DownwardAPI");
        }
        if (found.isEmpty() && Nodes.has(source, "serviceAccountToken")) {
            found = List.of(new Source(Json.textAt(source, "serviceAccountToken", "path"), "ServiceAccountToken"));
        }
        return found;
    }

    private static List<Source> paths(@Nullable JsonNode holder, String origin) {
        List<Source> paths = new ArrayList<>();
        for (ObjectNode item : Nodes.objects(holder, "items")) {
            paths.add(new Source(Json.textAt(item, "path"), origin));
        }
        return paths;
    }

    private static void addOverlaps(String volume, String kind, List<Source> sources, List<String> warnings) {
        List<Source> before = new ArrayList<>();
        for (Source source : sources) {
            Source bare = new Source(source.path.replaceFirst("/+$", ""), source.origin);
            for (Source other : before) {
                if (overlap(bare.path, other.path)) {
                    warnings.add("volume " + volume + " (" + kind + "): overlapping paths: " + bare + " with " + other);
                }
            }
            before.add(bare);
        }
    }

    private static boolean overlap(String one, String other) {
        return !one.isEmpty()
                && !other.isEmpty()
                && ((one + "/").startsWith(other + "/") || (other + "/").startsWith(one + "/"));
    }
}
