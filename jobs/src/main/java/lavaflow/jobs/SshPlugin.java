package lavaflow.jobs;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Lets the pods of a Job log in to each other without being asked for anything. */
final class SshPlugin implements JobPlugin {
    private static final String PATH = "ssh-key-file-path";
    private static final String PRIVATE = "ssh-private-key";
    private static final String PUBLIC = "ssh-public-key";
    private static final String PORT = "ssh-port";
    private static final String HOME = "/root/.ssh";
    private static final long USUAL_PORT = 22;
    static final Map<String, Object> DEFAULTS = Map.of(PATH, HOME, PRIVATE, "", PUBLIC, "", PORT, USUAL_PORT);

    private static final String DIRECTORY = ".ssh";
    private static final List<String> FILES = List.of("id_rsa", "id_rsa.pub", "authorized_keys", "config");
    private static final long OWNER_ONLY = 0600;
    private static final long READABLE = 0644;

    private final PluginArguments arguments;

    SshPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        String path = arguments.text(PATH);
        ObjectNode volume = PodParts.list(Json.ensureObject(pod, "spec"), "volumes")
                .addObject()
                .put("name", secretName(job));
        ObjectNode secret = volume.putObject("secret").put("secretName", secretName(job));
        ArrayNode items = secret.putArray("items");
        for (String file : FILES) {
            items.addObject().put("key", file).put("path", DIRECTORY + "/" + file);
        }
        // Elsewhere than in root's home somebody else reads them.
        secret.put("defaultMode", path.equals(HOME) ? OWNER_ONLY : READABLE);
        for (ObjectNode container : PodParts.allContainers(pod)) {
            PodParts.list(container, "volumeMounts")
                    .addObject()
                    .put("mountPath", path)
                    .put("subPath", DIRECTORY)
                    .put("name", secretName(job));
        }
    }

    @Override
    public List<JobObject> objects(VolcanoJob job, Supplier<SshKeys> keys) {
        SshKeys pair = arguments.text(PRIVATE).isEmpty()
                ? keys.get()
                : new SshKeys(arguments.text(PRIVATE), arguments.text(PUBLIC));
        ObjectNode secret = SvcPlugin.named("v1", "Secret", secretName(job));
        secret.putObject("data")
                .put("id_rsa", encoded(pair.privateKey()))
                .put("id_rsa.pub", encoded(pair.publicKey()))
                .put("authorized_keys", encoded(pair.publicKey()))
                .put("config", encoded(configuration(job)));
        return List.of(SvcPlugin.once(Volcano.SECRETS, secret));
    }

    /** The short name of every pod leads to the long one; the port is told where it is not the one that ssh takes anyway. */
    private String configuration(VolcanoJob job) {
        StringBuilder text = new StringBuilder("StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n");
        long port = arguments.number(PORT);
        for (Task task : job.tasks()) {
            for (long index = 0; index < Hosts.count(task); index++) {
                text.append("Host ").append(Hosts.name(job, task, index)).append('\n');
                text.append("  HostName ")
                        .append(Hosts.address(job, task, index))
                        .append('\n');
                if (port != USUAL_PORT) {
                    text.append("  Port ").append(port).append('\n');
                }
            }
        }
        return text.toString();
    }

    private static String secretName(VolcanoJob job) {
        return job.name() + "-ssh";
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
