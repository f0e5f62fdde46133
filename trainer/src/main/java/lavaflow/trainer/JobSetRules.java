package lavaflow.trainer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which JobSets are refused. What upstream has behind switches that are off is refused, too. */
final class JobSetRules {
    private static final FieldPath JOBS = FieldPath.of("spec", "replicatedJobs");
    private static final Pattern RULE_NAME = Pattern.compile("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?");
    private static final int LONGEST_RULE = 128;
    private static final String LONG_SUBDOMAIN = ".spec.network.subdomain is too long, must be less than 63 characters";
    private static final Set<String> REASONS = Set.of(
            "BackoffLimitExceeded",
            "DeadlineExceeded",
            "FailedIndexes",
            "MaxFailedIndexesExceeded",
            "PodFailurePolicy");

    /** As it was written. */
    private final ObjectNode raw;

    private final JobSetView set;
    private final List<String> errors = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    private JobSetRules(ObjectNode set) {
        this.raw = set;
        this.set = JobSetView.of(set);
    }

    static TrainerRules.Answer judge(ObjectNode object, @Nullable ObjectNode old) {
        JobSetRules rules = new JobSetRules(object);
        if (old == null) {
            rules.check();
        } else {
            rules.checkChange(JobSetView.of(old));
        }
        String why = TrainerRules.joined(rules.errors);
        return new TrainerRules.Answer(
                why.isEmpty() ? "" : "JobSet.jobset.x-k8s.io \"" + Trainer.name(object) + "\" is invalid: " + why,
                List.of());
    }

    private void invalid(FieldPath path, String value, String why) {
        invalid(path, Json.text(value), why);
    }

    private void invalid(FieldPath path, @Nullable JsonNode value, String why) {
        FieldErrors one = new FieldErrors();
        one.invalid(path, value, why);
        one.list().stream().map(FieldError::message).forEach(errors::add);
    }

    private void check() {
        if (Json.textAt(set.failurePolicy(), "restartStrategy").equals("InPlaceRestart")) {
            errors.add("InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled");
        }
        if (!set.jobs().isEmpty() && !set.jobs().getFirst().after().isEmpty()) {
            errors.add("DependsOn can't be set for the first ReplicatedJob");
        }
        String subdomain = Json.textAt(set.object(), "spec", "network", "subdomain");
        if (!subdomain.isEmpty()) {
            FieldPath path = FieldPath.of("spec", "network", "subdomain");
            Names.dns1123Subdomain(subdomain).forEach(wrong -> invalid(path, subdomain, wrong));
            for (String wrong : Names.dns1035Label(subdomain)) {
                invalid(path, subdomain, isTooLong(wrong) ? LONG_SUBDOMAIN : wrong);
            }
        }
        for (int i = 0; i < set.jobs().size(); i++) {
            checkJob(set.jobs().get(i), JOBS.index(i));
        }
        for (String name : Trainer.texts(Json.at(set.object(), "spec", "successPolicy", "targetReplicatedJobs"))) {
            if (!names.contains(name)) {
                errors.add("invalid replicatedJob name '" + name + "' does not appear in .spec.ReplicatedJobs");
            }
        }
        checkFailurePolicy(Trainer.objects(Json.listAt(set.failurePolicy(), "rules")));
        ObjectNode coordinator = Json.objectAt(set.object(), "spec", "coordinator");
        if (coordinator != null) {
            checkCoordinator(coordinator);
        }
        FieldErrors wrong = new FieldErrors();
        JobSetClaimRules.check(set, wrong);
        wrong.list().stream().map(FieldError::message).forEach(errors::add);
    }

    private void checkJob(JobSetView.Replicated job, FieldPath path) {
        names.add(job.name());
        Names.dns1035Label(job.group()).forEach(wrong -> invalid(path.child("groupName"), job.group(), wrong));
        String longest = set.jobName(job, Math.max(0, job.replicas() - 1));
        for (String wrong : Names.dns1035Label(longest)) {
            invalid(path.child("name"), longest, shorter(wrong, "job"));
        }
        long completions = Json.longAt(job.template(), 0, "spec", "completions");
        boolean indexed = Json.textAt(job.template(), "spec", "completionMode").equals("Indexed");
        if (indexed && completions > 0) {
            for (String wrong : Names.dns1035Label(longest + "-" + (completions - 1) + "-abcde")) {
                invalid(path.child("name"), longest, shorter(wrong, "pod"));
            }
        }
        for (String other : job.after().keySet()) {
            if (!names.contains(other)) {
                errors.add("replicatedJob: " + job.name() + " cannot depend on replicatedJob: " + other);
            }
        }
    }

    private static String shorter(String wrong, String what) {
        return isTooLong(wrong)
                ? "JobSet name is too long, " + what + " names generated for this JobSet will exceed 63 characters"
                : wrong;
    }

    private static boolean isTooLong(String wrong) {
        return wrong.startsWith("must be no more than");
    }

