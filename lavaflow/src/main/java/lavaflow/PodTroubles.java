package lavaflow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.cli.Complaint;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What keeps pods of a gang from running that no scheduler decides: images that cannot be had, programs that end, claims without volumes.
 * Pods with the same trouble are told together.
 */
final class PodTroubles {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    private static final KubeApi.Kind CLASSES = new KubeApi.Kind("storage.k8s.io", "v1", "storageclasses", false);
    private static final String GROUP_NAME = "scheduling.k8s.io/group-name";
    private static final String USUAL_CLASS = "storageclass.kubernetes.io/is-default-class";
    /** What every container goes through. */
    private static final Set<String> PATIENCE = Set.of("", "ContainerCreating", "PodInitializing");

    /** How our nodes begin to say what could be done about an image. */
    private static final String WAYS = ". To let it come from elsewhere: ";

    private record Trouble(String state, String message, String advice) {}

    private final KubeApi api;
    private final Map<Trouble, List<String>> found = new LinkedHashMap<>();
    private final Set<String> pods = new LinkedHashSet<>();

    private PodTroubles(KubeApi api) {
        this.api = api;
    }

    /** Adds to an explanation of a PodGroup what troubles its pods have, if they have any. */
    static void tell(KubeApi api, String namespace, String group, ObjectNode explanation) {
        PodTroubles troubles = new PodTroubles(api);
        for (ObjectNode pod : api.list(PODS, namespace, KubeApi.View.WHOLE).items()) {
            if (Json.textAt(pod, "metadata", "annotations", GROUP_NAME).equals(group)) {
                troubles.lookAt(pod, namespace);
            }
        }
        troubles.tell(group, explanation);
    }

    /** Adds to what is said of a job without a PodGroup what troubles its pods have; the advice is the job's as well. */
    static void tellOfJob(KubeApi api, String namespace, String job, String label, ObjectNode explanation) {
        PodTroubles troubles = new PodTroubles(api);
        for (ObjectNode pod : api.list(PODS, namespace, KubeApi.View.WHOLE).items()) {
            if (Json.textAt(pod, "metadata", "labels", label).equals(job)) {
                troubles.lookAt(pod, namespace);
            }
        }
        troubles.list(job, explanation);
    }

    /** Adds what the controller of a job could not do for it, such as making its pods. */
    static void tellOfMaker(KubeApi api, ObjectNode job, ObjectNode explanation) {
        Optional<Complaint> complaint = Complaint.last(api, job);
        if (complaint.isEmpty()) {
            return;
        }
        ObjectNode told = explanation.putArray("troubles").addObject();
        told.putArray("pods").add("all");
        told.put("state", complaint.get().reason())
                .put("message", complaint.get().message())
                .put(
                        "advice",
                        "kubectl describe vcjob " + name(job) + " -n " + Json.textAt(job, "metadata", "namespace"));
    }

    private void list(String group, ObjectNode explanation) {
        if (found.isEmpty()) {
            return;
        }
        ArrayNode list = explanation.putArray("troubles");
        found.forEach((trouble, names) -> {
            ObjectNode told = list.addObject();
            ArrayNode of = told.putArray("pods");
            names.forEach(name -> of.add(name.startsWith(group + "-") ? name.substring(group.length() + 1) : name));
            told.put("state", trouble.state()).put("message", trouble.message()).put("advice", trouble.advice());
        });
    }

    private void tell(String group, ObjectNode explanation) {
        list(group, explanation);
        if (!found.isEmpty() && !Json.flagAt(explanation, "waiting")) {
            Trouble first = found.keySet().iterator().next();
            explanation.put(
                    "headline",
                    "PodGroup " + Json.textAt(explanation, "metadata", "namespace") + "/" + group
                            + " has its nodes, but "
                            + (pods.size() == 1 ? "a pod does" : pods.size() + " of its pods do") + " not run: "
                            + first.message());
        }
    }

