package lavaflow.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** {@code vcctl job} and the programs that do the same with other letters for name and namespace. */
final class JobVerbs {
    private static final KubeApi.Kind JOBS = VolcanoObjects.JOBS;
    private static final String USUAL_RESOURCES = "cpu=1000m,memory=100Mi";
    private static final int[] WIDTHS = {15, 12, 12, 12, 6, 10, 10, 12, 10, 12, 10};
    private static final List<String> HEADS = List.of(
            "Creation",
            "Phase",
            "JobType",
            "Replicas",
            "Min",
            "Pending",
            "Running",
            "Succeeded",
            "Failed",
            "Unknown",
            "RetryCount");

    private JobVerbs() {}

    static Verb family() {
        return Verb.family(
                "job",
                "vcctl command line operation job",
                Verb.of(
                        "run",
                        "run job by parameters from the command line",
                        "Failed to run job",
                        runFlags(),
                        JobVerbs::run),
                Verb.of("list", "list job information", "Failed to list job", listFlags(), JobVerbs::list),
                Verb.of(
                        "view",
                        "show job information",
                        "Failed to view job",
                        which("N", "n"),
                        call -> view(
                                call,
                                call.mandatory(
                                        "name",
                                        "job name (specified by --name or -N) is mandatory to view a particular job"),
                                true)),
                Verb.of(
                        "suspend",
                        "abort a job",
                        "Failed to suspend job",
                        which("N", "n"),
                        call -> command(call, "suspend", "AbortJob")),
                Verb.of(
                        "resume",
                        "resume a job",
                        "Failed to resume job",
                        which("N", "n"),
                        call -> command(call, "resume", "ResumeJob")),
                Verb.of(
                        "delete",
                        "delete a job",
                        "Failed to delete job",
                        which("N", "n"),
                        call -> delete(call, "delete")));
    }

    /** The programs of one command each. */
    static List<Verb> programs() {
        String where = "in default or specified namespace";
        return List.of(
                Verb.of(
                        "vsub",
                        "submit a job with specified name and arguments. yaml/json file is not accepted, you may refer to"
                                + " kubectl.",
                        "Failed to",
                        submitFlags(),
                        JobVerbs::submit),
                Verb.of(
                        "vcancel",
                        "cancel a running, pending, or aborted job with specified name " + where,
                        "Failed to",
                        which("n", "N"),
                        call -> delete(call, "cancel")),
                Verb.of(
                        "vsuspend",
                        "suspend a running or pending job with specified name " + where,
                        "Failed to",
                        which("n", "N"),
                        call -> command(call, "suspend", "AbortJob")),
                Verb.of(
                        "vresume",
                        "resume an aborted job with specified name " + where,
                        "Failed to",
                        which("n", "N"),
                        call -> command(call, "resume", "ResumeJob")),
                Verb.of(
                        "vjobs",
                        "view information of a job with specified name or jobs from the same namespace",
                        "Failed to",
                        viewFlags(),
                        JobVerbs::listOrView));
    }

    // ---- flags

    private static List<Flag> which(String name, String namespace) {
        return List.of(
                Flag.text("name", name, "", "the name of job"),
                Flag.text("namespace", namespace, "default", "the namespace of job"));
    }

    private static List<Flag> sizes() {
        return List.of(
                Flag.number("min", "m", 1, "the minimal available tasks of job"),
                Flag.number("replicas", "r", 1, "the total tasks of job"),
                Flag.text("requests", "R", USUAL_RESOURCES, "the resource request of the task"),
                Flag.text("limits", "L", USUAL_RESOURCES, "the resource limit of the task"));
    }

    private static List<Flag> runFlags() {
        List<Flag> flags = new ArrayList<>(which("N", "n"));
        flags.addAll(sizes());
        flags.add(Flag.text("image", "i", "busybox", "the container image of job"));
        flags.add(Flag.text("scheduler", "S", "volcano", "the scheduler for this job"));
        flags.add(Flag.text("filename", "f", "", "the yaml file of job"));
        return flags;
    }

