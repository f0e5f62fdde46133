package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

/** Families of resource names. */
public final class ResourceNames {
    private static final String HUGE_PAGES = "hugepages-";
    private static final Set<String> CONTAINER = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Set<String> COUNTS = Set.of(
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "configmaps",
            "persistentvolumeclaims",
            "services.nodeports",
            "services.loadbalancers");
    private static final Set<String> QUOTA = Set.of(
            "storage",
            "requests.cpu",
            "requests.memory",
            "requests.storage",
            "requests.ephemeral-storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage");

    private ResourceNames() {}

    static boolean isHugePages(String name) {
        return name.startsWith(HUGE_PAGES);
    }

    /** Without a domain, or of Kubernetes' own. */
    static boolean isNative(String name) {
        return !name.contains("/") || name.contains("kubernetes.io/");
    }

    /** Resources a node may promise more of than it has. */
    static boolean isOvercommitAllowed(String name) {
        return isNative(name) && !isHugePages(name);
    }

    /** Resources that {@code spec.resources} of a pod may name. */
    static boolean isPodLevel(String name) {
        return name.equals("cpu") || name.equals("memory") || isHugePages(name);
    }

    /** Names without a domain that mean something somewhere. */
    static boolean isStandard(String name) {
        return CONTAINER.contains(name)
                || COUNTS.contains(name)
                || QUOTA.contains(name)
                || isHugePages(name)
                || name.startsWith("requests." + HUGE_PAGES);
    }

    /** Names without a domain that containers may ask for. */
    static boolean isStandardForContainers(String name) {
        return CONTAINER.contains(name) || isHugePages(name);
    }

    /** Resources of devices and the like, with a domain; they must also fit into the names quotas use. */
    static boolean isExtended(String name) {
        return !isNative(name)
                && !name.startsWith("requests.")
                && Names.qualifiedName("requests." + name).isEmpty();
    }

    /** Resources that come in whole numbers only. */
    public static boolean isWhole(String name) {
        return COUNTS.contains(name) || isExtended(name);
    }

    static boolean isMultipleOfPage(String name, Quantity amount) {
        try {
            Quantity page = Quantity.parse(name.substring(HUGE_PAGES.length()));
            return page.signum() > 0 && page.milliValue() % 1000 == 0 && amount.value() % page.value() == 0;
        } catch (MalformedException e) {
            return false;
        }
    }
}
