package lavaflow.training;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The objects of an MPIJob of version 1: hosts and scripts, and the launcher's right to run commands in workers. */
final class MpiForm {
    private static final String KUBECTL_VOLUME = "mpi-job-kubectl";
    private static final String KUBECTL_PLACE = "/opt/kube";
    private static final String CONFIG_VOLUME = "mpi-job-config";
    private static final String CONFIG_PLACE = "/etc/mpi";
    private static final String EXEC = "kubexec.sh";
    private static final String HOSTS = "hostfile";
    private static final String DISCOVERY = "discover_hosts.sh";
    private static final int SCRIPT_MODE = 0555;
    private static final int FILE_MODE = 0444;

    private MpiForm() {}

    static String launcherName(TrainingJob job) {
        return job.name() + "-launcher";
    }

    static String configName(TrainingJob job) {
        return job.name() + "-config";
    }

    static int workers(TrainingJob job) {
        TrainingJob.Replica workers = job.find(Mpi.WORKER);
        return workers == null ? 0 : workers.count();
    }

    /** A launcher with cards computes, too. */
    static boolean launcherComputes(TrainingJob job) {
        TrainingJob.Replica launcher = job.find(Mpi.LAUNCHER);
        for (JsonNode container : Json.listAt(launcher == null ? null : launcher.template(), "spec", "containers")) {
            ObjectNode limits = Json.objectAt(container, "resources", "limits");
            if (limits != null) {
                for (var limit : limits.properties()) {
                    if (limit.getKey().toLowerCase(Locale.ROOT).contains("gpu")) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** @param running the names of workers that run, in order */
    static ObjectNode configMap(TrainingJob job, List<String> running) {
        long slots = Json.longAt(job.object(), 1, "spec", "slotsPerWorker");
        boolean computes = launcherComputes(job);
        StringBuilder hosts = new StringBuilder();
        StringBuilder discovery = new StringBuilder("#!/bin/sh");
        if (computes) {
            hosts.append(launcherName(job)).append(" slots=").append(slots).append('\n');
            discovery
                    .append("\necho ")
                    .append(launcherName(job))
                    .append(':')
                    .append(slots)
                    .append('\n');
        }
        for (int i = 0; i < workers(job); i++) {
            hosts.append(job.replicaName(Mpi.WORKER, i))
                    .append(" slots=")
                    .append(slots)
                    .append('\n');
        }
        running.forEach(
                name -> discovery.append("\necho ").append(name).append(':').append(slots));
        ObjectNode config = labelled(job, "v1", "ConfigMap", configName(job));
        config.putObject("data")
                .put(DISCOVERY, discovery.toString())
                .put(HOSTS, hosts.toString())
                .put(EXEC, exec(job));
        return config;
    }

    /** Waits for the worker first: a launcher may be quicker than those it starts programs in. Upstream's fails then. */
    private static String exec(TrainingJob job) {
        String container = Json.textAt(job.object(), "spec", "mainContainer");
        return "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n"
                + KUBECTL_PLACE + "/kubectl wait --for=jsonpath='{.status.phase}'=Running --timeout=600s"
                + " pod/${POD_NAME} >/dev/null || exit 1\n"
                + KUBECTL_PLACE + "/kubectl exec ${POD_NAME}"
                + (container.isEmpty() ? "" : " --container " + container)
                + " -- /bin/sh -c \"$*\"";
    }

    private static ObjectNode labelled(TrainingJob job, String apiVersion, String kind, String name) {
        ObjectNode object = Training.owned(job.object(), apiVersion, kind, name);
        Json.ensureObject(object, "metadata").putObject("labels").put("app", job.name());
        return object;
    }

    /** The launcher's own, unless its template names another one. */
    static String accountName(TrainingJob job) {
        TrainingJob.Replica launcher = job.find(Mpi.LAUNCHER);
        String said = launcher == null ? "" : Json.textAt(launcher.template(), "spec", "serviceAccountName");
        return said.isEmpty() ? launcherName(job) : said;
    }

    static ObjectNode account(TrainingJob job) {
        return labelled(job, "v1", "ServiceAccount", accountName(job));
    }

    static ObjectNode role(TrainingJob job) {
        ObjectNode role = labelled(job, "rbac.authorization.k8s.io/v1", "Role", launcherName(job));
        ArrayNode rules = role.putArray("rules");
        ObjectNode look = rules.addObject();
        look.putArray("verbs").add("get").add("list").add("watch");
        look.putArray("apiGroups").add("");
        look.putArray("resources").add("pods");
        ObjectNode run = rules.addObject();
        run.putArray("verbs").add("create");
        run.putArray("apiGroups").add("");
        run.putArray("resources").add("pods/exec");
        if (workers(job) > 0) {
            ArrayNode names = run.putArray("resourceNames");
            for (int i = 0; i < workers(job); i++) {
                names.add(job.replicaName(Mpi.WORKER, i));
            }
        }
        return role;
    }

    static ObjectNode binding(TrainingJob job) {
        ObjectNode binding = labelled(job, "rbac.authorization.k8s.io/v1", "RoleBinding", launcherName(job));
        binding.putArray("subjects")
                .addObject()
                .put("kind", "ServiceAccount")
                .put("name", accountName(job))
                .put("namespace", job.namespace());
        binding.putObject("roleRef")
                .put("apiGroup", "rbac.authorization.k8s.io")
                .put("kind", "Role")
                .put("name", launcherName(job));
        return binding;
    }

    static void wireWorker(TrainingJob job, ObjectNode podSpec) {
        List<ObjectNode> containers = TrainingJob.containers(podSpec);
        if (containers.isEmpty()) {
            return;
        }
        ObjectNode first = containers.getFirst();
        if (Json.listAt(first, "command").isEmpty()) {
            first.putArray("command").add("sleep");
            first.putArray("args").add("365d");
        }
        mount(first, CONFIG_VOLUME, CONFIG_PLACE);
        config(job, podSpec, List.of(EXEC));
    }

    static void wireLauncher(TrainingJob job, ObjectNode podSpec, Settings settings) {
        if (Json.textAt(podSpec, "serviceAccountName").isEmpty()) {
            podSpec.put("serviceAccountName", launcherName(job));
        }
        Training.list(podSpec, "initContainers").add(delivery(job, settings));
        List<ObjectNode> containers = TrainingJob.containers(podSpec);
        if (containers.isEmpty()) {
            return;
        }
        ObjectNode first = containers.getFirst();
        List<String> given = new ArrayList<>();
        Json.listAt(first, "env").forEach(variable -> given.add(Json.textAt(variable, "name")));
        Training.env(first, "OMPI_MCA_plm_rsh_agent", CONFIG_PLACE + "/" + EXEC);
        Training.env(first, "OMPI_MCA_orte_default_hostfile", CONFIG_PLACE + "/" + HOSTS);
        if (!launcherComputes(job)) {
            Training.env(first, "NVIDIA_VISIBLE_DEVICES", "");
            Training.env(first, "NVIDIA_DRIVER_CAPABILITIES", "");
        }
        if (!given.contains("I_MPI_HYDRA_BOOTSTRAP")) {
            Training.env(first, "I_MPI_HYDRA_BOOTSTRAP", "rsh");
        }
        if (!given.contains("I_MPI_HYDRA_BOOTSTRAP_EXEC")) {
            Training.env(first, "I_MPI_HYDRA_BOOTSTRAP_EXEC", CONFIG_PLACE + "/" + EXEC);
        }
        mount(first, KUBECTL_VOLUME, KUBECTL_PLACE);
        mount(first, CONFIG_VOLUME, CONFIG_PLACE);
        Training.list(podSpec, "volumes")
                .addObject()
                .put("name", KUBECTL_VOLUME)
                .putObject("emptyDir");
        config(job, podSpec, List.of(EXEC, HOSTS, DISCOVERY));
    }

    private static ObjectNode delivery(TrainingJob job, Settings settings) {
        ObjectNode container = Json.object();
        container.put("name", "kubectl-delivery");
        container.put("image", settings.kubectlImage());
        Training.env(container, "TARGET_DIR", KUBECTL_PLACE);
        Training.env(container, "NAMESPACE", job.namespace());
        ObjectNode resources = container.putObject("resources");
        for (String part : List.of("limits", "requests")) {
            resources
                    .putObject(part)
                    .put("cpu", "100m")
                    .put("ephemeral-storage", "5Gi")
                    .put("memory", "512Mi");
        }
        mount(container, KUBECTL_VOLUME, KUBECTL_PLACE);
        mount(container, CONFIG_VOLUME, CONFIG_PLACE);
        container.put("imagePullPolicy", "IfNotPresent");
        return container;
    }

    private static void mount(ObjectNode container, String volume, String place) {
        Training.list(container, "volumeMounts").addObject().put("name", volume).put("mountPath", place);
    }

    private static void config(TrainingJob job, ObjectNode podSpec, List<String> files) {
        ObjectNode map = Training.list(podSpec, "volumes")
                .addObject()
                .put("name", CONFIG_VOLUME)
                .putObject("configMap");
        map.put("name", configName(job));
        ArrayNode items = map.putArray("items");
        for (String file : files) {
            items.addObject()
                    .put("key", file)
                    .put("path", file)
                    .put("mode", file.equals(HOSTS) ? FILE_MODE : SCRIPT_MODE);
        }
    }
}