    private static List<Flag> submitFlags() {
        List<Flag> flags = new ArrayList<>(sizes());
        flags.add(Flag.text("name", "n", "", "the name of job"));
        flags.add(Flag.text(
                "namespace", "N", "", overwriting("the namespace of job", "VOLCANO_DEFAULT_JOB_NAMESPACE", "default")));
        flags.add(Flag.text(
                "image", "i", "", overwriting("the container image of job", "VOLCANO_DEFAULT_IMAGE", "busybox")));
        flags.add(Flag.text(
                "scheduler", "S", "", overwriting("the scheduler for this job", "VOLCANO_SCHEDULER_NAME", "volcano")));
        flags.add(Flag.text("command", "c", "", "the command of of job"));
        return flags;
    }

    private static String overwriting(String what, String variable, String usual) {
        return what + ", overwrite the value of '" + variable + "' (default \"" + usual + "\")";
    }

    private static List<Flag> listFlags() {
        return List.of(
                Flag.text("namespace", "n", "default", "the namespace of job"),
                Flag.flag("all-namespaces", "list jobs in all namespaces"),
                Flag.text("scheduler", "S", "", "list job with specified scheduler name"),
                Flag.text("queue", "q", "", "list job with specified queue name"),
                Flag.text("selector", "", "", "fuzzy matching jobName"));
    }

    private static List<Flag> viewFlags() {
        List<Flag> flags = new ArrayList<>(which("n", "N"));
        flags.add(Flag.flag("all-namespaces", "list jobs in all namespaces"));
        flags.add(Flag.text("scheduler", "S", "", "list job with specified scheduler name"));
        flags.add(Flag.text("selector", "", "", "fuzzy matching jobName"));
        return flags;
    }

    // ---- making jobs

    private static void run(Call call) throws IOException {
        Flags flags = call.flags();
        String file = flags.text("filename");
        if (flags.text("name").isEmpty() && file.isEmpty()) {
            throw new Verb.Refusal("job name cannot be left blank");
        }
        ObjectNode requests = VolcanoObjects.resources(flags.text("requests"));
        ObjectNode limits = VolcanoObjects.resources(flags.text("limits"));
        String namespace = flags.text("namespace");
        ObjectNode job = file.isEmpty()
                ? job(flags, namespace, flags.text("image"), flags.text("scheduler"), List.of(), requests, limits)
                : fromFile(file);
        made(call, call.create(JOBS, namespace, job));
    }

    private static ObjectNode fromFile(String file) throws IOException {
        if (!file.contains(".yaml") && !file.contains(".yml")) {
            throw new Verb.Refusal("only support yaml file");
        }
        String text;
        try {
            text = Texts.read(file);
        } catch (IOException e) {
            throw new IOException("failed to read file, err: " + e.getMessage(), e);
        }
        try {
            return WrittenOut.job(Texts.document(text));
        } catch (Verb.Refusal e) {
            throw new Verb.Refusal("failed to unmarshal file, err:  " + e.getMessage());
        }
    }

    private static void submit(Call call) throws IOException {
        Flags flags = call.flags();
        if (flags.text("name").isEmpty()) {
            throw new Verb.Refusal("job name cannot be left blank");
        }
        ObjectNode requests = VolcanoObjects.resources(flags.text("requests"));
        ObjectNode limits = VolcanoObjects.resources(flags.text("limits"));
        String namespace = given(call, "namespace", "VOLCANO_DEFAULT_JOB_NAMESPACE", "default");
        String image = given(call, "image", "VOLCANO_DEFAULT_IMAGE", "busybox");
        String scheduler = given(call, "scheduler", "VOLCANO_SCHEDULER_NAME", "volcano");
        List<String> words = ShellWords.of(flags.text("command"));
        made(call, call.create(JOBS, namespace, job(flags, namespace, image, scheduler, words, requests, limits)));
    }

    private static String given(Call call, String flag, String variable, String usual) {
        String value = call.flags().text(flag);
        String said = call.surroundings().environment().getOrDefault(variable, "");
        return !value.isEmpty() ? value : said.isEmpty() ? usual : said;
    }

    private static ObjectNode job(
            Flags flags,
            String namespace,
            String image,
            String scheduler,
            List<String> command,
            ObjectNode requests,
            ObjectNode limits) {
        return VolcanoObjects.job(new VolcanoObjects.JobShape(
                flags.text("name"),
                namespace,
                scheduler,
                image,
                command,
                flags.number("replicas"),
                flags.number("min"),
                requests,
                limits));
    }

