package lavaflow.kinds;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;

/** Tables of what makes pods. */
final class WorkloadTables {
    private static final String[] REPLICA_COLUMNS = {
        "Name/name", "Desired:integer", "Current:integer", "Ready:integer", "Age", "Containers*", "Images*", "Selector*"
    };

    private WorkloadTables() {}

    static void register() {
        Tables.register(
                "/replicationcontrollers", cells -> replicas(cells).labelsAt("spec", "selector"), REPLICA_COLUMNS);
        Tables.register("apps/replicasets", cells -> replicas(cells).selectorAt("spec", "selector"), REPLICA_COLUMNS);
        Tables.register(
                "apps/deployments",
                WorkloadTables::deployment,
                "Name/name",
                "Ready",
                "Up-to-date",
                "Available",
                "Age",
                "Containers*",
                "Images*",
                "Selector*");
        Tables.register(
                "apps/statefulsets",
                cells -> cells.name().text(readyOfDesired(cells)).age().containers("spec", "template", "spec"),
                "Name/name",
                "Ready",
                "Age",
                "Containers*",
                "Images*");
        Tables.register(
                "apps/daemonsets",
                WorkloadTables::daemonSet,
                "Name/name",
                "Desired:integer",
                "Current:integer",
                "Ready:integer",
                "Up-to-date:integer",
                "Available:integer",
                "Node Selector",
                "Age",
                "Containers*",
                "Images*",
                "Selector*");
        Tables.register(
                "apps/controllerrevisions",
                cells -> cells.name()
                        .text(controller(cells))
                        .numberAt("revision")
                        .age(),
                "Name/name",
                "Controller",
                "Revision",
                "Age");
        registerBatch();
        Tables.register(
                "autoscaling/horizontalpodautoscalers",
                AutoscalerTable::fill,
                "Name/name",
                "Reference",
                "Targets",
                "MinPods",
                "MaxPods",
                "Replicas",
                "Age");
        Tables.register(
                "policy/poddisruptionbudgets",
                cells -> cells.name()
                        .textOr("N/A", "spec", "minAvailable")
                        .textOr("N/A", "spec", "maxUnavailable")
                        .numberAt("status", "disruptionsAllowed")
                        .age(),
                "Name/name",
                "Min Available",
                "Max Unavailable",
                "Allowed Disruptions:integer",
                "Age");
        Tables.register(
                "scheduling.k8s.io/priorityclasses",
                cells -> cells.name()
                        .numberAt("value")
                        .flagAt("globalDefault")
                        .age()
                        .textAt("preemptionPolicy"),
                "Name/name",
                "Value:integer",
                "Global-Default:boolean",
                "Age",
                "PreemptionPolicy");
    }

    private static void registerBatch() {
        Tables.register(
                "batch/jobs",
                WorkloadTables::job,
                "Name/name",
                "Status",
                "Completions",
                "Duration",
                "Age",
                "Containers*",
                "Images*",
                "Selector*");
        Tables.register(
                "batch/cronjobs",
                WorkloadTables::cronJob,
                "Name/name",
                "Schedule",
                "Timezone",
                "Suspend:boolean",
                "Active:integer",
                "Last Schedule",
                "Age",
                "Containers*",
                "Images*",
                "Selector*");
    }

    private static Cells replicas(Cells cells) {
        return cells.name()
                .numberAt("spec", "replicas")
                .numberAt("status", "replicas")
                .numberAt("status", "readyReplicas")
                .age()
                .containers("spec", "template", "spec");
    }

    private static String readyOfDesired(Cells cells) {
        return Json.longAt(cells.object(), 0, "status", "readyReplicas") + "/"
                + Json.longAt(cells.object(), 0, "spec", "replicas");
    }

    private static void deployment(Cells cells) {
        cells.name()
                .text(readyOfDesired(cells))
                .numberAt("status", "updatedReplicas")
                .numberAt("status", "availableReplicas")
                .age()
                .containers("spec", "template", "spec")
                .text(selector(cells));
    }

    /** Unlike its siblings a deployment shows an empty selector as nothing. */
    private static String selector(Cells cells) {
        try {
            return LabelSelector.fromJson(Json.at(cells.object(), "spec", "selector"))
                    .toString();
        } catch (MalformedException e) {
            return "<invalid>";
        }
    }

    private static void daemonSet(Cells cells) {
        cells.name();
        for (String field : List.of(
                "desiredNumberScheduled",
                "currentNumberScheduled",
                "numberReady",
                "updatedNumberScheduled",
                "numberAvailable")) {
            cells.numberAt("status", field);
        }
        cells.labelsAt("spec", "template", "spec", "nodeSelector")
                .age()
                .containers("spec", "template", "spec")
                .selectorAt("spec", "selector");
    }

    private static String controller(Cells cells) {
        for (JsonNode owner : Json.listAt(cells.object(), "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller")) {
                GroupVersionKind kind = GroupVersionKind.of(owner);
                String group = kind.group().isEmpty() ? "" : "." + kind.group();
                return (kind.kind() + group).toLowerCase(Locale.ROOT) + "/" + Json.textAt(owner, "name");
            }
        }
        return Cells.NONE;
    }

    private static void job(Cells cells) {
        cells.name()
                .text(jobStatus(cells))
                .text(completions(cells))
                .text(jobDuration(cells))
                .age()
                .containers("spec", "template", "spec")
                .selectorAt("spec", "selector");
    }

    private static String jobStatus(Cells cells) {
        if (cells.isTrue("Complete")) {
            return "Complete";
        }
        if (cells.isTrue("Failed")) {
            return "Failed";
        }
        if (cells.isDeleting()) {
            return "Terminating";
        }
        for (String condition : List.of("Suspended", "FailureTarget", "SuccessCriteriaMet")) {
            if (cells.isTrue(condition)) {
                return condition;
            }
        }
        return "Running";
    }

    private static String completions(Cells cells) {
        long succeeded = Json.longAt(cells.object(), 0, "status", "succeeded");
        if (cells.has("spec", "completions")) {
            return succeeded + "/" + Json.longAt(cells.object(), 0, "spec", "completions");
        }
        long parallelism = Json.longAt(cells.object(), 0, "spec", "parallelism");
        return parallelism > 1 ? succeeded + "/1 of " + parallelism : succeeded + "/1";
    }

    private static String jobDuration(Cells cells) {
        String start = cells.at("status", "startTime");
        if (start.isEmpty()) {
            return "";
        }
        String end = cells.at("status", "completionTime");
        Instant until = end.isEmpty() ? cells.now() : Instant.parse(end);
        return HumanDuration.format(Duration.between(Instant.parse(start), until));
    }

    private static void cronJob(Cells cells) {
        boolean suspended = Json.flagAt(cells.object(), "spec", "suspend");
        String last = cells.at("status", "lastScheduleTime");
        cells.name()
                .textAt("spec", "schedule")
                .textOr(Cells.NONE, "spec", "timeZone")
                .text(!cells.has("spec", "suspend") ? Cells.UNSET : suspended ? "True" : "False")
                .countAt("status", "active")
                .text(last.isEmpty() ? Cells.NONE : cells.ageOf(last))
                .age()
                .containers("spec", "jobTemplate", "spec", "template", "spec")
                .selectorAt("spec", "jobTemplate", "spec", "selector");
    }
}
