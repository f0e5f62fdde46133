package lavaflow.trainer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which claims of JobSets are refused. Whether one of a name is there already is not asked: a JobSet that comes again finds what it kept. */
final class JobSetClaimRules {
    private static final int LONGEST = 63;
    private static final FieldPath JOBS = FieldPath.of("spec", "replicatedJobs");

    private final JobSetView set;
    private final FieldErrors errors;
    private final Set<String> names = new HashSet<>();

    private JobSetClaimRules(JobSetView set, FieldErrors errors) {
        this.set = set;
        this.errors = errors;
    }

    static void check(JobSetView set, FieldErrors errors) {
        JobSetClaimRules rules = new JobSetClaimRules(set, errors);
        List<ObjectNode> policies = Trainer.objects(Json.listAt(set.object(), "spec", "volumeClaimPolicies"));
        for (int i = 0; i < policies.size(); i++) {
            List<ObjectNode> templates = Trainer.objects(Json.listAt(policies.get(i), "templates"));
            for (int j = 0; j < templates.size(); j++) {
                // Upstream leaves the end of the word away.
                FieldPath path = FieldPath.of("spec", "volumeClaimPolicies")
                        .index(i)
                        .child("template")
                        .index(j);
                rules.checkTemplate(Trainer.name(templates.get(j)), path.child("name"));
            }
        }
    }

    private void checkTemplate(String name, FieldPath path) {
        if (!names.add(name)) {
            errors.invalid(path, name, "names must be unique for VolumeClaimPolicies template");
        }
        Names.dns1123Subdomain(name).forEach(wrong -> errors.invalid(path, name, wrong));
        if (ChildForm.claimName(set, name).length() > LONGEST) {
            errors.invalid(path, name, "VolumeClaimPolicies template name is too long");
        }
        List<ObjectNode> jobs = Trainer.objects(Json.listAt(set.object(), "spec", "replicatedJobs"));
        List<JsonNode> pods = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            JsonNode pod = Json.ensureObject(jobs.get(i), "template", "spec", "template", "spec");
            pods.add(pod);
            checkVolumes(name, pod, JOBS.index(i).child("template", "spec", "template", "spec", "volumes"));
        }
        if (pods.stream().noneMatch(pod -> ChildForm.mounts(pod, name))) {
            errors.invalid(
                    JOBS,
                    Json.listAt(set.object(), "spec", "replicatedJobs"),
                    "replicatedJob containers don't have a matching volumeMount: " + name
                            + " from VolumeClaimPolicies");
        }
    }

    private void checkVolumes(String name, JsonNode pod, FieldPath path) {
        List<ObjectNode> volumes = Trainer.objects(Json.listAt(pod, "volumes"));
        for (int i = 0; i < volumes.size(); i++) {
            if (Json.textAt(volumes.get(i), "name").equals(name)) {
                errors.invalid(
                        path.index(i).child("name"),
                        name,
                        "volume name conflicts with VolumeClaimPolicy template name: " + name);
            }
        }
    }
}
