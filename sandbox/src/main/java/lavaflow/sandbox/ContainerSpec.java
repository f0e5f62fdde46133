package lavaflow.sandbox;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A container to be.
 *
 * @param id unique on this machine
 * @param labels kept with it for whoever finds it after a restart: its name, its attempt and what else the node wants
 * @param log file that gets its output, in the format of container logs
 * @param target container whose process namespace it joins (ephemeral containers); null for its own or the sandbox's
 */
public record ContainerSpec(
        String id,
        String sandbox,
        Map<String, String> labels,
        Root root,
        List<Mount> mounts,
        Program program,
        Privileges privileges,
        Limits limits,
        int oomScoreAdjust,
        List<Device> devices,
        Path log,
        @Nullable String target) {
    /** What its file system begins with; writes go to a layer of its own. */
    public sealed interface Root {
        boolean readOnly();
    }

    /** Unpacked layers of an image, the lowest first. */
    public record Layers(List<Path> lowestFirst, boolean readOnly) implements Root {}

    /** The machine's own file system, without what nobody should see, and with directories laid over it. */
    public record HostTree(List<Mount> laidOver, boolean readOnly) implements Root {}

    /**
     * A directory or file of the machine inside the container.
     *
     * @param propagation {@code rprivate}, {@code rslave} or {@code rshared}
     * @param recursively whether what is mounted below it is read-only, too
     */
    public record Mount(Path source, String target, boolean readOnly, String propagation, boolean recursively) {
        public Mount(Path source, String target, boolean readOnly, String propagation) {
            this(source, target, readOnly, propagation, false);
        }
    }

    /**
     * What runs.
     *
     * @param environment NAME=value, in order
     * @param stdin whether somebody may write to its input
     * @param stdinOnce whether its input ends with the first writer
     */
    public record Program(
            List<String> arguments,
            List<String> environment,
            String directory,
            boolean tty,
            boolean stdin,
            boolean stdinOnce) {}

    /**
     * Who it runs as and what that user may do.
     *
     * @param user as images write it, {@code 1000}, {@code 1000:100} or {@code www-data:www-data}, looked up in the root
     * @param extraGroups beside those the root's files give the user
     * @param onlyGivenGroups whether those of the root's files do not count
     * @param added capabilities without CAP_, beside or, as ALL, instead of the usual ones
     * @param seccomp RuntimeDefault, Unconfined, or the path of a profile
     */
    public record Privileges(
            String user,
            List<Long> extraGroups,
            boolean privileged,
            boolean noNewPrivileges,
            List<String> added,
            List<String> dropped,
            String seccomp,
            boolean unmaskedProc,
            boolean onlyGivenGroups) {}

    /** A device file of the machine; permissions are letters of rwm. */
    public record Device(Path source, String target, String permissions) {}
}
