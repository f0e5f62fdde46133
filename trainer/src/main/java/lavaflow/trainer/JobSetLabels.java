package lavaflow.trainer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What Jobs of a JobSet, and their pods, say of their place in it: labels, and annotations of the same words. */
final class JobSetLabels {
    private static final String PREFIX = "jobset.sigs.k8s.io/";
    static final String NAME = PREFIX + "jobset-name";
    static final String REPLICATED = PREFIX + "replicatedjob-name";
    static final String ATTEMPT = PREFIX + "restart-attempt";

    private JobSetLabels() {}

    static Map<String, String> of(JobSetView set, JobSetView.Replicated job, int index, long attempt) {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(NAME, set.name());
        words.put(PREFIX + "jobset-uid", set.uid());
        words.put(REPLICATED, job.name());
        words.put(ATTEMPT, Long.toString(attempt));
        words.put(PREFIX + "replicatedjob-replicas", Integer.toString(job.replicas()));
        words.put(PREFIX + "job-index", Integer.toString(index));
        words.put(PREFIX + "job-key", key(set.namespace(), set.jobName(job, index)));
        int all = 0;
        int inGroup = 0;
        for (JobSetView.Replicated each : set.jobs()) {
            if (each.name().equals(job.name())) {
                words.put(PREFIX + "job-global-index", Integer.toString(all + index));
                words.put(PREFIX + "job-group-index", Integer.toString(inGroup + index));
            }
            all += each.replicas();
            inGroup += each.group().equals(job.group()) ? each.replicas() : 0;
        }
        words.put(PREFIX + "global-replicas", Integer.toString(all));
        words.put(PREFIX + "group-name", job.group());
        words.put(PREFIX + "group-replicas", Integer.toString(inGroup));
        ObjectNode coordinator = Json.objectAt(set.object(), "spec", "coordinator");
        if (coordinator != null) {
            words.put(PREFIX + "coordinator", coordinator(set, coordinator));
        }
        return words;
    }

    /** Where the pod that leads the others is met. */
    static String coordinator(JobSetView set, ObjectNode coordinator) {
        int index = (int) Json.longAt(coordinator, 0, "jobIndex");
        return JobSetView.jobName(set.name(), Json.textAt(coordinator, "replicatedJob"), index) + "-"
                + Json.longAt(coordinator, 0, "podIndex") + "." + set.subdomain();
    }

    private static String key(String namespace, String job) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-1").digest((namespace + "/" + job).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java knows SHA-1", e);
        }
    }
}
