package lavaflow.image;

import java.nio.file.Path;
import java.util.List;

/**
 * The image that brings kubectl to launchers of MPIJobs, which reach their workers with it. Upstream's holds one program and copies it to
 * where the launcher finds it; this machine's own does as well.
 */
final class KubectlDelivery {
    /** The image as training operators call it, by age. */
    static final List<String> NAMES = List.of(
            "ghcr.io/kubeflow/training-v1/kubectl-delivery",
            "kubeflow/kubectl-delivery",
            "mpioperator/kubectl-delivery");

    static final Origin.Host ORIGIN = new Origin.Host(HostDefaults.completed(new ImageConfig(
            List.of(),
            List.of("/bin/sh", "-c", "cp \"$(command -v kubectl)\" \"${TARGET_DIR:-/opt/kube}/kubectl\""),
            List.of(),
            "",
            "",
            List.of(),
            null)));

    private KubectlDelivery() {}

    /** Whether this machine has what the image is to bring. */
    static boolean isPossible() {
        return new Programs(HostDefaults.PATH, false, Path.of("/"))
                .find("kubectl")
                .isPresent();
    }
}
