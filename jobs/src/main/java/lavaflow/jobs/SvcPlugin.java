package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Gives the pods of a Job names by which they find each other, tells them these names, and keeps others away. */
final class SvcPlugin implements JobPlugin {
    private static final String NOT_READY = "publish-not-ready-addresses";
    private static final String NO_POLICY = "disable-network-policy";
    private static final String HOSTS_ENV = "inject-hosts-env";
    static final Map<String, Object> DEFAULTS = Map.of(NOT_READY, false, NO_POLICY, false, HOSTS_ENV, true);

    private static final String MOUNT_PATH = "/etc/volcano";

    private final PluginArguments arguments;

    SvcPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        if (Json.textAt(spec, "hostname").isEmpty()) {
            spec.put("hostname", Json.textAt(pod, "metadata", "name"));
        }
        if (Json.textAt(spec, "subdomain").isEmpty()) {
            spec.put("subdomain", job.name());
        }
        String map = hostsName(job);
        ObjectNode volume = PodParts.list(spec, "volumes").addObject().put("name", map);
        volume.putObject("configMap").put("name", map);
        for (ObjectNode container : PodParts.allContainers(pod)) {
            if (arguments.flag(HOSTS_ENV)) {
                environment(job, container);
            }
            PodParts.list(container, "volumeMounts")
                    .addObject()
                    .put("mountPath", MOUNT_PATH)
                    .put("name", map);
        }
    }

    private static void environment(VolcanoJob job, ObjectNode container) {
        for (Task task : job.tasks()) {
            for (String key : List.of(hostsKey(task), numberKey(task))) {
                ObjectNode entry = PodParts.list(container, "env").addObject().put("name", key);
                entry.putObject("valueFrom")
                        .putObject("configMapKeyRef")
                        .put("key", key)
                        .put("name", hostsName(job));
            }
        }
    }

    @Override
    public List<JobObject> objects(VolcanoJob job, Supplier<SshKeys> keys) {
        List<JobObject> objects = new ArrayList<>();
        objects.add(hosts(job));
        objects.add(service(job));
        if (!arguments.flag(NO_POLICY)) {
            objects.add(policy(job));
        }
        return objects;
    }

    private static JobObject hosts(VolcanoJob job) {
        ObjectNode map = named("v1", "ConfigMap", hostsName(job));
        ObjectNode data = map.putObject("data");
        for (Task task : job.tasks()) {
            List<String> hosts = Hosts.addresses(job, task);
            data.put(key(task) + ".host", String.join("\n", hosts));
            data.put(hostsKey(task), String.join(",", hosts));
            data.put(numberKey(task), Integer.toString(hosts.size()));
        }
        return new JobObject(Volcano.CONFIG_MAPS, map, JobObject.Upkeep.FOLLOWS);
    }

    private JobObject service(VolcanoJob job) {
        ObjectNode service = named("v1", "Service", job.name());
        ObjectNode spec = service.putObject("spec").put("clusterIP", "None");
        spec.set("selector", labels(job));
        if (arguments.flag(NOT_READY)) {
            spec.put("publishNotReadyAddresses", true);
        }
        return once(Volcano.SERVICES, service);
    }

    private static JobObject policy(VolcanoJob job) {
        ObjectNode policy = named("networking.k8s.io/v1", "NetworkPolicy", job.name());
        ObjectNode spec = policy.putObject("spec");
        spec.putObject("podSelector").set("matchLabels", labels(job));
        spec.putArray("ingress")
                .addObject()
                .putArray("from")
                .addObject()
                .putObject("podSelector")
                .set("matchLabels", labels(job));
        spec.putArray("policyTypes").add("Ingress");
        return once(Volcano.NETWORK_POLICIES, policy);
    }

    private static ObjectNode labels(VolcanoJob job) {
        return Json.object().put(Volcano.JOB_NAME, job.name()).put(Volcano.JOB_NAMESPACE, job.namespace());
    }

    private static String hostsName(VolcanoJob job) {
        return job.name() + "-svc";
    }

    private static String key(Task task) {
        return task.name().replace('-', '_');
    }

    private static String hostsKey(Task task) {
        return "VC_" + key(task).toUpperCase(Locale.ROOT) + "_HOSTS";
    }

    private static String numberKey(Task task) {
        return "VC_" + key(task).toUpperCase(Locale.ROOT) + "_NUM";
    }

    static ObjectNode named(String apiVersion, String kind, String name) {
        ObjectNode object = Json.object().put("apiVersion", apiVersion).put("kind", kind);
        object.putObject("metadata").put("name", name);
        return object;
    }

    static JobObject once(KubeApi.Kind kind, ObjectNode object) {
        return new JobObject(kind, object, JobObject.Upkeep.ONCE);
    }
}
