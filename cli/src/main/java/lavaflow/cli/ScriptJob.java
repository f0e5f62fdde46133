package lavaflow.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Makes a job of a program in Python: the program goes along as a ConfigMap. Pure. */
public final class ScriptJob {
    /** Where pods find the program. */
    private static final String PLACE = "/workspace";

    /** What the API takes in a ConfigMap, less some room for the rest of it. */
    private static final int MOST_BYTES = 1_000_000;

    /** Which job it becomes. */
    public enum Framework {
        TENSORFLOW("tensorflow"),
        PYTORCH("torch"),
        JAX("jax"),
        XGBOOST("xgboost"),
        PADDLE("paddle"),
        VOLCANO("host"),
        JOB("host");

        private final String image;

        Framework(String image) {
            this.image = image;
        }

        /** The image that is usual for it. */
        public String image() {
            return image;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What is wanted.
     *
     * @param resources what each pod asks for and may use
     * @param queue empty for the usual one
     */
    public record Wish(
            String name,
            Framework framework,
            int replicas,
            String image,
            List<String> arguments,
            ObjectNode resources,
            String queue) {}

    private final Wish wish;
    private final String file;

    private ScriptJob(Wish wish, String file) {
        this.wish = wish;
        this.file = file.replaceAll("[^-._a-zA-Z0-9]", "_");
    }

    /**
     * The job, and what carries its program.
     *
     * @param file the name of the program's file
     */
    public static Manifests of(Wish wish, String file, String program) {
        if (program.length() > MOST_BYTES) {
            throw new IllegalArgumentException(
                    file + " is larger than a ConfigMap may be; put it into an image, see docs/images.md");
        }
        ScriptJob job = new ScriptJob(wish, file);
        ObjectNode map = object("v1", "ConfigMap", wish.name());
        map.putObject("data").put(job.file, program);
        return Manifests.of(List.of(map, job.job()));
    }

    /** A name for what runs a file: {@code My_Train.py} is {@code my-train}. */
    public static String nameOf(String file) {
        String name = file.replaceFirst("\\.py$", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-+|-+$", "");
        name = name.matches("[a-z].*") ? name : "run-" + name;
        return name.substring(0, Math.min(40, name.length())).replaceAll("-+$", "");
    }

    private static ObjectNode object(String version, String kind, String name) {
        ObjectNode object = Json.object().put("apiVersion", version).put("kind", kind);
        object.putObject("metadata").put("name", name);
        return object;
    }

    private ObjectNode job() {
        return switch (wish.framework()) {
            case TENSORFLOW -> training("TFJob", "tfReplicaSpecs", "tensorflow", "Chief");
            case PYTORCH -> training("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master");
            case XGBOOST -> training("XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master");
            case PADDLE -> training("PaddleJob", "paddleReplicaSpecs", "paddle", "");
            case JAX -> training("JAXJob", "jaxReplicaSpecs", "jax", "");
            case VOLCANO -> volcano();
            case JOB -> plain();
        };
    }

    /** @param leader the one replica that is told apart; empty where none is */
    private ObjectNode training(String kind, String field, String container, String leader) {
        ObjectNode job = object("kubeflow.org/v1", kind, wish.name());
        ObjectNode spec = job.putObject("spec");
        ObjectNode policy = spec.putObject("runPolicy").put("cleanPodPolicy", "Running");
        if (!wish.queue().isEmpty()) {
            policy.putObject("schedulingPolicy").put("queue", wish.queue());
        }
        Map<String, Integer> replicas = new LinkedHashMap<>();
        if (!leader.isEmpty()) {
            replicas.put(leader, 1);
        }
        replicas.merge("Worker", wish.replicas() - replicas.size(), Integer::sum);
        ObjectNode specs = spec.putObject(field);
        replicas.forEach((type, count) -> {
            if (count > 0) {
                ObjectNode replica =
                        specs.putObject(type).put("replicas", count).put("restartPolicy", "Never");
                replica.putObject("template").set("spec", pod(container));
            }
        });
        return job;
    }

    private ObjectNode volcano() {
        ObjectNode job = object("batch.volcano.sh/v1alpha1", "Job", wish.name());
        ObjectNode spec =
                job.putObject("spec").put("minAvailable", wish.replicas()).put("schedulerName", "volcano");
        if (!wish.queue().isEmpty()) {
            spec.put("queue", wish.queue());
        }
        ObjectNode plugins = spec.putObject("plugins");
        List.of("env", "svc").forEach(plugins::putArray);
        ObjectNode task = spec.putArray("tasks").addObject();
        task.put("name", "worker").put("replicas", wish.replicas());
        task.putObject("template").set("spec", pod("main").put("restartPolicy", "Never"));
        return job;
    }

    private ObjectNode plain() {
        ObjectNode job = object("batch/v1", "Job", wish.name());
        ObjectNode spec = job.putObject("spec");
        spec.put("completions", wish.replicas())
                .put("parallelism", wish.replicas())
                .put("completionMode", "Indexed")
                .put("backoffLimit", 0);
        spec.putObject("template").set("spec", pod("main").put("restartPolicy", "Never"));
        return job;
    }

    private ObjectNode pod(String name) {
        ObjectNode pod = Json.object();
        ObjectNode container = pod.putArray("containers").addObject();
        container.put("name", name).put("image", wish.image());
        List<String> command = new ArrayList<>(List.of(wish.image().equals("host") ? "python3" : "python", "-u"));
        command.add(PLACE + "/" + file);
        command.addAll(wish.arguments());
        command.forEach(container.putArray("command")::add);
        if (!wish.resources().isEmpty()) {
            ObjectNode resources = container.putObject("resources");
            resources.set("requests", wish.resources().deepCopy());
            resources.set("limits", wish.resources().deepCopy());
        }
        container.putArray("volumeMounts").addObject().put("name", "program").put("mountPath", PLACE);
        ObjectNode volume = pod.putArray("volumes").addObject().put("name", "program");
        volume.putObject("configMap").put("name", wish.name());
        return pod;
    }
}
