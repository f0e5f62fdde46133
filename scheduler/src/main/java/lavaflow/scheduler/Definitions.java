package lavaflow.scheduler;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.controller.ServedKinds;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be in a cluster for gangs: the definitions of their kinds, the rights of those who work on them and of those who use
 * them, and the queues everybody has. What somebody else has installed stays as it is.
 */
public final class Definitions {
    private static final Logger LOG = LoggerFactory.getLogger(Definitions.class);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final List<String> GANGS =
            List.of("podgroups.scheduling.volcano.sh", "queues.scheduling.volcano.sh");

    static final KubeApi.Kind DEFINITIONS =
            new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false);
    private static final KubeApi.Kind ROLES =
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterroles", false);
    private static final KubeApi.Kind BINDINGS =
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterrolebindings", false);

    /** The kinds of gangs themselves, and whatever else their scheduler needs. */
    public static final DefinitionFiles FILES = new DefinitionFiles(
            Definitions.class,
            List.of(
                    "podgroups.scheduling.volcano.sh",
                    "queues.scheduling.volcano.sh",
                    "hypernodes.topology.volcano.sh",
                    "commands.bus.volcano.sh",
                    "numatopologies.nodeinfo.volcano.sh",
                    "nodeshards.shard.volcano.sh",
                    "colocationconfigurations.config.volcano.sh",
                    "podgroups.scheduling.incubator.k8s.io",
                    "podgroups.scheduling.x-k8s.io",
                    "queues.scheduling.incubator.k8s.io"),
            List.of("volcano-scheduler", "volcano-scheduler-role", "volcano-gangs-edit", "volcano-gangs-view"));

    private final KubeApi api;
    private final Installer installer;
    private final List<DefinitionFiles> all;

    /**
     * Definitions for a cluster.
     *
     * @param api writes as somebody who may install things
     * @param more kinds that others bring along
     */
    public Definitions(KubeApi api, List<DefinitionFiles> more) {
        this.api = api;
        this.installer = new Installer(api);
        this.all = Stream.concat(Stream.of(FILES), more.stream()).toList();
    }

    /** Makes what is missing, the kinds of gangs first and their queues as soon as these are served; false if they are not after all. */
    public boolean ensure() throws InterruptedException {
        ensureRights();
        ensure(FILES);
        boolean queues = ServedKinds.await(api, GANGS, PATIENCE);
        if (queues) {
            ensureQueue("root", false);
            ensureQueue("default", true);
        } else {
            LOG.warn("queues are not served: no gang will be scheduled");
        }
        for (DefinitionFiles files : all.subList(1, all.size())) {
            ensure(files);
        }
        return queues;
    }

    /** Waits until every kind is served; false if some are not after that time. */
    public boolean awaitServed(Duration patience) throws InterruptedException {
        return ServedKinds.await(
                api, all.stream().flatMap(files -> files.names().stream()).toList(), patience);
    }

    /** Makes definitions that are missing. */
    public void ensureDefined() {
        all.forEach(files -> files.names().forEach(name -> installer.ensure(DEFINITIONS, files, name)));
    }

    /**
     * Gives everybody his rights: each of those who work on the kinds is a user of his own, with the name he has upstream. On
     * clusters of others they may be given otherwise, and not by whoever asks.
     */
    public void ensureRights() {
        for (DefinitionFiles files : all) {
            for (String name : files.rights()) {
                boolean binding = Json.textAt(files.read(name), "kind").equals("ClusterRoleBinding");
                try {
                    installer.ensure(binding ? BINDINGS : ROLES, files, name);
                } catch (ApiException e) {
                    if (e.code() != HttpURLConnection.HTTP_FORBIDDEN) {
                        throw e;
                    }
                    LOG.warn("{} is not installed: {}", name, e.getMessage());
                }
            }
        }
    }

    /** Whether kinds or rights were missing or old. */
    public boolean hasMade() {
        return installer.hasWritten();
    }

    /** The same for somebody who may be stopped meanwhile. */
    private void ensure(DefinitionFiles files) throws InterruptedException {
        for (String name : files.names()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            installer.ensure(DEFINITIONS, files, name);
        }
    }

    private void ensureQueue(String name, boolean reclaimable) {
        if (api.find(GangKinds.QUEUES, "", name).isPresent()) {
            return;
        }
        ObjectNode queue = Json.object();
        queue.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "Queue");
        queue.putObject("metadata").put("name", name);
        queue.putObject("spec").put("reclaimable", reclaimable).put("weight", 1);
        installer.create(GangKinds.QUEUES, queue);
    }
}
