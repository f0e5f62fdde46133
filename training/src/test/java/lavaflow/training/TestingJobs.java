package lavaflow.training;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Jobs for tests. */
final class TestingJobs {
    private TestingJobs() {}

    static ObjectNode yaml(String text) {
        try {
            return ((ObjectNode)
                            Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root())
                    .deepCopy();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(TestingJobs.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Framework framework(JsonNode job) {
        return Objects.requireNonNull(Frameworks.ofKind(Json.textAt(job, "kind")));
    }

    /** A job of a kind with some replicas of some types, as {@code Master=1}. */
    static ObjectNode job(String kind, String... replicas) {
        Framework.Words words = Objects.requireNonNull(Frameworks.ofKind(kind)).words();
        ObjectNode job = Json.object();
        job.put("apiVersion", "kubeflow.org/v1").put("kind", kind);
        job.putObject("metadata").put("name", "digits").put("namespace", "team").put("uid", "job-uid");
        ObjectNode specs = job.putObject("spec").putObject(words.replicas());
        for (String each : replicas) {
            String[] parts = each.split("=", 2);
            ObjectNode replica = specs.putObject(parts[0]);
            replica.put("replicas", Integer.parseInt(parts[1]));
            replica.putObject("template")
                    .putObject("spec")
                    .putArray("containers")
                    .addObject()
                    .put("name", words.container())
                    .put("image", "trainer");
        }
        return job;
    }

    static ObjectNode policy(ObjectNode job) {
        return Json.ensureObject(job, "spec", "runPolicy");
    }

    static ObjectNode replica(ObjectNode job, String type) {
        Framework.Words words = framework(job).words();
        return Json.ensureObject(job, "spec", words.replicas(), type);
    }

    static ObjectNode container(ObjectNode job, String type) {
        return (ObjectNode) Json.listAt(replica(job, type), "template", "spec", "containers")
                .get(0);
    }
}
