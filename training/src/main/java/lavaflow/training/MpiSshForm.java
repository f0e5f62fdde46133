package lavaflow.training;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The objects of an MPIJob of the second version. */
final class MpiSshForm {
    private static final String CONFIG_VOLUME = "mpi-job-config";
    private static final String CONFIG_PLACE = "/etc/mpi";
    private static final String HOSTS = "hostfile";
    private static final String DISCOVERY = "discover_hosts.sh";
    private static final String SSH_VOLUME = "ssh-auth";
    private static final String ROOTS_KEYS = "/root/.ssh";
    private static final String PATIENCE = "-o ConnectionAttempts=10";

    private final MpiSshJob job;
    private final Settings settings;

    MpiSshForm(MpiSshJob job, Settings settings) {
        this.job = job;
        this.settings = settings;
    }

    private ObjectNode labelled(String apiVersion, String kind, String name) {
        ObjectNode object = Training.owned(job.object(), apiVersion, kind, name);
        Json.ensureObject(object, "metadata").putObject("labels").put("app", job.name());
        return object;
    }

    ObjectNode service() {
        ObjectNode service = labelled("v1", "Service", job.name());
        ObjectNode spec = service.putObject("spec");
        spec.put("clusterIP", "None");
        spec.putObject("selector").put(Training.JOB_NAME, job.name()).put(Training.OPERATOR_NAME, MpiSshJob.OPERATOR);
        if (job.launcherComputes()) {
            spec.put("publishNotReadyAddresses", true);
        }
        return service;
    }

