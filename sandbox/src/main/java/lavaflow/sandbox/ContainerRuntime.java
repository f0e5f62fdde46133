package lavaflow.sandbox;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs containers on this machine. What it runs outlives this process: a new one finds every sandbox, container and exit
 * in the same directory. Every call may be repeated; removing what is gone does nothing.
 */
public interface ContainerRuntime extends AutoCloseable {
    RuntimeInfo info();

    /** Makes the place in which the containers of one pod meet: namespaces and the group that limits them together. */
    void createSandbox(SandboxSpec spec) throws SandboxException;

    /** Kills what is left in a sandbox and takes away all it has: mounts, namespaces, control groups, files. */
    void removeSandbox(String sandbox) throws SandboxException;

    List<SandboxSpec> sandboxes();

    /** Prepares root, namespaces and process of a container; its program does not run yet. */
    void create(ContainerSpec spec) throws SandboxException;

    /** Lets the program run. Fails with {@link SandboxException.Cause#START} when it cannot be executed. */
    void start(String container) throws SandboxException;

    /** Sends a signal such as SIGTERM to the first process of a container. */
    void signal(String container, String signal) throws SandboxException;

    /** Whether the first process of a container would do anything at all about a signal; true where nobody can tell. */
    default boolean hears(String container, String signal) throws SandboxException {
        return true;
    }

    /** Kills everything in a container at once. */
    void kill(String container) throws SandboxException;

    /** Takes away a container that has ended; its log stays. */
    void remove(String container) throws SandboxException;

    /** Every container that was created and not removed, also by an earlier process. */
    List<ContainerState> containers();

    /** Tells of every container that ends from now on; those that ended before are in {@link #containers}. */
    void onExit(Consumer<ContainerExit> listener);

    /** Runs a command inside a container to its end, as probes and hooks do; keeps the first 10 KiB of what it says. */
    CommandResult run(String container, List<String> command, Duration patience) throws SandboxException;

    /** Runs a command inside a container, with streams. */
    ProcessStreams exec(String container, List<String> command, StreamWishes wishes) throws SandboxException;

    /** The streams of the container's own program. */
    ProcessStreams attach(String container, StreamWishes wishes) throws SandboxException;

    /** Makes a container write on in a new log file, after the old one was renamed. */
    void reopenLog(String container) throws SandboxException;

    /** Changes limits while the container runs. */
    void resize(String container, Limits limits) throws SandboxException;

    /** Changes what all containers of a sandbox may use together. */
    void resizeSandbox(String sandbox, Limits limits) throws SandboxException;

    Usage usage(String container);

    /** What a whole sandbox uses, all its containers and their memory together. */
    Usage sandboxUsage(String sandbox);

    /** The directory with what a container has changed of its root; empty where it has no root of its own. */
    default Optional<Path> written(String container) {
        return Optional.empty();
    }

    /** Who the first process of a container runs as; empty where that is who runs this. */
    default Optional<ContainerUser> user(String container) {
        return Optional.empty();
    }

    /** Takes away everything that it has on this machine, also what was left half made. */
    default void dismantle() throws SandboxException {
        for (SandboxSpec sandbox : sandboxes()) {
            removeSandbox(sandbox.id());
        }
    }

    /** Lets go without stopping anything. */
    @Override
    void close();
}
