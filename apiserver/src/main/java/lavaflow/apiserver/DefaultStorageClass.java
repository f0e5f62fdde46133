package lavaflow.apiserver;

import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Gives claims that name no storage class the default one; of several defaults the newest. */
final class DefaultStorageClass implements Admission.Plugin {
    private static final String CLAIMS = "persistentvolumeclaims";
    private static final List<String> DEFAULT_MARKS =
            List.of("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class");

    private final Stored stored;

    DefaultStorageClass(Stored stored) {
        this.stored = stored;
    }

    @Override
    public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        boolean newClaim = operation == Admission.Operation.CREATE
                && call.resource().bucket().equals(CLAIMS);
        if (!newClaim || Json.at(object, "spec", "storageClassName") != null || hasAnnotation(object)) {
            return;
        }
        stored.all("storage.k8s.io/storageclasses", "").stream()
                .filter(DefaultStorageClass::isDefault)
                .max(Comparator.comparing((ObjectNode each) -> Json.textAt(each, "metadata", "creationTimestamp"))
                        .thenComparing(Metadata::name, Comparator.reverseOrder()))
                .ifPresent(found -> Json.ensureObject(object, "spec").put("storageClassName", Metadata.name(found)));
    }

    private static boolean hasAnnotation(ObjectNode claim) {
        return Json.at(claim, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class") != null;
    }

    private static boolean isDefault(ObjectNode storageClass) {
        return DEFAULT_MARKS.stream()
                .anyMatch(mark -> Json.textAt(storageClass, "metadata", "annotations", mark)
                        .equals("true"));
    }
}
