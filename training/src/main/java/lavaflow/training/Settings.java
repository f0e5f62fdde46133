package lavaflow.training;

import org.jspecify.annotations.Nullable;

/**
 * What upstream's operators take as flags and variables.
 *
 * @param initImage of the container that waits for the master of a PyTorchJob
 * @param initTries how often it looks
 * @param initTemplate the containers themselves, as YAML with Go's placeholders; null for the usual one
 * @param kubectlImage that brings kubectl to launchers
 * @param clusterDomain at the end of host names, empty for none
 */
public record Settings(
        Gang gang,
        String initImage,
        int initTries,
        @Nullable String initTemplate,
        String kubectlImage,
        String clusterDomain) {
    public static final Settings USUAL = new Settings(
            Gang.NONE, "alpine:3.10", 100, null, "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest", "");

    /**
     * The same with this machine's own programs for what waits for masters: no registry must be reached for it. Those of the C library know
     * search domains; busybox's nslookup fails where any of them does not have the name.
     */
    public Settings onThisMachine() {
        return new Settings(gang, "host", initTries, """
                - name: init-pytorch
                  image: {{.InitContainerImage}}
                  imagePullPolicy: IfNotPresent
                  command: [sh, -c, "for i in $(seq {{.MaxTries}}); do getent hosts {{.MasterAddr}} >/dev/null && exit 0; echo waiting for master; sleep 2; done; exit 1"]
                  resources: {limits: {cpu: 100m, memory: 20Mi}, requests: {cpu: 50m, memory: 10Mi}}
                """, kubectlImage, clusterDomain);
    }

    public Settings with(Gang other) {
        return new Settings(other, initImage, initTries, initTemplate, kubectlImage, clusterDomain);
    }
}
