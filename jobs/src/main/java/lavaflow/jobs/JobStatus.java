package lavaflow.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import lavaflow.kube.GoDuration;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the status of a Job says, and what it is to say next. A view; changes are made to copies. */
record JobStatus(ObjectNode status) {
    static final String PLUGIN = "plugin-";

    static JobStatus of(VolcanoJob job) {
        ObjectNode status = Json.objectAt(job.object(), "status");
        return new JobStatus(status == null ? Json.object() : status);
    }

    Phase phase() {
        return Phase.of(Json.textAt(status, "state", "phase"));
    }

    /** Whether anybody has looked at the Job yet. */
    boolean isBegun() {
        return !Json.textAt(status, "state", "phase").isEmpty();
    }

    /** Whether it runs or is about to. */
    boolean isActive() {
        return phase() == Phase.PENDING || phase() == Phase.RUNNING;
    }

    long version() {
        return Json.longAt(status, 0, "version");
    }

    long retryCount() {
        return Json.longAt(status, 0, "retryCount");
    }

    long minAvailable() {
        return Json.longAt(status, 0, "minAvailable");
    }

    Instant lastTransition() {
        return JobPod.time(Json.textAt(status, "state", "lastTransitionTime"));
    }

    /** Whether it restarts because it was resumed: then what had ended stays as it is. */
    boolean isResumed() {
        ArrayNode conditions = Json.listAt(status, "conditions");
        for (int i = conditions.size() - 1; i >= 0; i--) {
            Phase phase = Phase.of(Json.textAt(conditions.get(i), "status"));
            if (phase != Phase.RESTARTING) {
                return phase == Phase.ABORTING || phase == Phase.ABORTED;
            }
        }
        return false;
    }

    /** Whether a status says that plugins have made something. */
    static boolean namesPlugins(ObjectNode status) {
        ObjectNode resources = Json.objectAt(status, "controlledResources");
        return resources != null
                && resources.propertyStream().anyMatch(each -> each.getKey().startsWith(PLUGIN));
    }

    /** A draft of the next status, which begins as a copy. */
    static final class Draft {
        private final ObjectNode next;
        private final Phase before;
        private final boolean begun;

        Draft(JobStatus status) {
            this.next = status.status().deepCopy();
            this.before = status.phase();
            this.begun = status.isBegun();
        }

        void counts(Counts counts, long minAvailable) {
            Counts.put(next, "minAvailable", minAvailable);
            counts.putInto(next);
        }

        void bumpVersion() {
            next.put("version", Json.longAt(next, 0, "version") + 1);
        }

        void countRetry() {
            next.put("retryCount", Json.longAt(next, 0, "retryCount") + 1);
        }

        void controls(String key, String name) {
            ObjectNode resources = Json.ensureObject(next, "controlledResources");
            resources.put(key, name);
        }

        /** True if the status said that plugins have made something; it does not any more. */
        boolean forgetPlugins() {
            if (!namesPlugins(next)) {
                return false;
            }
            ObjectNode resources = Json.ensureObject(next, "controlledResources");
            resources.remove(resources
                    .propertyStream()
                    .map(Map.Entry::getKey)
                    .filter(key -> key.startsWith(PLUGIN))
                    .toList());
            if (resources.isEmpty()) {
                next.remove("controlledResources");
            }
            return true;
        }

        /** The phase, with what goes with it; while that stays, its time does. */
        void phase(Phase phase, Instant created, Instant now) {
            boolean runs = phase == Phase.PENDING || phase == Phase.RUNNING || phase == Phase.RESTARTING;
            if (runs) {
                next.remove("runningDuration");
            }
            if (begun && phase == before) {
                return;
            }
            String time = GoTime.seconds(now);
            next.putObject("state").put("phase", phase.word()).put("lastTransitionTime", time);
            ArrayNode conditions = Json.array();
            for (JsonNode condition : Json.listAt(next, "conditions")) {
                if (!Json.textAt(condition, "status").equals(phase.word())) {
                    conditions.add(condition);
                }
            }
            conditions.addObject().put("status", phase.word()).put("lastTransitionTime", time);
            next.set("conditions", conditions);
            if (!runs) {
                Duration age = Duration.between(created, JobPod.time(time));
                next.put("runningDuration", GoDuration.format(age.isNegative() ? Duration.ZERO : age));
            }
        }

        ObjectNode made() {
            return next;
        }
    }
}
