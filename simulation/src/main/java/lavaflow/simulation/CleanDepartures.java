package lavaflow.simulation;

import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A namespace that is deleted is gone in the end, and with it everything of every kind; one that stays has its account. A job
 * that is to go after it has ended goes, and not before.
 */
final class CleanDepartures implements Invariant {
    private final Workspace workspace;

    CleanDepartures(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode job = change.before();
        if (job == null || !change.kind().equals(Kinds.JOBS) || Observer.isDeleting(job)) {
            return;
        }
        boolean begins = change.after() == null || Observer.isDeleting(change.after());
        boolean otherwise = workspace.isRemoved(Observer.uid(job))
                || !isLive(Workspace.namespace(job), observer)
                || !Observer.owner(job).isEmpty();
        if (!begins || otherwise) {
            return;
        }
        String place = Observer.place(job);
        long seconds = Json.longAt(job, -1, "spec", "ttlSecondsAfterFinished");
        String ended = ended(job);
        Violation.unless(seconds >= 0 && !ended.isEmpty(), () -> place + " is deleted, and nobody asked for it");
        Violation.unless(
                !Instant.parse(ended)
                        .plusSeconds(seconds)
                        .isAfter(workspace.stage().clock().instant()),
                () -> "%s ended at %s and is deleted before %d s are over".formatted(place, ended, seconds));
    }

    private static String ended(ObjectNode job) {
        for (var condition : Json.listAt(job, "status", "conditions")) {
            String type = Json.textAt(condition, "type");
            if ((type.equals("Complete") || type.equals("Failed"))
                    && Json.textAt(condition, "status").equals("True")) {
                return Json.textAt(condition, "lastTransitionTime");
            }
        }
        return "";
    }

    private static boolean isLive(String namespace, Observer observer) {
        return observer.all(Kinds.NAMESPACES).stream()
                .anyMatch(each -> Workspace.name(each).equals(namespace) && !Observer.isDeleting(each));
    }

    @Override
    public void atRest(Observer observer) {
        for (ObjectNode job : observer.all(Kinds.JOBS)) {
            Violation.unless(
                    ended(job).isEmpty() || Json.at(job, "spec", "ttlSecondsAfterFinished") == null,
                    () -> "%s has ended and is still there".formatted(Observer.place(job)));
        }
        Set<String> names = new TreeSet<>();
        for (ObjectNode namespace : observer.all(Kinds.NAMESPACES)) {
            Violation.unless(
                    !Observer.isDeleting(namespace),
                    () -> "the namespace %s does not go: %s"
                            .formatted(Workspace.name(namespace), Json.at(namespace, "status", "conditions")));
            names.add(Workspace.name(namespace));
        }
        KubeApi api = workspace.api();
        for (KubeApi.Kind kind : api.kinds()) {
            if (kind.namespaced()) {
                api.list(
                        kind,
                        "",
                        KubeApi.View.METADATA,
                        object -> Violation.unless(
                                names.contains(Workspace.namespace(object)),
                                () -> "%s %s is in no namespace".formatted(kind, Observer.place(object))));
            }
        }
        for (String name : names) {
            Violation.unless(
                    api.find(Kinds.ACCOUNTS, name, "default").isPresent()
                            && api.find(Kinds.CONFIG_MAPS, name, "kube-root-ca.crt")
                                    .isPresent(),
                    () -> "the namespace %s has no account or no certificate".formatted(name));
        }
        tokens(api);
    }

    /** A token is there as long as its account. */
    private static void tokens(KubeApi api) {
        for (ObjectNode secret : api.list(Kinds.SECRETS, "", KubeApi.View.WHOLE).items()) {
            String account = Json.textAt(secret, "metadata", "annotations", "kubernetes.io/service-account.name");
            boolean there = api.find(Kinds.ACCOUNTS, Workspace.namespace(secret), account)
                    .isPresent();
            Violation.unless(
                    there && !Json.textAt(secret, "data", "token").isEmpty(),
                    () -> "%s: %s".formatted(Observer.place(secret), there ? "no token" : "its account is gone"));
        }
    }
}