    private void checkFailurePolicy(List<ObjectNode> rules) {
        if (rules.stream()
                .anyMatch(rule -> Json.textAt(rule, "action").startsWith("RestartJob")
                        && !Json.textAt(rule, "action").startsWith("RestartJobSet"))) {
            errors.add("RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed when"
                    + " RestartJob feature gate is disabled");
            return;
        }
        Map<String, List<Integer>> places = new TreeMap<>();
        for (int i = 0; i < rules.size(); i++) {
            String name = Json.textAt(rules.get(i), "name");
            places.computeIfAbsent(name, _ -> new ArrayList<>()).add(i);
            if (name.isEmpty() || name.length() > LONGEST_RULE) {
                errors.add("invalid failure policy rule name of length " + name.length()
                        + ", the rule name must be at least 1 characters long and at most " + LONGEST_RULE
                        + " characters long");
            }
            if (!RULE_NAME.matcher(name).matches()) {
                errors.add("invalid failure policy rule name '" + name
                        + "', a failure policy rule name must start with an alphabetic character, optionally followed by a"
                        + " string of alphanumeric characters or '_,:', and must end with an alphanumeric character or"
                        + " '_'");
            }
            for (String target : Trainer.texts(rules.get(i).get("targetReplicatedJobs"))) {
                if (!names.contains(target)) {
                    errors.add("invalid replicatedJob name '" + target
                            + "' in failure policy does not appear in .spec.ReplicatedJobs");
                }
            }
            for (String reason : Trainer.texts(rules.get(i).get("onJobFailureReasons"))) {
                if (!REASONS.contains(reason)) {
                    errors.add("invalid job failure reason '" + reason
                            + "' in failure policy is not a recognized job failure reason");
                }
            }
        }
        places.forEach((name, indices) -> {
            if (indices.size() > 1) {
                errors.add("rule names are not unique, rules with indices "
                        + indices.toString().replace(",", "") + " all have the same name '" + name + "'");
            }
        });
    }

    private void checkCoordinator(ObjectNode coordinator) {
        String name = Json.textAt(coordinator, "replicatedJob");
        JobSetView.Replicated job = set.jobs().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(null);
        long index = Json.longAt(coordinator, 0, "jobIndex");
        long pod = Json.longAt(coordinator, 0, "podIndex");
        if (job == null) {
            errors.add("coordinator replicatedJob " + name + " does not exist");
        } else if (index < 0 || index >= job.replicas()) {
            errors.add("coordinator job index " + index + " is invalid for replicatedJob " + name);
        } else {
            long completions = Json.longAt(job.template(), -1, "spec", "completions");
            if (completions < 0
                    || !Json.textAt(job.template(), "spec", "completionMode").equals("Indexed")) {
                errors.add(
                        "job for coordinator pod must be indexed completion mode, and completions number must be set");
            } else if (pod < 0 || pod >= completions) {
                errors.add("coordinator pod index " + pod + " is invalid for replicatedJob " + name + " job index "
                        + index);
            }
        }
        String label = JobSetLabels.coordinator(set, coordinator);
        List<String> wrong = Names.labelValue(label);
        if (!wrong.isEmpty()) {
            errors.add("spec will lead to invalid label value \"" + label + "\" for coordinator label \""
                    + "jobset.sigs.k8s.io/coordinator\" (long JobSet / ReplicatedJob / SubDomain name?): "
                    + String.join(", ", wrong));
        }
    }

    /** While nobody runs, that may change by which pods are placed. */
    private void checkChange(JobSetView old) {
        ObjectNode next = set.object().deepCopy();
        if (old.isSuspended() || set.isSuspended()) {
            for (ObjectNode job : Trainer.objects(Json.listAt(next, "spec", "replicatedJobs"))) {
                old.jobs().stream()
                        .filter(each -> each.name().equals(Json.textAt(job, "name")))
                        .forEach(each -> forgetPlacement(
                                Json.ensureObject(job, "template", "spec", "template"),
                                Json.ensureObject(each.template(), "spec", "template")));
            }
        }
        if (!Json.listAt(next, "spec", "replicatedJobs").equals(Json.listAt(old.object(), "spec", "replicatedJobs"))) {
            invalid(JOBS, Json.listAt(raw, "spec", "replicatedJobs"), "field is immutable");
        }
        JsonNode manager = Json.at(next, "spec", "managedBy");
        if (!Objects.equals(manager, Json.at(old.object(), "spec", "managedBy"))) {
            invalid(FieldPath.of("spec", "managedBy"), manager, "field is immutable");
        }
    }

    private static void forgetPlacement(ObjectNode next, ObjectNode old) {
        for (String field : List.of("labels", "annotations")) {
            copy(Json.ensureObject(next, "metadata"), Json.ensureObject(old, "metadata"), field);
        }
        for (String field : List.of("nodeSelector", "tolerations", "schedulingGates")) {
            copy(Json.ensureObject(next, "spec"), Json.ensureObject(old, "spec"), field);
        }
    }

    private static void copy(ObjectNode next, ObjectNode old, String field) {
        JsonNode value = old.get(field);
        if (value == null) {
            next.remove(field);
        } else {
            next.set(field, value.deepCopy());
        }
    }
}
