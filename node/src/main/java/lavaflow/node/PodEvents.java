package lavaflow.node;

import java.time.InstantSource;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.QueuedEvents;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells what became of containers, in the words of the kubelet. */
final class PodEvents implements AutoCloseable {
    private final QueuedEvents events;

    /** @param api of any node: all of them may write events */
    PodEvents(KubeApi api, InstantSource clock) {
        this.events = new QueuedEvents(api, "kubelet", clock);
    }

    void tell(ObjectNode object, SimPod pod, PodRun before, PodRun after) {
        ObjectNode about = about(object);
        PodRun.End end = after.end();
        if (end != null && before.end() == null) {
            events.warning(about, end.reason(), end.message());
        }
        if (after.stopping() && !before.stopping()) {
            stopping(about, before.inits());
            stopping(about, before.mains());
        }
        tell(about, pod, pod.inits(), before.inits(), after.inits());
        tell(about, pod, pod.mains(), before.mains(), after.mains());
        pod.inits().forEach(each -> pull(about, pod, each, before, after));
        pod.mains().forEach(each -> pull(about, pod, each, before, after));
    }

    private void pull(ObjectNode about, SimPod pod, SimContainer container, PodRun before, PodRun after) {
        boolean tried = PodSimulation.isTurnOf(container, pod, after);
        if (container.missing() && tried && !PodSimulation.isTurnOf(container, pod, before)) {
            String image = "\"" + container.image() + "\"";
            events.normal(about, "Pulling", "Pulling image " + image);
            events.warning(about, "Failed", "Failed to pull image " + image + ": " + container.image() + ": not found");
            events.warning(about, "Failed", "Error: ErrImagePull");
            events.normal(about, "BackOff", "Back-off pulling image " + image);
        }
    }

    private void stopping(ObjectNode about, List<ContainerRun> runs) {
        runs.stream()
                .filter(ContainerRun::isRunning)
                .forEach(each -> events.normal(about, "Killing", "Stopping container " + each.name()));
    }

    private void tell(
            ObjectNode about,
            SimPod pod,
            List<SimContainer> containers,
            List<ContainerRun> before,
            List<ContainerRun> after) {
        for (int i = 0; i < after.size(); i++) {
            ContainerRun old = before.get(i);
            ContainerRun now = after.get(i);
            if (old.equals(now)) {
                continue;
            }
            boolean started = old.state() instanceof ContainerRun.Waiting
                    && !(now.state() instanceof ContainerRun.Waiting)
                    && !(now.state() instanceof ContainerRun.Missing);
            if (started || now.restarts() > old.restarts()) {
                events.normal(
                        about,
                        "Pulled",
                        "Container image \"" + containers.get(i).image()
                                + "\" already present on machine and can be accessed by the pod");
                events.normal(about, "Created", "Container created");
                events.normal(about, "Started", "Container started");
            }
            if (now.state() instanceof ContainerRun.BackingOff && !(old.state() instanceof ContainerRun.BackingOff)) {
                events.warning(
                        about,
                        "BackOff",
                        "Back-off restarting failed container " + now.name() + " in pod " + pod.name() + "_"
                                + pod.namespace() + "(" + pod.uid() + ")");
            }
        }
    }

    private static ObjectNode about(ObjectNode object) {
        ObjectNode about = Json.object().put("kind", "Pod").put("apiVersion", "v1");
        about.putObject("metadata")
                .put("name", Json.textAt(object, "metadata", "name"))
                .put("namespace", Json.textAt(object, "metadata", "namespace"))
                .put("uid", Json.textAt(object, "metadata", "uid"))
                .put("resourceVersion", Json.textAt(object, "metadata", "resourceVersion"));
        return about;
    }

    @Override
    public void close() {
        events.close();
    }
}
