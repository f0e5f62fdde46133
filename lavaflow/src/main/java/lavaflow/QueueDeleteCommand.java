package lavaflow;

import java.io.IOException;
import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes a queue nobody is in. */
final class QueueDeleteCommand implements Command {
    private static final Option FORCE =
            Option.flag("--force", "Also where PodGroups are in it; they wait then until it is made anew.");

    @Override
    public String name() {
        return "queue delete";
    }

    @Override
    public String summary() {
        return "Delete a queue.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(FORCE);
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        String name = arguments.parameter(0);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            ObjectNode queue = cluster.queue(name);
            long left = cluster.all(Batch.POD_GROUPS).stream()
                    .filter(group -> Json.textAt(group, "spec", "queue").equals(name)
                            && !Json.textAt(group, "status", "phase").equals("Completed"))
                    .count();
            boolean forEver = name.equals(Batch.ROOT) || name.equals(Batch.USUAL_QUEUE);
            if (left > 0 && !forEver && !arguments.has(FORCE)) {
                throw new CommandFailure(
                        Lava.FAILED,
                        "queue " + name + " has " + left + (left == 1 ? " PodGroup" : " PodGroups")
                                + ". Let it run empty with: lava queue close " + name + ", or say --force");
            }
            cluster.api().delete(Batch.QUEUES, "", name, KubeApi.Deletion.ofUid(Json.textAt(queue, "metadata", "uid")));
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
        console.line("Deleted queue " + name);
        return Lava.DONE;
    }
}
