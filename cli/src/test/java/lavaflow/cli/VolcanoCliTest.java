package lavaflow.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What Volcano's programs say. The texts are those that upstream's 1.14.1 printed for the same objects; e2e/vcctl asks it again. */
class VolcanoCliTest {
    private static final KubeApi.Kind JOBS = VolcanoObjects.JOBS;
    private static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Instant NOW = Instant.parse("2030-01-02T03:04:35Z"); // half a minute after everything was made

    private final TestingKubeApi api = new TestingKubeApi()
            .serve(JOBS, "Job")
            .serve(VolcanoObjects.COMMANDS, "Command")
            .serve(QUEUES, "Queue")
            .serve(GROUPS, "PodGroup")
            .serve(PODS, "Pod")
            .serve(KubeApi.Kind.core("events"), "Event")
            .serve(FlowVerbs.JOB_FLOWS.kind(), "JobFlow")
            .serve(FlowVerbs.JOB_TEMPLATES.kind(), "JobTemplate");
    private final Map<String, String> environment = new HashMap<>();
    private boolean reachable = true;

    private record Said(int code, String out, String err) {}

    private Said run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Surroundings surroundings = new Surroundings(
                new PrintWriter(out),
                new PrintWriter(err),
                environment,
                "9.9",
                this::connect,
                JsonNode::toPrettyString,
                () -> NOW);
        List<String> all = List.of(words);
        int code = VolcanoCli.run(all.getFirst(), all.subList(1, all.size()), surroundings);
        return new Said(code, out.toString(), err.toString());
    }

    private Surroundings.Connected connect(String kubeconfig, String server) throws IOException {
        if (!reachable) {
            throw new IOException("cannot reach " + server + kubeconfig);
        }
        return new Surroundings.Connected() {
            @Override
            public KubeApi api() {
                return api;
            }

            @Override
            public void close() {}
        };
    }

    private static ObjectNode parse(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    private void job(String namespace, String name, String queue, String status) {
        api.create(
                JOBS,
                namespace,
                parse("{'metadata':{'name':'" + name + "'},'spec':{'queue':'" + queue
                        + "','schedulerName':'volcano','minAvailable':2,"
                        + "'tasks':[{'name':'a','replicas':1},{'name':'b','replicas':2}]},'status':" + status + "}"));
    }

    @Test
    void jobsAreListedInColumnsOfFixedWidth() {
        job("default", "train", "default", "{'state':{'phase':'Running'},'minAvailable':2,'running':3,'retryCount':1}");
        job("default", "a-long-name", "gpu", "{}");
        job("team", "x", "default", "{}");
        assertThat(run("vcctl", "job", "list").out()).isEqualTo("""
                Name          Creation       Phase       JobType     Replicas    Min   Pending   Running   Succeeded   Failed    Unknown     RetryCount
                a-long-name   2030-01-02                 Batch       3           0     0         0         0           0         0           0        \s
                train         2030-01-02     Running     Batch       3           2     0         3         0           0         0           1        \s
                """);
        assertThat(run("vjobs", "--all-namespaces").out().lines().toList().getLast())
                .startsWith("team        x             2030-01-02                 Batch");
        assertThat(run("vcctl", "job", "list", "-q", "gpu").out().lines()).hasSize(2);
        assertThat(run("vcctl", "job", "list", "--selector=rai").out().lines()).hasSize(2);
        assertThat(run("vcctl", "job", "list", "-S", "other")).isEqualTo(new Said(0, "No resources found\n", ""));
    }

    @Test
    void aJobIsMadeOfFlags() {
        assertThat(run("vcctl", "job", "run", "-N", "j", "-n", "team", "-i", "nginx", "-r", "3", "-m2", "-L", ""))
                .isEqualTo(new Said(0, "run job j successfully\n", ""));
        ObjectNode job = api.get(JOBS, "team", "j");
        assertThat(job.get("spec")).isEqualTo(parse("""
                {'schedulerName':'volcano','minAvailable':2,'tasks':[{'replicas':3,'template':{
                 'metadata':{'name':'j','labels':{'job.volcano.sh':'j'}},
                 'spec':{'containers':[{'name':'j','image':'nginx','resources':{'requests':{'cpu':'1','memory':'100Mi'}},
                  'imagePullPolicy':'IfNotPresent'}],'restartPolicy':'Never'}}}]}"""));
    }

    @Test
    void vsubAsksTheEnvironmentAndTakesACommandApart() {
        environment.put("VOLCANO_DEFAULT_IMAGE", "mine");
        environment.put("VOLCANO_DEFAULT_JOB_NAMESPACE", "team");
        assertThat(run("vsub", "-n", "j", "-c", "sh -c 'sleep 1'").out()).isEqualTo("run job j successfully\n");
        JsonNode container = Json.at(api.get(JOBS, "team", "j"), "spec", "tasks")
                .path(0)
                .path("template")
                .path("spec")
                .path("containers")
                .path(0);
        assertThat(container.path("image").asText()).isEqualTo("mine");
        assertThat(Json.string(container.path("command"))).isEqualTo("[\"sh\",\"-c\",\"sleep 1\"]");
    }

    @Test
    void aJobComesFromAFile(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("job.yaml"), "metadata: {name: f}\nspec: {minAvailable: 7}\n");
        assertThat(run("vcctl", "job", "run", "-f", file.toString()).out()).isEqualTo("run job f successfully\n");
        assertThat(Json.longAt(api.get(JOBS, "default", "f"), 0, "spec", "minAvailable"))
                .isEqualTo(7);
    }

    @Test
    void whatUpstreamsTypesCannotLeaveOutIsWritten(@TempDir Path directory) throws IOException {
        String spec =
                "spec: {tasks: [{template: {spec: {containers: [{name: c}, {name: d, resources: {limits: {cpu: 1}}}]}}}],"
                        + " volumes: [{volumeClaim: {}}]}\n";
        Path file = Files.writeString(directory.resolve("job.yaml"), "metadata: {name: f}\n" + spec);
        run("vcctl", "job", "run", "-f", file.toString());
        String template = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{}},"
                + "{\"name\":\"d\",\"resources\":{\"limits\":{\"cpu\":1}}}]},\"metadata\":{}}";
        assertThat(Json.string(Json.at(api.get(JOBS, "default", "f"), "spec")))
                .isEqualTo("{\"tasks\":[{\"template\":" + template
                        + "}],\"volumes\":[{\"volumeClaim\":{\"resources\":{}}}]}");
        run("vcctl", "jobtemplate", "create", "-f", file.toString());
        assertThat(run("vcctl", "jobtemplate", "describe", "-N", "f", "-o", "json")
                        .out())
                .contains("\"resources\": {}", "\"metadata\": {}");
        run("vcctl", "queue", "create", "-n", "q");
        assertThat(Json.string(Json.at(api.get(QUEUES, "", "q"), "spec"))).isEqualTo("{\"weight\":1,\"guarantee\":{}}");
    }

    @ParameterizedTest
    @CsvSource({"suspend, AbortJob, vsuspend", "resume, ResumeJob, vresume"})
    void jobsAreSuspendedAndResumedByCommands(String verb, String action, String program) {
        job("team", "train", "default", "{}");
        assertThat(run("vcctl", "job", verb, "-N", "train", "-n", "team")).isEqualTo(new Said(0, "", ""));
        assertThat(run(program, "-n", "train", "-N", "team")).isEqualTo(new Said(0, "", ""));
        List<ObjectNode> commands =
                api.list(VolcanoObjects.COMMANDS, "team", KubeApi.View.WHOLE).items();
        assertThat(commands).hasSize(2).allSatisfy(command -> {
            assertThat(Json.textAt(command, "action")).isEqualTo(action);
            assertThat(Json.textAt(command, "target", "name")).isEqualTo("train");
            assertThat(Json.textAt(command, "target", "kind")).isEqualTo("Job");
            assertThat(Json.listAt(command, "metadata", "ownerReferences").path(0))
                    .isEqualTo(command.get("target"));
        });
    }

    @Test
    void jobsAreDeletedByTwoNames() {
        job("default", "a", "default", "{}");
        job("default", "b", "default", "{}");
        assertThat(run("vcctl", "job", "delete", "-N", "a").out()).isEqualTo("delete job a successfully\n");
        assertThat(run("vcancel", "-n", "b").out()).isEqualTo("cancel job b successfully\n");
        assertThat(run("vcancel", "-n", "b"))
                .isEqualTo(new Said(255, "Failed to: jobs.batch.volcano.sh \"b\" not found\n", ""));
    }

    @Test
    void aJobIsDescribed() {
        job(
                "default",
                "train",
                "default",
                "{'state':{'phase':'Running'},'running':3,'controlledResources':{'plugin-svc':'svc'},"
                        + "'conditions':[{'status':'Pending','lastTransitionTime':'2030-01-02T03:04:05Z'}]}");
        api.create(
                KubeApi.Kind.core("events"),
                "default",
                parse("{'metadata':{'name':'train.1'},'type':'Warning','reason':'PVCError','count':3,"
                        + "'firstTimestamp':'2030-01-02T03:04:05Z','lastTimestamp':'2030-01-02T03:04:15Z',"
                        + "'source':{'component':'vc-controller-manager'},'message':'no claim '}"));
        String said = run("vcctl", "job", "view", "-N", "train").out();
        assertThat(said)
                .startsWith("Name:       \ttrain\nNamespace:  \tdefault\nLabels:     \t<none>\n")
                .contains("  Creation Timestamp:\t2030-01-02 03:04:05 +0000 UTC\n")
                .contains("    Name:\tb\n    Replicas:\t2\n    Template:\n      Metadata:\n        Annotations:\n")
                .contains("Status:\n  Running:      \t3\n  State:\n    Phase:\tRunning\n")
                .contains("  Controlled Resources:\n    plugin-svc: \tsvc\n  Conditions:\n    Status\tTransitionTime\n")
                .contains("    Pending \t2030-01-02 03:04:05 +0000 UTC \n")
                .contains("Warning        \tPVCError                                \t20s (x3 over 30s)             \t"
                        + "vc-controller-manager                   \tno claim\n");
        assertThat(run("vjobs", "-n", "train").out()).doesNotContain("Conditions");
        assertThat(run("vcctl", "job", "view", "-N", "none"))
                .isEqualTo(new Said(255, "Failed to view job: jobs.batch.volcano.sh \"none\" not found\n", ""));
    }

    @Test
    void queuesAreMadeChangedAndListedWithTheirPodGroups() {
        run("vcctl", "queue", "create", "-n", "q", "-w", "3");
        ObjectNode queue = api.get(QUEUES, "", "q");
        assertThat(Json.longAt(queue, 0, "spec", "weight")).isEqualTo(3);
        assertThat(Json.textAt(queue, "status", "state")).isEqualTo("Open");
        run("vcctl", "queue", "operate", "-n", "q", "-a", "update", "-w", "5");
        api.create(GROUPS, "a", parse("{'metadata':{'name':'g'},'spec':{'queue':'q'},'status':{'phase':'Running'}}"));
        assertThat(run("vcctl", "queue", "get", "-n", "q").out()).isEqualTo("""
                Name                     Weight  State   Parent  Inqueue Pending Running Unknown Completed
                q                        5       Open            0       0       1       0       0      \s
                """);
        assertThat(run("vqueues").out().lines().toList().getFirst())
                .isEqualTo("Name                     Weight  State   Inqueue Pending Running Unknown ");
        run("vcctl", "queue", "operate", "-n", "q", "-a", "close");
        assertThat(api.list(VolcanoObjects.COMMANDS, "default", KubeApi.View.WHOLE)
                        .items())
                .extracting(command -> Json.textAt(command, "action"))
                .containsExactly("CloseQueue");
        assertThat(run("vcctl", "queue", "delete", "-n", "q")).isEqualTo(new Said(0, "", ""));
    }

    @Test
    void podsAreChosenByJobOrQueue() {
        pod("a", "'labels':{'volcano.sh/job-name':'j','volcano.sh/queue-name':'q'}");
        pod("b", "'annotations':{'scheduling.volcano.sh/queue-name':'q'}");
        pod("c", "'labels':{'other':'x'}");
        assertThat(run("vcctl", "pod", "list").out()).isEqualTo("""
                Name     Ready      Status         Restart  Age       \s
                a        0/1        Running        0        30s       \s
                """);
        assertThat(run("vcctl", "pod", "list", "-q", "q").out().lines()).hasSize(3);
        assertThat(run("vcctl", "pod", "list", "-j", "none").out()).isEqualTo("No resources found\n");
        assertThat(run("vcctl", "pod", "list", "-j", "j", "-q", "x"))
                .isEqualTo(new Said(255, "Failed to list pod: the input vcjob j does not match the queue x\n", ""));
    }

    private void pod(String name, String metadata) {
        api.create(
                PODS,
                "default",
                parse("{'metadata':{'name':'" + name + "'," + metadata
                        + "},'spec':{'containers':[{'name':'c'}]},'status':{'phase':'Running'}}"));
    }

    @Test
    void flowsAndTemplatesComeFromFilesOfManyDocuments(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(
                directory.resolve("t.yaml"), "metadata: {name: a}\n---\nmetadata: {name: bb, namespace: team}\n---\n");
        assertThat(run("vcctl", "jobtemplate", "create", "-f", file.toString()).out())
                .isEqualTo("Created JobTemplate: default/a\nCreated JobTemplate: team/bb\n");
        assertThat(run("vcctl", "jobtemplate", "create", "-f", file.toString()).out())
                .startsWith("Failed to create JobTemplate: ");
        assertThat(run("vcctl", "jobtemplate", "list").out()).isEqualTo("""
                Name    Namespace   \s
                a       default     \s
                """);
        assertThat(run("vcctl", "jobtemplate", "delete", "-N", "a").out())
                .isEqualTo("Deleted JobTemplate: default/a\n");
        run("vcctl", "jobflow", "create", "-f", file.toString());
        assertThat(run("vcctl", "jobflow", "list", "--all-namespaces").out().lines())
                .containsExactly(
                        "Name    Namespace    Phase    Age    ",
                        "a       default               30s    ",
                        "bb      team                  30s    ");
        assertThat(run("vcctl", "jobflow", "describe", "-N", "a", "-o", "json").out())
                .startsWith("{\n  \"apiVersion\"")
                .contains("\"kind\": \"JobFlow\"");
        assertThat(run("vcctl", "jobflow", "describe", "-N", "a", "-o", "x").out())
                .isEqualTo("Unsupported format: x");
        assertThat(run("vcctl", "jobflow", "delete", "-f", file.toString()).out())
                .isEqualTo("Deleted JobFlow: default/a\nDeleted JobFlow: team/bb\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "vcctl job run|Failed to run job: job name cannot be left blank",
                "vcctl job run -f x.txt|Failed to run job: only support yaml file",
                "vcctl job run -f x.yaml|Failed to run job: failed to read file, err: open x.yaml: no such file or directory",
                "vcctl job run -N a -R cpu|Failed to run job: invalid argument syntax cpu, expected <resource>=<value>",
                "vcctl job run -N a -R cpu=x|Failed to run job: quantities must match the regular expression"
                        + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                "vcctl job view|Failed to view job: job name (specified by --name or -N) is mandatory to view a particular job",
                "vcctl job delete|Failed to delete job: job name is mandatory to delete a particular job",
                "vcancel|Failed to: job name is mandatory to cancel a particular job",
                "vsuspend|Failed to: job name is mandatory to suspend a particular job",
                "vsub|Failed to: job name cannot be left blank",
                "vcctl queue operate|Failed to operate queue: queue name must be specified",
                "vcctl queue operate -n q|Failed to operate queue: action can not be null",
                "vcctl queue operate -n q -a x|Failed to operate queue: action x invalid, valid actions are open, close and update",
                "vcctl queue operate -n q -a update|Failed to operate queue: when update queue q, weight must be specified,"
                        + " the value must be greater than 0",
                "vcctl queue get|Failed to get queue: name is mandatory to get the particular queue details",
                "vcctl jobflow create|Failed to create jobflow: open : no such file or directory",
                "vcctl jobtemplate delete|Failed to delete jobtemplate: job template name must be specified",
                "vcctl job list -s there|Failed to list job: cannot reach there"
            })
    void whatCannotBeDoneIsSaidOnStandardOutput(String line, String said) {
        reachable = false;
        assertThat(run(line.split(" ", -1))).isEqualTo(new Said(255, said + "\n", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "vcctl nope|unknown command \"nope\" for \"vcctl\"",
                "vcctl job list --bad|unknown flag: --bad",
                "vcctl job -x|unknown shorthand flag: 'x' in -x",
                "vcctl job list -n|flag needs an argument: 'n' in -n",
                "vcctl job list --namespace|flag needs an argument: --namespace",
                "vcctl job run -m x|invalid argument \"x\" for \"-m, --min\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
                "vcctl queue create -w 99999999999|invalid argument \"99999999999\" for \"-w, --weight\" flag: strconv.ParseInt:"
                        + " parsing \"99999999999\": value out of range",
                "vcctl job list --all-namespaces=x|invalid argument \"x\" for \"--all-namespaces\" flag: strconv.ParseBool:"
                        + " parsing \"x\": invalid syntax"
            })
    void wrongUsageIsSaidOnStandardError(String line, String said) {
        assertThat(run(line.split(" ", -1))).isEqualTo(new Said(1, "", "Error: " + said + "\n"));
    }

    @Test
    void similarCommandsAreProposed() {
        assertThat(run("vcctl", "que").err())
                .isEqualTo("Error: unknown command \"que\" for \"vcctl\"\n\nDid you mean this?\n\tqueue\n\n");
    }

    @Test
    void helpIsLaidOutLikeUpstreams() {
        String help = """
                show job information

                Usage:
                  vcctl job view [flags]

                Flags:
                  -h, --help                help for view
                  -k, --kubeconfig string   (optional) absolute path to the kubeconfig file
                  -s, --master string       the address of apiserver
                  -N, --name string         the name of job
                  -n, --namespace string    the namespace of job (default "default")

                Global Flags:
                      --log-flush-frequency duration   Maximum number of seconds between log flushes (default 5s)
                  -v, --v Level                        number for the log level verbosity
                      --vmodule moduleSpec             comma-separated list of pattern=N settings for file-filtered logging (only works for the default text log format)
                """;
        assertThat(run("vcctl", "job", "view", "--help")).isEqualTo(new Said(0, help, ""));
        assertThat(run("vcctl", "-v", "3", "help", "job", "view").out()).isEqualTo(help);
        assertThat(run("vcctl", "job").out()).contains("\nAvailable Commands:\n  delete      delete a job\n");
        assertThat(run("vcctl", "job", "nope").code()).isZero();
    }

    @Test
    void aKindThatIsNotServedIsSaidAsUpstreamsClientDoes() {
        api.withdraw(JOBS);
        Said said = run("vcctl", "job", "list");
        assertThat(said.code()).isEqualTo(255);
        assertThat(said.out()).startsWith("Failed to list job: ");
    }

    @Test
    void theVersionTellsWhoThisIs() {
        assertThat(run("vcctl", "version").out()).startsWith("API Version: v1alpha1\nVersion: lavaflow 9.9\n");
    }
}
