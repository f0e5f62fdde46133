package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldSelector;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The Kubernetes API as controllers see it, whether behind HTTP or in the same process. Failures are {@link
 * ApiException}s with the server's Status.
 */
public interface KubeApi {
    /** Where objects of one kind live. */
    record Kind(String group, String version, String resource, boolean namespaced) {
        public static Kind core(String resource) {
            return new Kind("", "v1", resource, true);
        }

        public static Kind clusterWide(String resource) {
            return new Kind("", "v1", resource, false);
        }

        @Override
        public String toString() {
            return group.isEmpty() ? resource : resource + "." + group;
        }
    }

    /** How much of an object the caller needs. */
    enum View {
        WHOLE,
        /** Type and metadata, without managedFields: a small part of the work for those who look at every object. */
        METADATA
    }

    /**
     * A part of the objects of a kind.
     *
     * @param namespace empty for all
     * @param fields what the server selects by, such as {@code spec.nodeName=a}; empty for all
     */
    record Scope(String namespace, String fields) {
        /** One object; who may see only that one may list and watch it so. */
        public static Scope of(String namespace, String name) {
            return new Scope(namespace, "metadata.name=" + name);
        }

        boolean holds(ObjectNode object) {
            return (namespace.isEmpty()
                            || Json.textAt(object, "metadata", "namespace").equals(namespace))
                    && FieldSelector.parse(fields).matches(field -> Json.textAt(object, field.split("\\.", -1)));
        }
    }

    /** Objects at one moment. */
    record Listing(List<ObjectNode> items, long revision) {}

    /** What happened to an object. */
    record Event(boolean deleted, ObjectNode object) {}

    /** What a watch met: changes in order, and how far it got, nothing up to there is still to come. */
    record Progress(List<Event> events, long revision) {}

    /** What a patch does to lists. */
    enum Merge {
        /** Replaces them. */
        PLAIN,
        /** Merges those whose items have a key, such as conditions by their type; for built-in kinds. */
        STRATEGIC
    }

    /** What a deletion should respect; null parts do not matter. */
    record Deletion(
            @Nullable String uid,
            @Nullable String resourceVersion,
            @Nullable String propagationPolicy,
            @Nullable Long gracePeriodSeconds) {
        public static final Deletion PLAIN = new Deletion(null, null, null);

        public Deletion(@Nullable String uid, @Nullable String resourceVersion, @Nullable String propagationPolicy) {
            this(uid, resourceVersion, propagationPolicy, null);
        }

        public static Deletion ofUid(String uid) {
            return new Deletion(uid, null, null);
        }

        /** The same without waiting for anybody: how a node says that a pod has ended. */
        public Deletion atOnce() {
            return new Deletion(uid, resourceVersion, propagationPolicy, 0L);
        }
    }

    /** Changes of one kind; ends with an exception, of code 410 when the past is gone. */
    interface Watch extends AutoCloseable {
        /** What happened since the last call; no events after the timeout, or when woken. Throws once closed. */
        Progress next(Duration timeout) throws InterruptedException;

        /** Makes a {@link #next} that waits, or else the following one, return at once and tell how far it got. */
        void wake();

        @Override
        void close();
    }

    /** Every kind that can be listed, watched and deleted now; one entry for all versions of a kind. */
    List<Kind> kinds();

    /** Calls the listener, which must be quick, after {@link #kinds} has changed. */
    void onKindsChange(Runnable listener);

    /** The entry in {@link #kinds} behind an apiVersion and a Kind, as owner references name it. */
    Optional<Kind> findKind(String apiVersion, String kindName);

    Optional<ObjectNode> find(Kind kind, String namespace, String name);

    /** What the server answers to a path that no kind stands for: what others measure, which group has which versions. */
    ObjectNode read(String path);

    /** The Scale (autoscaling/v1) of an object; fails with 404 where its kind has none. Its subresource is scale. */
    Optional<ObjectNode> findScale(Kind kind, String namespace, String name);

    /**
     * Shows the objects of a namespace, or of all for the empty one, one by one; returns their common revision. Fails with
     * 410 where the server forgets the moment before all are shown: then begin anew.
     */
    long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each);

    /** The objects of a namespace, or of all for the empty one, in memory at once. */
    default Listing list(Kind kind, String namespace, View view) {
        for (int attempt = 1; ; attempt++) {
            List<ObjectNode> items = new ArrayList<>();
            try {
                long revision = list(kind, namespace, view, items::add);
                return new Listing(items, revision);
            } catch (ApiException e) {
                if (e.code() != 410 || attempt == 3) {
                    throw e;
                }
            }
        }
    }

    /** The same for a part of the objects. */
    default long list(Kind kind, Scope scope, View view, Consumer<ObjectNode> each) {
        return list(kind, scope.namespace(), view, object -> {
            if (scope.holds(object)) {
                each.accept(object);
            }
        });
    }

    ObjectNode create(Kind kind, String namespace, ObjectNode object);

    /** Replaces an object, or the part of it that a subresource is; the empty subresource is the object itself. */
    ObjectNode update(Kind kind, String subresource, ObjectNode object);

    /**
     * Changes what the patch names and leaves the rest as it is, whoever else writes at the same time. A patch with a
     * resourceVersion or uid in its metadata is refused when those do not fit.
     */
    ObjectNode patch(Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch);

    /** Applies a configuration under the name of a manager, who takes the fields in it from everybody else. */
    ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration);

    /**
     * Sends what is asked of an object and never stored: the binding of a pod to its node, an eviction, a token.
     *
     * @return what the server answers to that
     */
    ObjectNode post(Kind kind, String namespace, String name, String subresource, ObjectNode body);

    /** False if the object was gone already. */
    boolean delete(Kind kind, String namespace, String name, Deletion deletion);

    Watch watch(Kind kind, long afterRevision, View view);

    /** The same for a part of the objects. */
    default Watch watch(Kind kind, Scope scope, long afterRevision, View view) {
        return new ScopedWatch(watch(kind, afterRevision, view), scope);
    }
}
