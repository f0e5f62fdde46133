package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Struct;
import lavaflow.kube.Types;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A custom kind as one state of its definition describes it. Small until it is used: of a thousand definitions most are
 * never asked about.
 */
final class CustomKind implements Types {
    private static final List<String> VERBS =
            List.of("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch");
    private static final List<String> PART_VERBS = List.of("get", "patch", "update");
    private static final String SCALE = "io.k8s.api.autoscaling.v1.Scale";

    private final Definition definition;
    private final Definition.Names names;
    private final Map<String, CustomVersion> versions = new LinkedHashMap<>();
    private final CustomConversion conversion;
    private final CustomVersion storage;
    /** The newest stored form of the definition whose specification is this one: its bytes hold the schemas. */
    private volatile StoredObject source;

    private volatile boolean terminating;

    CustomKind(Definition definition, Definition.Names names, StoredObject source, CustomConversion conversion) {
        this.definition = definition;
        this.names = names;
        this.source = source;
        this.conversion = conversion;
        this.terminating = definition.deleting();
        CustomVersion stored = null;
        for (Definition.Version version : definition.versions()) {
            CustomVersion custom = new CustomVersion(this, version);
            versions.put(custom.apiVersion(), custom);
            if (version.storage()) {
                stored = custom;
            }
        }
        if (stored == null) {
            throw new IllegalArgumentException(definition.name() + " has no version to store");
        }
        this.storage = stored;
    }

    Definition definition() {
        return definition;
    }

    Definition.Names names() {
        return names;
    }

    /** Whether a newer state of the definition describes the same kind. */
    boolean isDescribedBy(Definition other, Definition.Names granted) {
        return definition.uid().equals(other.uid())
                && definition.generation() == other.generation()
                && names.equals(granted);
    }

    /** Takes note of a newer state of the definition that describes the same kind. */
    void refresh(StoredObject newer, boolean deleting) {
        source = newer;
        terminating = deleting;
    }

    /** Whether the definition is being deleted: nothing is created any more. */
    boolean isTerminating() {
        return terminating;
    }

    CustomConversion conversion() {
        return conversion;
    }

    CustomVersion storage() {
        return storage;
    }

    /** The version with an apiVersion, served or not; null where the definition has none of that name. */
    @Nullable
    CustomVersion version(String apiVersion) {
        return versions.get(apiVersion);
    }

    boolean knows(Object token) {
        for (CustomVersion version : versions.values()) {
            if (version.token().equals(token)) {
                return true;
            }
        }
        return false;
    }

    /** The schema of a version as the definition has it, or null; read anew each time, because it is seldom needed. */
    @Nullable
    JsonNode schema(String version) {
        for (JsonNode each : Json.listAt(Json.parseObject(source.bytes()), "spec", "versions")) {
            if (Json.textAt(each, "name").equals(version)) {
                return Json.at(each, "schema", "openAPIV3Schema");
            }
        }
        return null;
    }

    /** The served versions. */
    List<Resource> resources() {
        List<Resource> resources = new ArrayList<>();
        for (CustomVersion version : versions.values()) {
            if (version.description().served()) {
                resources.add(resource(version));
            }
        }
        return Collections.unmodifiableList(resources);
    }

    /** The stored version, served or not. */
    Resource storedResource() {
        return resource(storage);
    }

    private Resource resource(CustomVersion version) {
        KindInfo info = info(version);
        return new Resource(info, this, version.rules(), bucket(), null, info, version);
    }

    /** Where objects are stored. */
    String bucket() {
        return ResourceTable.bucket(definition.group(), names.plural());
    }

    private KindInfo info(CustomVersion version) {
        Definition.Version description = version.description();
        List<KindInfo.Subresource> parts = new ArrayList<>();
        if (description.hasStatus()) {
            parts.add(new KindInfo.Subresource(
                    "status",
                    definition.group(),
                    description.name(),
                    names.kind(),
                    definition.namespaced(),
                    PART_VERBS,
                    version.root()));
        }
        if (description.scale() != null) {
            parts.add(new KindInfo.Subresource(
                    "scale", "autoscaling", "v1", "Scale", definition.namespaced(), PART_VERBS, SCALE));
        }
        String stored = definition.group() + "/" + storage.description().name() + "/" + names.kind();
        return new KindInfo(
                definition.group(),
                description.name(),
                names.kind(),
                names.listKind(),
                names.plural(),
                names.singular(),
                definition.namespaced(),
                VERBS,
                names.shortNames(),
                names.categories(),
                Digests.storageVersion(stored),
                version.root(),
                parts);
    }

    /** The structs of all versions, and the built-in ones they refer to. */
    @Override
    public Struct struct(String name) {
        for (CustomVersion version : versions.values()) {
            if (name.startsWith(version.root())) {
                return version.types().struct(name);
            }
        }
        return BuiltinTypes.instance().struct(name);
    }
}
