package lavaflow.training;

import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Step;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What some jobs need beside pods and services: scripts and rights of launchers, autoscalers of elastic jobs. */
final class Belongings {
    private Belongings() {}

    /** What to look for before deciding about a job, by kind. */
    static List<Map.Entry<KubeApi.Kind, String>> of(TrainingJob job) {
        return switch (job.framework()) {
            case Mpi _ ->
                List.of(
                        Map.entry(Training.CONFIG_MAPS, MpiForm.configName(job)),
                        Map.entry(Training.SERVICE_ACCOUNTS, MpiForm.accountName(job)),
                        Map.entry(Training.ROLES, MpiForm.launcherName(job)),
                        Map.entry(Training.BINDINGS, MpiForm.launcherName(job)));
            case PyTorch _ ->
                Json.at(job.object(), "spec", "elasticPolicy", "metrics") == null
                        ? List.of()
                        : List.of(Map.entry(Training.AUTOSCALERS, job.name()));
            case TensorFlow _, XGBoost _, Paddle _, Jax _ -> List.of();
        };
    }

    /** Adds what is missing or different; false if somebody else's object is in the way. */
    static boolean ensure(TrainingJob job, Observed seen, ReplicaPass pass, List<Step> steps, List<Notice> notices) {
        if (job.framework() instanceof Mpi) {
            return launching(job, seen, pass, steps, notices);
        }
        if (job.framework() instanceof PyTorch && Json.at(job.object(), "spec", "elasticPolicy", "metrics") != null) {
            scaling(job, seen, steps);
        }
        return true;
    }

    private static boolean launching(
            TrainingJob job, Observed seen, ReplicaPass pass, List<Step> steps, List<Notice> notices) {
        boolean own = MpiForm.accountName(job).equals(MpiForm.launcherName(job));
        ObjectNode account = seen.other(Training.SERVICE_ACCOUNTS.resource(), MpiForm.accountName(job));
        if (account == null) {
            steps.add(new Step.Create(Training.SERVICE_ACCOUNTS, job.namespace(), MpiForm.account(job)));
        } else if (own && !isOf(account, job)) {
            foreign(account, "ServiceAccount", notices);
            return false;
        }
        return ensure(job, Training.CONFIG_MAPS, config(job, seen, pass), "data", seen, steps, notices)
                && ensure(job, Training.ROLES, MpiForm.role(job), "rules", seen, steps, notices)
                && ensure(job, Training.BINDINGS, MpiForm.binding(job), "subjects", seen, steps, notices);
    }

    private static boolean isOf(ObjectNode object, TrainingJob job) {
        return Training.controllerUid(object).equals(job.uid());
    }

    /** Who runs is told once all do, and from then on at every change: a file a thousand workers come to one by one. */
    private static ObjectNode config(TrainingJob job, Observed seen, ReplicaPass pass) {
        List<String> running = seen.pods().stream()
                .filter(pod -> pod.type().equals("worker") && pod.isRunning() && !pod.deleting())
                .map(TrainingPod::name)
                .sorted()
                .toList();
        boolean launched = pass.tally().of(Mpi.LAUNCHER).active() > 0;
        return MpiForm.configMap(job, launched || running.size() >= MpiForm.workers(job) ? running : List.of());
    }

    private static boolean ensure(
            TrainingJob job,
            KubeApi.Kind kind,
            ObjectNode wanted,
            String field,
            Observed seen,
            List<Step> steps,
            List<Notice> notices) {
        String name = Training.name(wanted);
        ObjectNode found = seen.other(kind.resource(), name);
        if (found == null) {
            steps.add(new Step.Create(kind, job.namespace(), wanted));
            return true;
        }
        if (!isOf(found, job)) {
            foreign(found, Json.textAt(wanted, "kind"), notices);
            return false;
        }
        if (!covers(found.get(field), wanted.get(field))) {
            ObjectNode patch = Json.object();
            patch.putObject("metadata").put("uid", Training.uid(found));
            patch.set(field, wanted.get(field));
            steps.add(new Step.Patch(kind, job.namespace(), name, "", KubeApi.Merge.PLAIN, patch));
        }
        return true;
    }

    private static void foreign(ObjectNode object, String kind, List<Notice> notices) {
        notices.add(new Notice(
                true,
                "ErrResourceExists",
                "Resource \"" + Training.name(object) + "\" of MPIJobKind \"" + kind
                        + "\" already exists and is not managed by MPIJob",
                "foreign " + kind));
    }

    private static void scaling(TrainingJob job, Observed seen, List<Step> steps) {
        ObjectNode scaler = Training.owned(job.object(), "autoscaling/v2", "HorizontalPodAutoscaler", job.name());
        ObjectNode spec = scaler.putObject("spec");
        spec.putObject("scaleTargetRef")
                .put("kind", job.kind())
                .put("name", job.name())
                .put("apiVersion", Training.API_VERSION);
        JsonNode elastic = Json.at(job.object(), "spec", "elasticPolicy");
        spec.put("minReplicas", Json.longAt(elastic, 1, "minReplicas"));
        spec.put("maxReplicas", Json.longAt(elastic, 1, "maxReplicas"));
        spec.set("metrics", Json.listAt(elastic, "metrics").deepCopy());
        ObjectNode found = seen.other(Training.AUTOSCALERS.resource(), job.name());
        if (found == null) {
            steps.add(new Step.Create(Training.AUTOSCALERS, job.namespace(), scaler));
        } else if (isOf(found, job) && !covers(found.get("spec"), spec)) {
            ObjectNode patch = Json.object();
            patch.putObject("metadata").put("uid", Training.uid(found));
            patch.set("spec", spec);
            steps.add(
                    new Step.Patch(Training.AUTOSCALERS, job.namespace(), job.name(), "", KubeApi.Merge.PLAIN, patch));
        }
    }

    /** Whether everything wanted is there; the server may have added to it. */
    static boolean covers(@Nullable JsonNode found, @Nullable JsonNode wanted) {
        if (wanted instanceof ObjectNode fields) {
            return found != null
                    && fields.properties().stream().allMatch(each -> covers(found.get(each.getKey()), each.getValue()));
        }
        if (wanted != null && wanted.isArray()) {
            if (found == null || found.size() != wanted.size()) {
                return false;
            }
            for (int i = 0; i < wanted.size(); i++) {
                if (!covers(found.get(i), wanted.get(i))) {
                    return false;
                }
            }
            return true;
        }
        return wanted == null || wanted.equals(found);
    }
}