    ObjectNode secret(SshKey key) {
        ObjectNode secret = labelled("v1", "Secret", job.secretName());
        secret.put("type", "kubernetes.io/ssh-auth");
        secret.putObject("data")
                .put("ssh-privatekey", encoded(key.privatePem()))
                .put("ssh-publickey", encoded(key.publicLine()));
        return secret;
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String host(String pod) {
        String domain = settings.clusterDomain().isEmpty() ? "" : "." + settings.clusterDomain();
        return pod + "." + job.name() + "." + job.namespace() + ".svc" + domain;
    }

    /** @param running the names of workers that run, in order */
    ObjectNode configMap(List<String> running) {
        List<String> pods = new ArrayList<>();
        StringBuilder discovery = new StringBuilder("#!/bin/sh\n");
        if (job.launcherComputes()) {
            pods.add(job.launcherName());
            discovery.append("echo ").append(host(job.launcherName())).append('\n');
        }
        for (int i = 0; i < job.workers(); i++) {
            pods.add(job.workerName(i));
        }
        running.forEach(pod -> discovery.append("echo ").append(host(pod)).append('\n'));
        String slots = (job.text("mpiImplementation").equals("OpenMPI") ? " slots=" : ":") + job.slots() + "\n";
        StringBuilder hosts = new StringBuilder();
        pods.forEach(pod -> hosts.append(host(pod)).append(slots));
        ObjectNode config = labelled("v1", "ConfigMap", job.configName());
        config.putObject("data").put(DISCOVERY, discovery.toString()).put(HOSTS, hosts.toString());
        return config;
    }

    private void label(ObjectNode metadata, String role) {
        Json.ensureObject(metadata, "labels")
                .put(Training.OPERATOR_NAME, MpiSshJob.OPERATOR)
                .put(Training.JOB_NAME, job.name())
                .put(Training.JOB_ROLE, role);
    }

    /** A template's labels and annotations, and nothing else of its metadata. */
    private static ObjectNode metadata(ObjectNode template) {
        ObjectNode metadata = Json.object();
        for (String field : List.of("labels", "annotations")) {
            JsonNode value = Json.at(template, "metadata", field);
            if (value != null) {
                metadata.set(field, value.deepCopy());
            }
        }
        return metadata;
    }

    private void name(ObjectNode spec, String pod) {
        spec.put("hostname", pod).put("subdomain", job.name());
        if (Json.flagAt(spec, "hostNetwork")) {
            spec.put("dnsPolicy", "ClusterFirstWithHostNet");
        }
    }

    /** Upstream's operator takes its pods to the gang's scheduler whatever their templates say. */
    private void decorate(ObjectNode pod, Gang gang) {
        if (gang.isOn()) {
            Json.ensureObject(pod, "spec").put("schedulerName", gang.scheduler());
            gang.decorate(pod, job.name(), "");
        }
    }

    ObjectNode worker(int index, Gang gang) {
        ObjectNode template = job.template(Mpi.WORKER);
        ObjectNode pod = Training.owned(job.object(), "v1", "Pod", job.workerName(index));
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        metadata.setAll(metadata(template));
        label(metadata, "worker");
        Json.ensureObject(metadata, "labels")
                .put(Training.REPLICA_INDEX, Integer.toString(job.launcherComputes() ? index + 1 : index));
        ObjectNode spec = Json.ensureObject(template, "spec");
        pod.set("spec", spec);
        name(spec, job.workerName(index));
        Training.list(Json.ensureObject(spec, "dnsConfig"), "searches")
                .add(job.name() + "." + job.namespace() + ".svc.cluster.local");
        spec.put("restartPolicy", job.restartPolicy(Mpi.WORKER));
        TrainingJob.containers(spec).stream().findFirst().ifPresent(first -> {
            if (Json.listAt(first, "command").isEmpty()
                    && Json.listAt(first, "args").isEmpty()) {
                first.putArray("command").add("/usr/sbin/sshd").add("-De");
            }
            Training.env(first, "K_MPI_JOB_ROLE", "worker");
            keys(spec, first);
        });
        decorate(pod, gang);
        return pod;
    }

    ObjectNode launcher(Gang gang) {
        ObjectNode launcher = labelled("batch/v1", "Job", job.launcherName());
        ObjectNode spec = launcher.putObject("spec");
        put(spec, "ttlSecondsAfterFinished", job.policy().secondsToKeep());
        put(spec, "activeDeadlineSeconds", job.policy().deadlineSeconds());
        put(spec, "backoffLimit", job.policy().backoffLimit());
        spec.put("podReplacementPolicy", "Failed");
        if (job.policy().suspended()) {
            spec.put("suspend", true);
        }
        spec.set("template", launcherTemplate(gang));
        return launcher;
    }

    private static void put(ObjectNode spec, String field, @Nullable Long value) {
        if (value != null) {
            spec.put(field, value);
        }
    }

    private ObjectNode launcherTemplate(Gang gang) {
        ObjectNode given = job.template(Mpi.LAUNCHER);
        ObjectNode template = Json.object();
        ObjectNode metadata = metadata(given);
        template.set("metadata", metadata);
        Training.own(metadata, job.object());
        label(metadata, "launcher");
        if (job.launcherComputes()) {
            Json.ensureObject(metadata, "labels").put(Training.REPLICA_INDEX, "0");
        }
        ObjectNode spec = Json.ensureObject(given, "spec");
        template.set("spec", spec);
        name(spec, job.launcherName());
        spec.put("restartPolicy", job.restartPolicy(Mpi.LAUNCHER));
        TrainingJob.containers(spec).stream().findFirst().ifPresent(first -> {
            Training.env(first, "K_MPI_JOB_ROLE", "launcher");
            implementation(first);
            if (!job.launcherComputes()) {
                Training.env(first, "NVIDIA_VISIBLE_DEVICES", "");
                Training.env(first, "NVIDIA_DRIVER_CAPABILITIES", "");
            }
            keys(spec, first);
            config(spec, first);
        });
        decorate(template, gang);
        return template;
    }

    private void implementation(ObjectNode container) {
        String hosts = CONFIG_PLACE + "/" + HOSTS;
        String slots = Long.toString(job.slots());
        switch (job.text("mpiImplementation")) {
            case "Intel" -> {
                Training.env(container, "I_MPI_HYDRA_HOST_FILE", hosts);
                Training.env(container, "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", PATIENCE);
                Training.env(container, "I_MPI_PERHOST", slots);
            }
            case "MPICH" -> {
                Training.env(container, "HYDRA_HOST_FILE", hosts);
                // MPICH reads only the second of these names; upstream sets the first, and its launchers fail until
                // sshd listens.
                Training.env(container, "HYDRA_LAUNCH_EXTRA_ARGS", PATIENCE);
                if (!hasVariable(container, "HYDRA_LAUNCHER_EXTRA_ARGS")) {
                    Training.env(container, "HYDRA_LAUNCHER_EXTRA_ARGS", PATIENCE);
                }
            }
            default -> {
                Training.env(container, "OMPI_MCA_orte_keep_fqdn_hostnames", "true");
                Training.env(container, "OMPI_MCA_orte_default_hostfile", hosts);
                Training.env(container, "OMPI_MCA_plm_rsh_args", PATIENCE);
                Training.env(container, "OMPI_MCA_orte_set_default_slots", slots);
            }
        }
    }

    private static boolean hasVariable(ObjectNode container, String name) {
        for (JsonNode variable : Json.listAt(container, "env")) {
            if (Json.textAt(variable, "name").equals(name)) {
                return true;
            }
        }
        return false;
    }

    private void keys(ObjectNode spec, ObjectNode container) {
        String place = job.text("sshAuthMountPath");
        ObjectNode secret = Training.list(spec, "volumes")
                .addObject()
                .put("name", SSH_VOLUME)
                .putObject("secret");
        secret.put("secretName", job.secretName());
        ArrayNode items = secret.putArray("items");
        items.addObject().put("key", "ssh-privatekey").put("path", "id_rsa");
        items.addObject().put("key", "ssh-publickey").put("path", "id_rsa.pub");
        items.addObject().put("key", "ssh-publickey").put("path", "authorized_keys");
        if (place.equals(ROOTS_KEYS)) {
            secret.put("defaultMode", 0600);
        }
        Training.list(container, "volumeMounts")
                .addObject()
                .put("name", SSH_VOLUME)
                .put("mountPath", place);
    }

    private void config(ObjectNode spec, ObjectNode container) {
        ObjectNode map = Training.list(spec, "volumes")
                .addObject()
                .put("name", CONFIG_VOLUME)
                .putObject("configMap");
        map.put("name", job.configName());
        ArrayNode items = map.putArray("items");
        items.addObject().put("key", HOSTS).put("path", HOSTS).put("mode", 0444);
        items.addObject().put("key", DISCOVERY).put("path", DISCOVERY).put("mode", 0555);
        Training.list(container, "volumeMounts")
                .addObject()
                .put("name", CONFIG_VOLUME)
                .put("mountPath", CONFIG_PLACE);
    }

    /** The launcher counts first where both are worth the same. */
    GroupForm.Wish wish() {
        ObjectNode launcher = job.template(Mpi.LAUNCHER);
        ObjectNode worker = job.template(Mpi.WORKER);
        String first = Json.textAt(launcher, "spec", "priorityClassName");
        String second = Json.textAt(worker, "spec", "priorityClassName");
        // A launcher that waits for its workers cannot be one of those they wait for.
        int launchers = job.launchesAtOnce() ? 1 : 0;
        return new GroupForm.Wish(
                job.object(),
                List.of(
                        new GroupForm.Share(launchers, launcher, first),
                        new GroupForm.Share(job.workers(), worker, second)),
                job.policy().scheduling(),
                Json.textAt(job.object(), "metadata", "annotations", "scheduling.volcano.sh/queue-name"),
                first.isEmpty() ? second : first);
    }
}
