package lavaflow;

import java.io.IOException;
import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Makes a queue. */
final class QueueCreateCommand implements Command {
    private static final Option WEIGHT =
            new Option("--weight", "-w", "N", "1", "Its part of the cluster, beside the weights of others (1).", false);
    private static final Option PARENT = Option.of("--parent", "QUEUE", null, "The queue it is below (root).");
    private static final Option PRIORITY = Option.of("--priority", "N", null, "Larger ones come first (0).");
    private static final Option CAPABILITY =
            Option.of("--capability", "RESOURCES", null, "The most it may have: cpu=16,memory=64Gi,nvidia.com/gpu=4.");
    private static final Option DESERVED =
            Option.of("--deserved", "RESOURCES", null, "What it can claim back from others.");
    private static final Option GUARANTEE =
            Option.of("--guarantee", "RESOURCES", null, "What is kept for it; part of what it deserves.");
    private static final Option UNRECLAIMABLE =
            Option.flag("--no-reclaim", "Others may not take back what it has beyond its share.");

    @Override
    public String name() {
        return "queue create";
    }

    @Override
    public String summary() {
        return "Make a queue.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(WEIGHT, PARENT, PRIORITY, CAPABILITY, DESERVED, GUARANTEE, UNRECLAIMABLE);
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        String name = arguments.parameter(0);
        ObjectNode queue = Json.object();
        queue.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "Queue");
        queue.putObject("metadata").put("name", name);
        queue.set("spec", spec(arguments));
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            cluster.requireQueues();
            cluster.api().create(Batch.QUEUES, "", queue);
        } catch (ApiException e) {
            throw e.reason().equals("AlreadyExists")
                    ? new CommandFailure(
                            Lava.FAILED,
                            "there is a queue '" + name + "' already. Look at it with: lava queue get " + name)
                    : ClusterClient.refused(e);
        }
        console.line(
                "Made queue " + name + ". Jobs name it as their queue; see what it does with: lava queue get " + name);
        return Lava.DONE;
    }

    private ObjectNode spec(Arguments arguments) {
        ObjectNode spec = Json.object();
        spec.put("weight", number(WEIGHT, arguments.value(WEIGHT)));
        String priority = arguments.find(PRIORITY);
        if (priority != null) {
            spec.put("priority", number(PRIORITY, priority));
        }
        String parent = arguments.find(PARENT);
        if (parent != null) {
            spec.put("parent", parent);
        }
        spec.put("reclaimable", !arguments.has(UNRECLAIMABLE));
        put(spec, "capability", CAPABILITY, arguments.find(CAPABILITY));
        put(spec, "deserved", DESERVED, arguments.find(DESERVED));
        String guarantee = arguments.find(GUARANTEE);
        if (guarantee != null) {
            put(spec.putObject("guarantee"), "resource", GUARANTEE, guarantee);
        }
        return spec;
    }

    private long number(Option option, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw Arguments.wrong(this, option.name() + " wants a number, not '" + text + "'");
        }
    }

    private void put(ObjectNode to, String field, Option option, @Nullable String text) {
        if (text == null) {
            return;
        }
        ObjectNode amounts = to.putObject(field);
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            try {
                if (equals <= 0) {
                    throw new MalformedException(part);
                }
                amounts.put(
                        part.substring(0, equals).strip(),
                        Quantity.parse(part.substring(equals + 1).strip()).toString());
            } catch (MalformedException e) {
                throw Arguments.wrong(
                        this, option.name() + " wants amounts like cpu=4,memory=8Gi, and '" + part + "' is none");
            }
        }
    }
}
