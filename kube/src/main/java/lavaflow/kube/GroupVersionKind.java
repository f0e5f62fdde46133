package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;

/** The kind of an object, in one version of its group. */
public record GroupVersionKind(String group, String version, String kind) {
    /** From the two fields of an object; an apiVersion that makes no sense leaves group and version empty. */
    public static GroupVersionKind of(String apiVersion, String kind) {
        try {
            return GroupVersion.parse(apiVersion).kind(kind);
        } catch (MalformedException e) {
            return new GroupVersionKind("", "", kind);
        }
    }

    public static GroupVersionKind of(JsonNode object) {
        return of(Json.textAt(object, "apiVersion"), Json.textAt(object, "kind"));
    }

    public GroupVersion groupVersion() {
        return new GroupVersion(group, version);
    }

    public String apiVersion() {
        return groupVersion().toString();
    }

    /** As upstream's messages show kinds: {@code apps/v1, Kind=Deployment}, {@code /v1, Kind=Pod}. */
    @Override
    public String toString() {
        return group + "/" + version + ", Kind=" + kind;
    }
}
