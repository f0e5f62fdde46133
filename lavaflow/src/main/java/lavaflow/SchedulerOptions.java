package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.controller.KubeApi;
import lavaflow.scheduler.GangSettings;
import lavaflow.scheduler.PluginJars;

import org.jspecify.annotations.Nullable;

/**
 * How gangs shall be scheduled, whether their scheduler is started alone or with a cluster.
 *
 * @param configuration Volcano's configuration file; null to look for it in the cluster
 * @param schedulers pods that name one of these belong to gangs
 * @param plain whether the default scheduler is among the names
 * @param plugins a directory with plugins of others; null for none
 */
record SchedulerOptions(
        @Nullable Path configuration,
        Set<String> schedulers,
        boolean plain,
        @Nullable Path plugins) {
    private static final Command.Option CONFIGURATION = Command.Option.of(
            "--scheduler-conf",
            "FILE",
            null,
            "How gangs are scheduled: Volcano's configuration file (the ConfigMap volcano-system/volcano-scheduler-configmap).");
    private static final Command.Option NAMES = Command.Option.of(
            "--scheduler-name",
            "LIST",
            "volcano,kube-batch,lavaflow,scheduler-plugins-scheduler",
            "Whose pods come in gangs: what they name as their scheduler (volcano, kube-batch, lavaflow, scheduler-plugins-scheduler).");
    private static final Command.Option PLUGINS = Command.Option.of(
            "--plugins-dir", "DIR", null, "Jars with plugins of others that the configuration may name.");
    private static final String PLAIN = "default-scheduler";

    static final List<Command.Option> OPTIONS = List.of(CONFIGURATION, NAMES, PLUGINS);
    static final SchedulerOptions USUAL = new SchedulerOptions(null, GangSettings.USUAL_NAMES, false, null);

    static SchedulerOptions of(Command command, Arguments arguments) {
        Set<String> names = new LinkedHashSet<>(List.of(arguments.value(NAMES).split(",")));
        names.remove("");
        if (names.isEmpty()) {
            throw Arguments.wrong(command, NAMES.name() + " wants at least one name");
        }
        boolean plain = names.remove(PLAIN);
        Path plugins = arguments.findPath(PLUGINS);
        if (plugins != null && !Files.isDirectory(plugins)) {
            throw Arguments.wrong(command, PLUGINS.name() + ": " + plugins + " is not a directory");
        }
        return new SchedulerOptions(arguments.findPath(CONFIGURATION), names, plain, plugins);
    }

    /** All names that are meant, in alphabetical order. */
    Set<String> names() {
        Set<String> names = new TreeSet<>(schedulers);
        if (plain) {
            names.add(PLAIN);
        }
        return names;
    }

    /** @param api writes as the scheduler of gangs */
    GangSettings gangs(KubeApi api) {
        return new GangSettings(api, schedulers, configuration, PluginJars.loader(plugins));
    }
}
