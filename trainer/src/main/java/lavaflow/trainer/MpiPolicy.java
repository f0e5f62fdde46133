package lavaflow.trainer;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** MPI: a launcher that reaches the nodes by ssh, with a key of the job's own, and knows them from a file. */
record MpiPolicy() implements Policy {
    private static final String HOSTS = "OMPI_MCA_orte_default_hostfile";
    private static final String FULL_NAMES = "OMPI_MCA_orte_keep_fqdn_hostnames";
    private static final String SLOTS = "OMPI_MCA_orte_set_default_slots";
    private static final String SSH = "OMPI_MCA_plm_rsh_args";
    private static final Set<String> RESERVED = Set.of(HOSTS, FULL_NAMES, SLOTS, SSH);
    private static final String KEY_VOLUME = "mpi-ssh-auth";
    private static final String HOSTS_VOLUME = "mpi-hostfile";
    private static final String DIRECTORY = "/etc/mpi";
    private static final int KEY_MODE = 0400;
    private static final int GROUP_MODE = 0640;
    private static final int OWN_MODE = 0600;
    private static final int PUBLIC_MODE = 0644;
    private static final int HOSTS_MODE = 0444;

    static String keyName(String job) {
        return job + "-mpi-ssh-auth";
    }

    private static String hostsName(String job) {
        return job + "-mpi-hostfile";
    }

    private static @Nullable ObjectNode said(Blueprint blueprint) {
        return Json.objectAt(blueprint.policy(), "mpi");
    }

    private static boolean isLauncherNode(Blueprint blueprint) {
        return Json.flagAt(said(blueprint), "runLauncherAsNode");
    }

    @Override
    public void wire(Blueprint blueprint) {
        boolean both = isLauncherNode(blueprint);
        PodSet node = blueprint.set(Trainer.NODE);
        PodSet launcher = blueprint.set(Trainer.LAUNCHER);
        if (node != null) {
            int count = blueprint.numNodes();
            node.count(both && launcher != null ? Math.max(count - 1, 1) : count);
        }
        if (launcher != null) {
            launcher.count(1);
        }
        for (PodSet set : blueprint.sets()) {
            boolean launches = set.name().equals(Trainer.LAUNCHER);
            if (launches || set.name().equals(Trainer.NODE)) {
                mount(set, launches, blueprint);
            }
        }
    }

    private static void mount(PodSet set, boolean launches, Blueprint blueprint) {
        ObjectNode pod = set.podSpec();
        Trainer.upsert(pod, "volumes", "name", keyVolume(blueprint.name(), isRoot(set) ? OWN_MODE : GROUP_MODE));
        if (launches) {
            Trainer.upsert(pod, "volumes", "name", hostsVolume(blueprint.name()));
        }
        ObjectNode container = set.container(Trainer.NODE);
        if (container == null) {
            return;
        }
        String path = Json.textAt(said(blueprint), "sshAuthMountPath");
        addMount(container, KEY_VOLUME, path.isEmpty() ? "/root/.ssh" : path);
        if (launches) {
            addMount(container, HOSTS_VOLUME, DIRECTORY);
            Trainer.env(container, HOSTS, DIRECTORY + "/hostfile");
            Trainer.env(container, FULL_NAMES, "true");
            Trainer.env(container, SLOTS, Long.toString(slots(blueprint)));
            Trainer.env(container, SSH, "-o ConnectionAttempts=10");
        }
    }

    private static void addMount(ObjectNode container, String volume, String path) {
        Trainer.upsert(
                container,
                "volumeMounts",
                "name",
                Json.object().put("name", volume).put("mountPath", path));
    }

    /** Processes on each node: what the job says, what the runtime says, or one for each GPU. */
    private static long slots(Blueprint blueprint) {
        long usual = Json.longAt(said(blueprint), 1, "numProcPerNode");
        if (Json.at(blueprint.trainer(), "numProcPerNode") != null) {
            return Json.longAt(blueprint.trainer(), usual, "numProcPerNode");
        }
        return usual == 1 ? Math.max(1, blueprint.gpus()) : usual;
    }

    /** The key belongs to root: others read it by their group, and ssh wants that nobody else reads what is one's own. */
    private static boolean isRoot(PodSet set) {
        long ofPod = Json.longAt(set.podSpec(), 0, "securityContext", "runAsUser");
        return Json.longAt(set.container(Trainer.NODE), ofPod, "securityContext", "runAsUser") == 0;
    }

    private static ObjectNode keyVolume(String job, int mode) {
        ObjectNode volume = Json.object().put("name", KEY_VOLUME);
        ObjectNode secret =
                volume.putObject("secret").put("secretName", keyName(job)).put("defaultMode", KEY_MODE);
        addItem(secret, "ssh-privatekey", "id_rsa", mode);
        addItem(secret, "ssh-publickey", "id_rsa.pub", PUBLIC_MODE);
        addItem(secret, "ssh-publickey", "authorized_keys", PUBLIC_MODE);
        return volume;
    }

    private static ObjectNode hostsVolume(String job) {
        ObjectNode volume = Json.object().put("name", HOSTS_VOLUME);
        addItem(volume.putObject("configMap").put("name", hostsName(job)), "hostfile", "hostfile", HOSTS_MODE);
        return volume;
    }

    private static void addItem(ObjectNode source, String key, String path, int mode) {
        Trainer.list(source, "items")
                .addObject()
                .put("key", key)
                .put("path", path)
                .put("mode", mode);
    }

    @Override
    public List<ObjectNode> beside(Blueprint blueprint) {
        StringBuilder hosts = new StringBuilder();
        long slots = slots(blueprint);
        for (PodSet set : blueprint.sets()) {
            boolean works = set.name().equals(Trainer.NODE)
                    || (set.name().equals(Trainer.LAUNCHER) && isLauncherNode(blueprint));
            if (works) {
                blueprint
                        .hosts(set)
                        .forEach(host -> hosts.append(host)
                                .append(" slots=")
                                .append(slots)
                                .append('\n'));
            }
        }
        ObjectNode map = Trainer.owned(blueprint.trainJob(), "v1", "ConfigMap", hostsName(blueprint.name()));
        map.putObject("data").put("hostfile", hosts.toString());
        return List.of(map);
    }

    @Override
    public void check(Blueprint blueprint, FieldErrors errors) {
        long nodes = Json.longAt(blueprint.trainer(), 1, "numNodes");
        boolean whole = blueprint.set(Trainer.LAUNCHER) != null && blueprint.set(Trainer.NODE) != null;
        if (nodes >= 2 && isLauncherNode(blueprint) && !whole) {
            errors.invalid(
                    FieldPath.of("spec", "trainer", "numNodes"),
                    nodes,
                    "must have 1 when MPI trainingRuntime with enabled runLauncherAsNode does not have either launcher and node");
        }
        Policy.refuseReserved(blueprint, RESERVED, errors);
    }
}
