package lavaflow;

import java.io.IOException;
import java.util.List;

import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes a job with all that belongs to it. */
final class JobDeleteCommand implements Command {
    @Override
    public String name() {
        return "job delete";
    }

    @Override
    public String summary() {
        return "Delete a job, its pods and what was made for them.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(ClusterClient.NAMESPACE);
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        String namespace = ClusterClient.namespace(arguments);
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            ObjectNode job = cluster.job(namespace, arguments.parameter(0));
            KubeApi.Deletion deletion = new KubeApi.Deletion(Json.textAt(job, "metadata", "uid"), null, "Background");
            cluster.api().delete(VolcanoObjects.JOBS, namespace, arguments.parameter(0), deletion);
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
        console.line("Deleted job " + arguments.parameter(0));
        return Lava.DONE;
    }
}
