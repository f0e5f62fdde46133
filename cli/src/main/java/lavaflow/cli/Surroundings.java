package lavaflow.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Function;

import lavaflow.controller.KubeApi;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a command meets: where it prints, what it was told by the environment, and how it reaches a cluster.
 *
 * @param version of this program
 * @param yaml writes a tree as YAML with its keys sorted
 */
public record Surroundings(
        PrintWriter out,
        PrintWriter err,
        Map<String, String> environment,
        String version,
        Cluster cluster,
        Function<JsonNode, String> yaml,
        InstantSource clock) {

    /** Reaches a cluster. */
    @FunctionalInterface
    public interface Cluster {
        /**
         * Connects; fails where nobody answers.
         *
         * @param kubeconfig empty for what is usual
         * @param server the address to use instead of the kubeconfig's; empty for that
         */
        Connected connect(String kubeconfig, String server) throws IOException;
    }

    /** An API that may have to be left. */
    public interface Connected extends AutoCloseable {
        KubeApi api();

        @Override
        void close();
    }
}
