package lavaflow.network;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** The nftables table of this cluster. A script is applied as a whole or not at all. */
final class RuleTable {
    private final String name;

    RuleTable(String name) {
        this.name = name;
    }

    /** As scripts name it, with its family. */
    String name() {
        return "ip " + name;
    }

    void apply(String script) throws IOException {
        run(List.of("nft", "-f", "-"), script);
    }

    /** What is in the table by name. */
    record Contents(Set<String> chains, Set<String> sets) {}

    /** Empty where there is no table. */
    Contents contents() {
        Set<String> chains = new TreeSet<>();
        Set<String> sets = new TreeSet<>();
        try {
            String listed = run(List.of("nft", "-j", "-t", "list", "table", "ip", name), "");
            for (JsonNode each : Json.listAt(Json.parse(listed), "nftables")) {
                if (each.has("chain")) {
                    chains.add(Json.textAt(each, "chain", "name"));
                } else if (each.has("set")) {
                    sets.add(Json.textAt(each, "set", "name"));
                }
            }
        } catch (IOException e) {
            // There is none.
        }
        return new Contents(chains, sets);
    }

    void delete() throws IOException {
        // Deleting what is not there fails; adding it first does not.
        apply("add table " + name() + "\ndelete table " + name() + "\n");
    }

    /** Runs nft, which needs no more than some milliseconds; what it complains about is the message. */
    static String run(List<String> command, String input) throws IOException {
        if (!Thread.currentThread().isVirtual()) {
            return runHere(command, input);
        }
        // Reading from a program keeps a thread, and virtual ones share theirs with everybody.
        FutureTask<String> task = new FutureTask<>(() -> runHere(command, input));
        Thread.ofPlatform().daemon().name("nft").start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static synchronized String runHere(List<String> command, String input) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            try (OutputStream script = process.getOutputStream()) {
                script.write(input.getBytes(StandardCharsets.UTF_8));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException(String.join(" ", command) + " failed: " + firstLines(output));
            }
            return output;
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String firstLines(String output) {
        return output.lines().limit(5).reduce((a, b) -> a + "; " + b).orElse("no message");
    }
}
