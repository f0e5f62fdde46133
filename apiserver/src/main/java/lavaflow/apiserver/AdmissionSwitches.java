package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which plugins of admission are on, by upstream's names. */
public final class AdmissionSwitches {
    public static final String OWNERS = "OwnerReferencesPermissionEnforcement";

    /** In the order in which upstream asks them; true for those that are on unless told otherwise. */
    private static final Map<String, Boolean> KNOWN = known();

    public static final AdmissionSwitches USUAL = of(List.of(), List.of());

    private final Set<String> on;

    private AdmissionSwitches(Set<String> on) {
        this.on = on;
    }

    private static Map<String, Boolean> known() {
        Map<String, Boolean> known = new LinkedHashMap<>();
        for (String name : List.of(
                "NamespaceLifecycle",
                "LimitRanger",
                "ServiceAccount",
                "NodeRestriction",
                "TaintNodesByCondition",
                "PodSecurity",
                "Priority",
                "DefaultTolerationSeconds",
                "StorageObjectInUseProtection",
                "DefaultStorageClass",
                OWNERS,
                "PersistentVolumeClaimResize",
                "RuntimeClass",
                "CertificateApproval",
                "CertificateSigning",
                "CertificateSubjectRestriction",
                "DefaultIngressClass",
                "PodTopologyLabels",
                "MutatingAdmissionPolicy",
                "MutatingAdmissionWebhook",
                "ValidatingAdmissionPolicy",
                "ValidatingAdmissionWebhook",
                "ResourceQuota")) {
            known.put(name, !name.equals(OWNERS));
        }
        return known;
    }

    /** Those that are usual, but for what is told. */
    public static AdmissionSwitches of(List<String> enabled, List<String> disabled) {
        Set<String> on = new LinkedHashSet<>();
        KNOWN.forEach((name, usual) -> {
            if (enabled.contains(name) || (usual && !disabled.contains(name))) {
                on.add(name);
            }
        });
        return new AdmissionSwitches(on);
    }

    /** What is wrong with such a wish, in the words of kube-apiserver, and what could be wished for; empty where nothing is. */
    public static String problem(List<String> enabled, List<String> disabled) {
        List<String> problems = new ArrayList<>();
        enabled.stream()
                .filter(name -> !KNOWN.containsKey(name))
                .forEach(name -> problems.add("enable-admission-plugins plugin \"" + name + "\" is unknown"));
        disabled.stream()
                .filter(name -> !KNOWN.containsKey(name))
                .forEach(name -> problems.add("disable-admission-plugins plugin \"" + name + "\" is unknown"));
        if (!problems.isEmpty()) {
            return String.join(", ", problems) + "; known are " + String.join(", ", KNOWN.keySet());
        }
        List<String> both = enabled.stream().filter(disabled::contains).toList();
        return both.isEmpty()
                ? ""
                : "[" + String.join(" ", both)
                        + "] in enable-admission-plugins and disable-admission-plugins overlapped";
    }

    public boolean has(String name) {
        if (!KNOWN.containsKey(name)) {
            throw new IllegalArgumentException("no plugin " + name);
        }
        return on.contains(name);
    }
}
