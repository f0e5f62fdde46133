package lavaflow;

import lavaflow.sandbox.Runtimes;

import org.jspecify.annotations.Nullable;

/** The program that makes containers, where somebody wants another than the usual one. */
final class OciRuntimeOption {
    static final Command.Option OCI_RUNTIME = Command.Option.of(
            "--oci-runtime",
            "NAME",
            null,
            "What makes containers: runc or crun (runc, or crun where that is missing).");

    private OciRuntimeOption() {}

    static @Nullable String of(Command command, Arguments arguments) {
        String name = arguments.find(OCI_RUNTIME);
        if (name != null && !Runtimes.known().contains(name)) {
            throw Arguments.wrong(command, "--oci-runtime knows runc and crun, not '" + name + "'");
        }
        return name;
    }
}
