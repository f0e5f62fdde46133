package lavaflow.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** New pods of a job, and which of its pods go when there are too many. Pure. */
final class JobTemplate {
    private static final String VARIABLE = "JOB_COMPLETION_INDEX";
    /** Names of pods get five random characters and must remain labels. */
    private static final int PREFIX_LENGTH = 58;

    private JobTemplate() {}

    /**
     * What a new pod is for.
     *
     * @param index which part of the work, {@link JobPod#NO_INDEX} where parts have no numbers
     * @param replaced the pod that failed before it with that part, null for the first one
     */
    record Place(int index, @Nullable JobPod replaced) {
        static final Place ANYWHERE = new Place(JobPod.NO_INDEX, null);
    }

    static ObjectNode pod(ObjectNode job, Place place) {
        ObjectNode pod = ReplicaDecisions.pod(job);
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        List<String> finalizers = Objects.finalizers(pod);
        if (!finalizers.contains(JobPod.FINALIZER)) {
            metadata.withArray("finalizers").add(JobPod.FINALIZER);
        }
        if (place.index() == JobPod.NO_INDEX) {
            return pod;
        }
        String index = Integer.toString(place.index());
        Json.ensureObject(metadata, "annotations").put(JobPod.INDEX, index);
        Json.ensureObject(metadata, "labels").put(JobPod.INDEX, index);
        metadata.put("generateName", prefix(Objects.name(job), "-" + index + "-"));
        ObjectNode spec = Json.ensureObject(pod, "spec");
        spec.put("hostname", Objects.name(job) + "-" + index);
        for (String list : List.of("initContainers", "containers")) {
            Json.listAt(spec, list).forEach(container -> addVariable((ObjectNode) container));
        }
        JobSpec wanted = JobSpec.of(job);
        if (wanted.countsPerIndex()) {
            countFailures(Json.ensureObject(metadata, "annotations"), wanted, place.replaced());
        }
        return pod;
    }

    private static String prefix(String name, String ending) {
        int kept = Math.min(name.length(), PREFIX_LENGTH - ending.length());
        return name.substring(0, kept) + ending;
    }

    private static void addVariable(ObjectNode container) {
        ArrayNode variables = container.withArray("env");
        for (JsonNode variable : variables) {
            if (Json.textAt(variable, "name").equals(VARIABLE)) {
                return;
            }
        }
        ObjectNode added = variables.addObject().put("name", VARIABLE);
        added.putObject("valueFrom").putObject("fieldRef").put("fieldPath", "metadata.labels['" + JobPod.INDEX + "']");
    }

    private static void countFailures(ObjectNode annotations, JobSpec spec, @Nullable JobPod replaced) {
        int failures = 0;
        int ignored = 0;
        if (replaced != null) {
            boolean counts = spec.failurePolicy().judge(replaced).counts();
            failures = replaced.failuresBefore() + (counts ? 1 : 0);
            ignored = replaced.ignoredBefore() + (counts ? 0 : 1);
        }
        annotations.put(JobPod.FAILURES, Integer.toString(failures));
        if (ignored > 0) {
            annotations.put(JobPod.IGNORED, Integer.toString(ignored));
        }
    }

    /**
     * The active pods that go: of an indexed job all with a number that is not wanted or that another one has; then the
     * cheapest until enough go.
     */
    static List<JobPod> removals(JobSpec spec, List<JobPod> active, int atLeast) {
        List<JobPod> going = new ArrayList<>();
        List<JobPod> staying = new ArrayList<>();
        if (spec.indexed()) {
            List<JobPod> dearestFirst =
                    active.stream().sorted(JobPod.CHEAPEST_FIRST.reversed()).toList();
            Set<Integer> kept = new HashSet<>();
            for (JobPod pod : dearestFirst) {
                (spec.fits(pod) && kept.add(pod.index()) ? staying : going).add(pod);
            }
            going.sort(Comparator.comparingInt(JobPod::index).thenComparing(JobPod.CHEAPEST_FIRST));
        } else {
            staying.addAll(active);
        }
        staying.sort(JobPod.CHEAPEST_FIRST);
        going.addAll(staying.subList(0, Math.clamp(atLeast - going.size(), 0, staying.size())));
        return going;
    }
}
