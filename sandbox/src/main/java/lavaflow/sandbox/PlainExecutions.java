package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.kube.Json;
import lavaflow.linux.Signals;

import com.fasterxml.jackson.databind.JsonNode;

/** Commands beside plain containers: children of ours with the container's environment and directory. */
final class PlainExecutions {
    private static final String MARK = "LAVAFLOW_COMMAND=";

    private final String prefix = Long.toString(System.nanoTime(), 36) + "-";
    private final AtomicLong next = new AtomicLong();

    CommandResult run(PlainContainer container, List<String> command, Duration patience) throws SandboxException {
        Execution execution =
                start(container, command, new StreamWishes(false, true, true, false), Execution.Errors.WITH_OUTPUT);
        return Executions.toEnd(execution, patience);
    }

    Execution start(PlainContainer container, List<String> command, StreamWishes wishes, Execution.Errors errors)
            throws SandboxException {
        if (command.isEmpty()) {
            throw new SandboxException(SandboxException.Cause.CONFIGURATION, "you must specify at least 1 command");
        }
        try {
            JsonNode wish = Json.parse(Files.readString(container.directory().resolve("config.json")));
            List<String> environment = new ArrayList<>();
            wish.path("environment").forEach(variable -> environment.add(variable.asText()));
            String mark = MARK + prefix + next.incrementAndGet();
            environment.add(mark);
            if (wishes.tty()) {
                Bundle.addMissing(environment, "TERM=xterm");
            }
            String directory = wish.path("directory").asText();
            List<String> arguments =
                    new ArrayList<>(List.of("/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", directory));
            arguments.add(PlainContainer.locate(command.getFirst(), environment, directory));
            arguments.addAll(command.subList(1, command.size()));
            Execution execution = new Execution(mark, () -> killMarked(mark), () -> {});
            execution.start(arguments, environment, wishes, errors);
            return execution;
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    private static void killMarked(String mark) throws IOException {
        for (int round = 0; round < 50; round++) {
            boolean any = false;
            for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
                if (ProcessTable.hasVariable(process.pid(), mark) && !ProcessTable.isZombie(process.pid())) {
                    any |= Signals.send(process.pid(), Signals.KILL);
                }
            }
            if (!any) {
                return;
            }
        }
    }
}