    private static void made(Call call, ObjectNode job) {
        call.line("run job " + Json.textAt(job, "metadata", "name") + " successfully");
    }

    // ---- showing jobs

    private static void listOrView(Call call) throws IOException {
        String name = call.flags().text("name");
        if (name.isEmpty()) {
            list(call);
        } else {
            view(call, name, false);
        }
    }

    private static void view(Call call, String name, boolean conditions) throws IOException {
        String namespace = call.flags().text("namespace");
        ObjectNode job = call.get(JOBS, namespace, name);
        List<ObjectNode> events = call.list(KubeApi.Kind.core("events"), namespace).stream()
                .filter(event -> Json.textAt(event, "metadata", "name").startsWith(name + "."))
                .toList();
        call.out().print(JobView.of(job, conditions));
        call.out().print(JobView.events(events, call.surroundings().clock().instant()));
    }

    private static void list(Call call) throws IOException {
        Flags flags = call.flags();
        boolean everywhere = flags.isSet("all-namespaces");
        List<ObjectNode> jobs = call.list(JOBS, everywhere ? "" : flags.text("namespace")).stream()
                .filter(job -> fits(flags.text("queue"), Json.textAt(job, "spec", "queue"))
                        && fits(flags.text("scheduler"), Json.textAt(job, "spec", "schedulerName"))
                        && Json.textAt(job, "metadata", "name").contains(flags.text("selector")))
                .toList();
        call.out().print(jobs.isEmpty() ? "No resources found\n" : table(jobs, everywhere));
    }

    private static boolean fits(String wanted, String is) {
        return wanted.isEmpty() || wanted.equals(is);
    }

    static String table(List<ObjectNode> jobs, boolean namespaces) {
        List<Integer> widths = new ArrayList<>();
        List<String> heads = new ArrayList<>();
        if (namespaces) {
            heads.add("Namespace");
            widths.add(widest(jobs, "namespace", "Namespace") + 3);
        }
        heads.add("Name");
        widths.add(widest(jobs, "name", "Name") + 3);
        heads.addAll(HEADS);
        for (int width : WIDTHS) {
            widths.add(width);
        }
        StringBuilder text = new StringBuilder(Columns.line(widths, heads));
        jobs.forEach(job -> text.append(Columns.line(widths, row(job, namespaces))));
        return text.toString();
    }

    private static int widest(List<ObjectNode> jobs, String field, String head) {
        return Math.max(
                head.length(),
                jobs.stream()
                        .mapToInt(job -> Json.textAt(job, "metadata", field).length())
                        .max()
                        .orElse(0));
    }

    private static List<String> row(ObjectNode job, boolean namespaces) {
        List<String> row = new ArrayList<>();
        if (namespaces) {
            row.add(Json.textAt(job, "metadata", "namespace"));
        }
        String type = Json.textAt(job, "metadata", "labels", "volcano.sh/job-type");
        long replicas = 0;
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            replicas += Json.longAt(task, 0, "replicas");
        }
        row.add(Json.textAt(job, "metadata", "name"));
        row.add(Texts.day(Json.textAt(job, "metadata", "creationTimestamp")));
        row.add(Json.textAt(job, "status", "state", "phase"));
        row.add(type.isEmpty() ? "Batch" : type);
        row.add(Long.toString(replicas));
        for (String field :
                List.of("minAvailable", "pending", "running", "succeeded", "failed", "unknown", "retryCount")) {
            row.add(Long.toString(Json.longAt(job, 0, "status", field)));
        }
        return row;
    }

    // ---- changing jobs

    private static void delete(Call call, String word) throws IOException {
        String name = call.mandatory("name", "job name is mandatory to " + word + " a particular job");
        call.delete(JOBS, call.flags().text("namespace"), name);
        call.line(word + " job " + name + " successfully");
    }

    private static void command(Call call, String word, String action) throws IOException {
        String name = call.mandatory("name", "job name is mandatory to " + word + " a particular job");
        String namespace = call.flags().text("namespace");
        ObjectNode job = call.get(JOBS, namespace, name);
        call.create(VolcanoObjects.COMMANDS, namespace, VolcanoObjects.jobCommand(job, action));
    }
}
