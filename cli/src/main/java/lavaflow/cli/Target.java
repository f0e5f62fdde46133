package lavaflow.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** An object that has pods, as people name it: {@code job/train}, {@code tfjob/mnist}, {@code podgroup/x}, {@code pod/a}. */
public record Target(KubeApi.Kind kind, ObjectNode object) {
    private static final Map<String, String> SHORT = Map.ofEntries(
            Map.entry("vcjob", "jobs.batch.volcano.sh"),
            Map.entry("vj", "jobs.batch.volcano.sh"),
            Map.entry("cronvcjob", "cronjobs.batch.volcano.sh"),
            Map.entry("cronvj", "cronjobs.batch.volcano.sh"),
            Map.entry("jf", "jobflows"),
            Map.entry("pg", "podgroups"),
            Map.entry("po", "pods"),
            Map.entry("rs", "replicasets"),
            Map.entry("deploy", "deployments"),
            Map.entry("sts", "statefulsets"),
            Map.entry("ds", "daemonsets"),
            Map.entry("cj", "cronjobs"));

    private static final String VOLCANO = ".volcano.sh";
    private static final String GROUP_NAME = "scheduling.k8s.io/group-name";

    /** Who owns whom is asked so far up: a pod of a job of a flow of a schedule. */
    private static final int GENERATIONS = 5;

    /** Finds the object; of kinds with the same name those of Volcano come first. */
    public static Optional<Target> find(KubeApi api, String namespace, String word, String name) {
        for (KubeApi.Kind kind : candidates(api.kinds(), word)) {
            Optional<ObjectNode> found;
            try {
                found = api.find(kind, kind.namespaced() ? namespace : "", name);
            } catch (ApiException e) {
                if (e.code() != 404) {
                    throw e;
                }
                continue; // the kind went away meanwhile
            }
            if (found.isPresent()) {
                return Optional.of(new Target(kind, found.get()));
            }
        }
        return Optional.empty();
    }

    /** Whether a cluster has objects of a kind. */
    public static boolean isKnown(KubeApi api, String word) {
        return !candidates(api.kinds(), word).isEmpty();
    }

    /** The kinds that a word may mean. */
    static List<KubeApi.Kind> candidates(List<KubeApi.Kind> kinds, String word) {
        String wanted = SHORT.getOrDefault(word.toLowerCase(Locale.ROOT), word.toLowerCase(Locale.ROOT));
        int dot = wanted.indexOf('.');
        String resource = dot < 0 ? wanted : wanted.substring(0, dot);
        String group = dot < 0 ? "" : wanted.substring(dot + 1);
        List<String> plurals = List.of(resource, resource + "s", resource + "es", resource.replaceFirst("y$", "ies"));
        List<KubeApi.Kind> fitting = new ArrayList<>(kinds.stream()
                .filter(kind -> plurals.contains(kind.resource())
                        && (group.isEmpty()
                                || kind.group().equals(group)
                                || kind.group().startsWith(group + ".")))
                .toList());
        fitting.sort(
                (a, b) -> Boolean.compare(b.group().endsWith(VOLCANO), a.group().endsWith(VOLCANO)));
        return fitting;
    }

    public String namespace() {
        return Json.textAt(object, "metadata", "namespace");
    }

    public String name() {
        return Json.textAt(object, "metadata", "name");
    }

    private String uid() {
        return Json.textAt(object, "metadata", "uid");
    }

    /** Tells the pods of an object; remembers who is above whom. Not safe for concurrent use. */
    public Membership membership(KubeApi api) {
        return new Membership(api);
    }

    public final class Membership {
        private final KubeApi api;
        private final Map<String, Boolean> below = new HashMap<>();

        private Membership(KubeApi api) {
            this.api = api;
        }

        public boolean has(ObjectNode pod) {
            if (kind.equals(KubeApi.Kind.core("pods"))) {
                return Json.textAt(pod, "metadata", "name").equals(name());
            }
            if (kind.resource().equals("podgroups")) {
                return Json.textAt(pod, "metadata", "annotations", GROUP_NAME).equals(name());
            }
            return isBelow(pod, GENERATIONS);
        }

        private boolean isBelow(ObjectNode member, int generations) {
            if (generations == 0) {
                return false;
            }
            for (JsonNode owner : Json.listAt(member, "metadata", "ownerReferences")) {
                String above = Json.textAt(owner, "uid");
                if (above.equals(uid())) {
                    return true;
                }
                Boolean known = below.get(above);
                if (known == null) {
                    known = findOwner(owner)
                            .filter(found -> isBelow(found, generations - 1))
                            .isPresent();
                    below.put(above, known);
                }
                if (known) {
                    return true;
                }
            }
            return false;
        }

        private Optional<ObjectNode> findOwner(JsonNode owner) {
            return api.findKind(Json.textAt(owner, "apiVersion"), Json.textAt(owner, "kind"))
                    .flatMap(kind -> api.find(kind, kind.namespaced() ? namespace() : "", Json.textAt(owner, "name")))
                    .filter(found -> Json.textAt(found, "metadata", "uid").equals(Json.textAt(owner, "uid")));
        }
    }
}
