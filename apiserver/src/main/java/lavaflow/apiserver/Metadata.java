package lavaflow.apiserver;

import java.time.Instant;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reads and writes the fields of metadata that the server owns. */
final class Metadata {
    private Metadata() {}

    static ObjectNode of(ObjectNode object) {
        return Json.ensureObject(object, "metadata");
    }

    static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    /** What a refusal calls an object: its name, or what its name is yet to be made of. */
    static String knownAs(ObjectNode object) {
        String name = name(object);
        return name.isEmpty() ? Json.textAt(object, "metadata", "generateName") : name;
    }

    static String namespace(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace");
    }

    static String uid(ObjectNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    static String resourceVersion(ObjectNode object) {
        return Json.textAt(object, "metadata", "resourceVersion");
    }

    /** The revision an object names; 0 where it names none or none that can be read. */
    static long revisionWanted(ObjectNode object) {
        String text = resourceVersion(object);
        try {
            return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
        } catch (NumberFormatException _) {
            return 0;
        }
    }

    static long generation(ObjectNode object) {
        return Json.longAt(object, 0, "metadata", "generation");
    }

    static boolean isDeleting(ObjectNode object) {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    static boolean hasFinalizers(ObjectNode object) {
        return !Json.listAt(object, "metadata", "finalizers").isEmpty();
    }

    static @Nullable Long gracePeriod(ObjectNode object) {
        var seconds = Json.at(object, "metadata", "deletionGracePeriodSeconds");
        return seconds == null ? null : seconds.longValue();
    }

    /** A moment as upstream prints it: RFC 3339, whole seconds, UTC. */
    static String time(Instant instant) {
        return GoTime.seconds(instant);
    }

    /** Copies a field of metadata from the old object, or removes it where the old one has none. */
    static void keep(ObjectNode object, ObjectNode old, String field) {
        ObjectNode metadata = of(object);
        var value = Json.at(old, "metadata", field);
        if (value == null) {
            metadata.remove(field);
        } else {
            metadata.set(field, value);
        }
    }
}
