package lavaflow.apiserver;

import lavaflow.kinds.KindRules;
import lavaflow.kinds.VersionBridge;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Types;

import org.jspecify.annotations.Nullable;

/**
 * One kind in one version, served at one path.
 *
 * @param bucket where its objects are stored; versions of one kind share it
 * @param bridge converts between this version and the stored one; null where this is the stored one
 * @param stored apiVersion and kind as stored
 */
public record Resource(
        KindInfo info,
        Types types,
        KindRules rules,
        String bucket,
        @Nullable VersionBridge bridge,
        KindInfo stored) {

    private static final String COMPONENTS = "componentstatuses";
    /** Upstream's only resource whose errors name it otherwise. */
    private static final String COMPONENT = "componentstatus";

    public String group() {
        return info.group();
    }

    public String name() {
        return info.resource();
    }

    public boolean namespaced() {
        return info.namespaced();
    }

    public boolean has(KindRules.Trait trait) {
        return rules.traits().contains(trait);
    }

    /** The key of an object in the bucket. */
    public String key(String namespace, String name) {
        return namespaced() ? namespace + "/" + name : name;
    }

    public ApiException notFound(String name) {
        return ApiException.notFound(group(), info.resource().equals(COMPONENTS) ? COMPONENT : name(), name);
    }

    public ApiException modified(String name) {
        return ApiException.modified(group(), name(), name);
    }

    /** Upstream names the kind by the group that stores it: an Event of events.k8s.io is one of the core group. */
    public ApiException invalid(String name, FieldErrors errors) {
        return ApiException.invalid(stored.group(), stored.kind(), name, errors.list());
    }

    public ApiException forbidden(String name, String why) {
        return ApiException.forbidden(group(), name(), name, why);
    }
}
