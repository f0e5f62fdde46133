package lavaflow.scheduler;

import java.nio.file.Path;
import java.util.Set;

import lavaflow.controller.KubeApi;

import org.jspecify.annotations.Nullable;

/**
 * How gangs are scheduled.
 *
 * @param api writes as their scheduler
 * @param schedulers pods that name one of these belong to gangs
 * @param configuration Volcano's configuration file; null to follow the ConfigMap of Volcano's installation
 * @param plugins finds plugins of others, see {@link PluginJars}
 */
public record GangSettings(
        KubeApi api, Set<String> schedulers, @Nullable Path configuration, ClassLoader plugins) {
    /** Volcano's name, that of its forerunner, and ours. */
    public static final Set<String> USUAL_NAMES =
            Set.of("volcano", "kube-batch", "lavaflow", "scheduler-plugins-scheduler");

    /** The usual ones. */
    public static GangSettings usual(KubeApi api) {
        return new GangSettings(api, USUAL_NAMES, null, PluginJars.loader(null));
    }
}
