package lavaflow.kinds;

import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The checks of the pod security standards, in upstream's order and words. */
public final class PodSecurityChecks {
    /** What a pod does that it should not. */
    public record Violation(String reason, String detail) {
        @Override
        public String toString() {
            return reason + " (" + detail + ")";
        }
    }

    private final PodUnderCheck pod;
    private final PodReachChecks reach;
    private final PodPrivilegeChecks privilege;
    private final PodProfileChecks profile;

    PodSecurityChecks(@Nullable JsonNode metadata, JsonNode spec) {
        pod = new PodUnderCheck(metadata, spec);
        reach = new PodReachChecks(pod);
        privilege = new PodPrivilegeChecks(pod);
        profile = new PodProfileChecks(pod);
    }

    List<Violation> baseline() {
        profile.appArmor();
        privilege.baselineCapabilities();
        reach.hostNamespaces();
        reach.hostPaths();
        reach.hostPorts();
        reach.hostProbes();
        privilege.privileged();
        if (!pod.hasOwnUsers()) {
            privilege.procMount();
        }
        profile.seLinux();
        profile.seccomp(false);
        reach.sysctls();
        reach.windowsHostProcess();
        return pod.violations();
    }

    List<Violation> restricted() {
        profile.appArmor();
        reach.hostNamespaces();
        reach.hostPorts();
        reach.hostProbes();
        privilege.privileged();
        profile.seLinux();
        reach.sysctls();
        reach.windowsHostProcess();
        if (!pod.isWindows()) {
            privilege.privilegeEscalation();
            privilege.restrictedCapabilities();
        }
        privilege.procMount();
        reach.volumes();
        if (!pod.hasOwnUsers()) {
            privilege.runAsNonRoot();
            privilege.runAsUser();
        }
        if (!pod.isWindows()) {
            profile.seccomp(true);
        }
        return pod.violations();
    }
}
