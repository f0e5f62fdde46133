package lavaflow.scheduler;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be in a cluster for gangs: the definitions of their kinds, the rights of their scheduler, and the queues everybody
 * has. Whatever is there already stays as it is: somebody may have installed newer ones.
 */
public final class Definitions {
    private static final Logger LOG = LoggerFactory.getLogger(Definitions.class);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

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
                    "queues.scheduling.incubator.k8s.io"));

    private static final String ROLE = "volcano-scheduler";

    private final KubeApi api;
    private final List<DefinitionFiles> more;
    private boolean hasMade;

    /**
     * Definitions for a cluster.
     *
     * @param api writes as somebody who may install things
     * @param more kinds that others bring along
     */
    public Definitions(KubeApi api, List<DefinitionFiles> more) {
        this.api = api;
        this.more = List.copyOf(more);
    }

    /** Makes what is missing and waits until the kinds are served; false if they are not after all. */
    public boolean ensure() throws InterruptedException {
        ensure(FILES);
        ensureRights();
        boolean queues = awaitQueues();
        if (queues) {
            ensureQueue("root", false);
            ensureQueue("default", true);
        } else {
            LOG.warn("queues are not served: no gang will be scheduled");
        }
        for (DefinitionFiles files : more) {
            ensure(files);
        }
        return queues;
    }

    /** Makes definitions that are missing. */
    public void ensureDefined() {
        FILES.names().forEach(name -> ensure(FILES, name));
        more.forEach(files -> files.names().forEach(name -> ensure(files, name)));
    }

    private void ensure(DefinitionFiles files, String name) {
        if (api.find(DEFINITIONS, "", name).isEmpty()) {
            create(DEFINITIONS, files.read(name));
            hasMade = true;
        }
    }

    /** Whether kinds were missing. */
    public boolean hasMade() {
        return hasMade;
    }

    /** The same for somebody who may be stopped meanwhile. */
    private void ensure(DefinitionFiles files) throws InterruptedException {
        for (String name : files.names()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            ensure(files, name);
        }
    }

    private void create(KubeApi.Kind kind, ObjectNode object) {
        try {
            api.create(kind, "", object);
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
            // Another one was quicker.
        }
    }

    /** The scheduler of gangs is a user of its own, with the name it has upstream. */
    private void ensureRights() {
        if (api.find(ROLES, "", ROLE).isEmpty()) {
            create(ROLES, FILES.read(ROLE));
        }
        String name = ROLE + "-role";
        if (api.find(BINDINGS, "", name).isEmpty()) {
            create(BINDINGS, FILES.read(name));
        }
    }

    private boolean awaitQueues() throws InterruptedException {
        Semaphore changed = new Semaphore(0);
        api.onKindsChange(changed::release);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!api.kinds().contains(GangKinds.QUEUES) || !api.kinds().contains(GangKinds.GROUPS)) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || !changed.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                return false;
            }
            changed.drainPermits();
        }
        return true;
    }

    private void ensureQueue(String name, boolean reclaimable) {
        if (api.find(GangKinds.QUEUES, "", name).isPresent()) {
            return;
        }
        ObjectNode queue = Json.object();
        queue.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "Queue");
        queue.putObject("metadata").put("name", name);
        queue.putObject("spec").put("reclaimable", reclaimable).put("weight", 1);
        create(GangKinds.QUEUES, queue);
    }
}