    private void lookAt(ObjectNode pod, String namespace) {
        String phase = Json.textAt(pod, "status", "phase");
        if (phase.equals("Succeeded") || Json.at(pod, "metadata", "deletionTimestamp") != null) {
            return;
        }
        for (String list : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode status : Json.listAt(pod, "status", list)) {
                container(pod, status);
            }
        }
        if (phase.equals("Failed") && !pods.contains(name(pod))) {
            String why = Json.textAt(pod, "status", "message");
            add(pod, new Trouble(or(Json.textAt(pod, "status", "reason"), "Failed"), or(why, "it failed"), ""));
        }
        if (Json.textAt(pod, "spec", "nodeName").isEmpty()) {
            for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
                String claim = Json.textAt(volume, "persistentVolumeClaim", "claimName");
                if (!claim.isEmpty()) {
                    claim(pod, namespace, claim);
                }
            }
        }
    }

    private static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    private static String or(String text, String other) {
        return text.isEmpty() ? other : text;
    }

    private void add(ObjectNode pod, Trouble trouble) {
        List<String> names = found.computeIfAbsent(trouble, _ -> new ArrayList<>());
        if (!names.contains(name(pod))) {
            names.add(name(pod));
        }
        pods.add(name(pod));
    }

    // ---- containers ----

    private void container(ObjectNode pod, JsonNode status) {
        String container = Json.textAt(status, "name");
        String logs =
                "kubectl logs " + name(pod) + " -n " + Json.textAt(pod, "metadata", "namespace") + " -c " + container;
        JsonNode ended = Json.at(status, "state", "terminated");
        if (ended != null && Json.longAt(ended, 0, "exitCode") != 0) {
            add(pod, new Trouble(or(Json.textAt(ended, "reason"), "Error"), end(ended), logs));
        }
        String state = Json.textAt(status, "state", "waiting", "reason");
        if (PATIENCE.contains(state)) {
            return;
        }
        String message = Json.textAt(status, "state", "waiting", "message");
        JsonNode before = Json.at(status, "lastState", "terminated");
        if (state.equals("CrashLoopBackOff") && before != null) {
            add(pod, new Trouble(state, end(before) + " again and again", logs + " --previous"));
        } else {
            // What is tried again after a pause is told as what is wrong, not as the pause.
            boolean pause = state.equals("ImagePullBackOff");
            int why = message.indexOf("ErrImagePull: ");
            String text = pause && why >= 0 ? message.substring(why + "ErrImagePull: ".length()) : message;
            int ways = text.indexOf(WAYS);
            add(
                    pod,
                    new Trouble(
                            pause ? "ErrImagePull" : state,
                            or(ways < 0 ? text : text.substring(0, ways), state),
                            ways < 0 ? "" : text.substring(ways + 2)));
        }
    }

    private static String end(JsonNode terminated) {
        String said = Json.textAt(terminated, "message").strip();
        long code = Json.longAt(terminated, 0, "exitCode");
        String why = Json.textAt(terminated, "reason").equals("OOMKilled") ? ", out of memory" : "";
        return "its program ends with exit code " + code + why + (said.isEmpty() ? "" : " (" + said + ")");
    }

    // ---- claims ----

    private void claim(ObjectNode pod, String namespace, String name) {
        Optional<ObjectNode> claim = api.find(CLAIMS, namespace, name);
        if (claim.isEmpty()) {
            String message = "claim " + name + " does not exist";
            add(
                    pod,
                    new Trouble(
                            "NoClaim", message, "create PersistentVolumeClaim " + name + " in namespace " + namespace));
            return;
        }
        if (!Json.textAt(claim.get(), "status", "phase").equals("Bound")) {
            add(pod, unbound(name, Json.at(claim.get(), "spec", "storageClassName")));
        }
    }

    private Trouble unbound(String claim, @Nullable JsonNode said) {
        String type = said == null ? "" : said.asText();
        Set<String> classes = new TreeSet<>();
        ObjectNode known = null;
        for (ObjectNode each : api.list(CLASSES, "", KubeApi.View.WHOLE).items()) {
            boolean usual =
                    Json.textAt(each, "metadata", "annotations", USUAL_CLASS).equals("true");
            classes.add(name(each) + (usual ? " (the usual one)" : ""));
            known = name(each).equals(type) ? each : known;
        }
        String others = classes.isEmpty() ? "there is none" : "there are: " + String.join(", ", classes);
        if (type.isEmpty()) {
            return new Trouble(
                    "NoVolume",
                    "claim " + claim + " names no storage class, and no volume that fits it is free",
                    "make a PersistentVolume for it, or let the claim name a class; " + others);
        }
        if (known == null) {
            return new Trouble(
                    "NoClass",
                    "claim " + claim + " names storage class " + type + ", which does not exist",
                    "create StorageClass " + type + ", or make the claim again with another one; " + others);
        }
        return new Trouble(
                "NoVolume",
                "claim " + claim + " has no volume yet: provisioner " + Json.textAt(known, "provisioner")
                        + " of storage class " + type + " has not made it",
                "see that the provisioner runs (kubectl describe pvc " + claim
                        + " tells what it said), or take another class; " + others);
    }
}
