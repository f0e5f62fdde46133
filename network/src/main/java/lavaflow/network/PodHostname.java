package lavaflow.network;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a pod is called.
 *
 * @param name its short name
 * @param domain what follows it, without a dot; empty for a pod without a subdomain
 * @param kernelName what {@code hostname} prints
 */
public record PodHostname(String name, String domain, String kernelName) {
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_KERNEL_NAME = 64;

    /**
     * The names of a pod, as its spec asks for them.
     *
     * @throws IllegalArgumentException with kubelet's message where the full name is to be the kernel's and does not fit
     */
    public static PodHostname of(JsonNode pod, String clusterDomain) {
        String override = Json.textAt(pod, "spec", "hostnameOverride");
        if (!override.isEmpty()) {
            return new PodHostname(override, "", override);
        }
        String given = Json.textAt(pod, "spec", "hostname");
        String name = given.isEmpty() ? shortened(Json.textAt(pod, "metadata", "name")) : given;
        String subdomain = Json.textAt(pod, "spec", "subdomain");
        String domain = subdomain.isEmpty()
                ? ""
                : subdomain + "." + Json.textAt(pod, "metadata", "namespace") + ".svc." + clusterDomain;
        boolean full = Json.flagAt(pod, "spec", "setHostnameAsFQDN") && !domain.isEmpty();
        String kernelName = full ? name + "." + domain : name;
        if (kernelName.length() > LONGEST_KERNEL_NAME) {
            throw new IllegalArgumentException(
                    "failed to construct FQDN from pod hostname and cluster domain, FQDN " + kernelName
                            + " is too long (" + LONGEST_KERNEL_NAME + " characters is the max, " + kernelName.length()
                            + " characters requested)");
        }
        return new PodHostname(name, domain, kernelName);
    }

    private static String shortened(String podName) {
        if (podName.length() <= LONGEST_LABEL) {
            return podName;
        }
        int end = LONGEST_LABEL;
        while (end > 0 && (podName.charAt(end - 1) == '-' || podName.charAt(end - 1) == '.')) {
            end--;
        }
        return podName.substring(0, end);
    }
}
