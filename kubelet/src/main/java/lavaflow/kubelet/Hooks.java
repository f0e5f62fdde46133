package lavaflow.kubelet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.sandbox.CommandResult;
import lavaflow.sandbox.ContainerRuntime;
import lavaflow.sandbox.SandboxException;

import com.fasterxml.jackson.databind.JsonNode;

/** Runs what a container wants done after its start or before its end. */
final class Hooks {
    private final ContainerRuntime runtime;

    Hooks(ContainerRuntime runtime) {
        this.runtime = runtime;
    }

    /**
     * Does what a hook says.
     *
     * @param address of the pod
     * @return what went wrong; empty if nothing did
     */
    String run(JsonNode hook, PodView.Container container, String id, String address, Duration patience)
            throws InterruptedException {
        JsonNode exec = Json.at(hook, "exec");
        JsonNode sleep = Json.at(hook, "sleep");
        JsonNode http = Json.at(hook, "httpGet");
        if (exec != null) {
            return exec(exec, id, patience);
        }
        if (sleep != null) {
            Duration wanted = Duration.ofSeconds(Json.longAt(sleep, 0, "seconds"));
            Thread.sleep(wanted.compareTo(patience) > 0 ? patience : wanted);
            return "";
        }
        if (http != null) {
            HttpAsking.Answer answer = HttpAsking.get(http, container, address, patience, "kube-lifecycle/1.36");
            return answer.isFailure() ? answer.message() : "";
        }
        return "";
    }

    private String exec(JsonNode exec, String id, Duration patience) {
        List<String> command = new ArrayList<>();
        Json.listAt(exec, "command").forEach(each -> command.add(each.asText()));
        try {
            CommandResult result = runtime.run(id, command, patience);
            if (result.timedOut()) {
                return "command timed out";
            }
            return result.code() == 0
                    ? ""
                    : "command '" + String.join(" ", command) + "' exited with " + result.code() + ": "
                            + result.output();
        } catch (SandboxException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
