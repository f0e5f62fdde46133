package lavaflow.apiserver;

import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Gives claims and ingresses that name no class the default one; of several defaults the newest. */
final class DefaultClasses implements Admission.Plugin {
    /**
     * A kind whose objects have a class.
     *
     * @param plugin what the rule is called upstream
     * @param users the objects that name a class in {@code spec.FIELD}
     * @param annotation where they named it before there was a field
     * @param marks annotations of the default class
     */
    private record Classed(
            String plugin, String users, String field, String annotation, String classes, List<String> marks) {}

    private static final List<Classed> CLASSED = List.of(
            new Classed(
                    "DefaultStorageClass",
                    "persistentvolumeclaims",
                    "storageClassName",
                    "volume.beta.kubernetes.io/storage-class",
                    "storage.k8s.io/storageclasses",
                    List.of(
                            "storageclass.kubernetes.io/is-default-class",
                            "storageclass.beta.kubernetes.io/is-default-class")),
            new Classed(
                    "DefaultIngressClass",
                    "networking.k8s.io/ingresses",
                    "ingressClassName",
                    "kubernetes.io/ingress.class",
                    "networking.k8s.io/ingressclasses",
                    List.of("ingressclass.kubernetes.io/is-default-class")));

    private final Stored stored;
    private final List<Classed> classed;

    DefaultClasses(Stored stored, AdmissionSwitches on) {
        this.stored = stored;
        this.classed = CLASSED.stream().filter(each -> on.has(each.plugin)).toList();
    }

    @Override
    public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        if (operation != Admission.Operation.CREATE) {
            return;
        }
        for (Classed each : classed) {
            if (call.resource().bucket().equals(each.users)
                    && Json.at(object, "spec", each.field) == null
                    && Json.at(object, "metadata", "annotations", each.annotation) == null) {
                fill(object, each);
            }
        }
    }

    private void fill(ObjectNode object, Classed classed) {
        stored.all(classed.classes, "").stream()
                .filter(each -> isDefault(each, classed))
                .max(Comparator.comparing((ObjectNode each) -> Json.textAt(each, "metadata", "creationTimestamp"))
                        .thenComparing(Metadata::name, Comparator.reverseOrder()))
                .ifPresent(found -> Json.ensureObject(object, "spec").put(classed.field, Metadata.name(found)));
    }

    private static boolean isDefault(ObjectNode each, Classed classed) {
        return classed.marks.stream()
                .anyMatch(mark ->
                        Json.textAt(each, "metadata", "annotations", mark).equals("true"));
    }
}
