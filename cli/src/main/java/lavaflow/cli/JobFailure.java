package lavaflow.cli;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Why a Volcano Job has failed, as its numbers tell: it has a phase for that, but no words. */
public final class JobFailure {
    private JobFailure() {}

    /** Empty for a job that has not failed, or says nothing in numbers. */
    public static String of(ObjectNode job) {
        if (!Json.textAt(job, "status", "state", "phase").equals("Failed")) {
            return "";
        }
        List<String> words = new ArrayList<>();
        long failed = Json.longAt(job, 0, "status", "failed");
        long succeeded = Json.longAt(job, 0, "status", "succeeded");
        long minSuccess = Json.longAt(job, 0, "spec", "minSuccess");
        long minAvailable = Json.longAt(job, 0, "spec", "minAvailable");
        if (failed > 0) {
            words.add(failed + " of " + replicas(job) + " pods failed");
        }
        if (succeeded < minSuccess) {
            words.add(succeeded + " succeeded of " + minSuccess + " that must (minSuccess)");
        } else if (failed > 0 && minSuccess == 0 && succeeded < minAvailable) {
            words.add(succeeded + " succeeded of " + minAvailable + " that must (minAvailable)");
        }
        long retries = Json.longAt(job, 0, "status", "retryCount");
        long most = Json.longAt(job, 3, "spec", "maxRetry");
        if (retries >= most) {
            words.add("it may not restart again (maxRetry " + most + ")");
        }
        return String.join("; ", words);
    }

    private static long replicas(ObjectNode job) {
        long all = 0;
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            all += Json.longAt(task, 0, "replicas");
        }
        return all;
    }
}
