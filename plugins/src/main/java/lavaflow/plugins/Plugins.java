package lavaflow.plugins;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.BiFunction;

import lavaflow.gang.Callback;
import lavaflow.gang.Configuration;
import lavaflow.gang.Plugin;
import lavaflow.gang.PluginFactory;
import lavaflow.gang.Session;
import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/** The plugins there are, by name. */
public final class Plugins {
    private Plugins() {}

    /** Also those of jars that a class loader finds; what is always there cannot be replaced. */
    public static BiFunction<Configuration.Entry, Session, @Nullable Plugin> with(ClassLoader loader) {
        return (entry, session) -> {
            Plugin usual = usual(entry, session);
            return usual == null ? foreign(loader, entry, session) : usual;
        };
    }

    /** Also the one that asks a program elsewhere. */
    public static BiFunction<Configuration.Entry, Session, @Nullable Plugin> with(
            ClassLoader loader, Extender extender) {
        return (entry, session) -> entry.name().equals("extender")
                ? new ExtenderPlugin(session, entry.arguments(), extender)
                : with(loader).apply(entry, session);
    }

    /** The plugin an entry of the configuration names; null if there is none such. */
    public static @Nullable Plugin make(Configuration.Entry entry, Session session) {
        Plugin usual = usual(entry, session);
        return usual == null ? foreign(Plugins.class.getClassLoader(), entry, session) : usual;
    }

    /** Looked for only when somebody names it. */
    private static @Nullable Plugin foreign(ClassLoader loader, Configuration.Entry entry, Session session) {
        try {
            for (PluginFactory factory : ServiceLoader.load(PluginFactory.class, loader)) {
                if (factory.name().equals(entry.name())) {
                    return factory.make(entry, session);
                }
            }
            return null;
        } catch (ServiceConfigurationError e) {
            throw new MalformedException("plugin " + entry.name() + ": " + e.getMessage());
        }
    }

    private static @Nullable Plugin usual(Configuration.Entry entry, Session session) {
        return switch (entry.name()) {
            case "gang" -> new GangPlugin();
            case "priority" -> new PriorityPlugin();
            case "conformance" -> new ConformancePlugin();
            case "drf" -> entry.answers(Callback.HIERARCHY) ? new HierarchicalDrfPlugin(session) : new DrfPlugin();
            case "sla" -> new SlaPlugin(session, entry.arguments());
            case "resourcequota" -> new ResourceQuotaPlugin(session);
            case "tdm" -> new TdmPlugin(session, entry.arguments());
            case "usage" -> new UsagePlugin(session, entry.arguments());
            case "rescheduling" -> new ReschedulingPlugin(session, entry.arguments());
            case "pdb" -> new PdbPlugin(session);
            case "cdp" -> new CdpPlugin(session);
            case "proportion" -> new ProportionPlugin(session);
            case "capacity" -> new CapacityPlugin(session, entry);
            case "overcommit" -> new OvercommitPlugin(session, entry.arguments());
            case "predicates" -> new PredicatesPlugin(entry.arguments());
            case "nodeorder" -> new NodeOrderPlugin(session, entry.arguments());
            case "binpack" -> new BinpackPlugin(session, entry.arguments());
            case "nodegroup" -> new NodeGroupPlugin(session, entry);
            case "resource-strategy-fit" -> new ResourceStrategyFitPlugin(session, entry.arguments());
            case "network-topology-aware" -> new NetworkTopologyPlugin(session, entry.arguments());
            case "deviceshare" -> new DeviceSharePlugin(session, entry.arguments());
            case "numa-aware" -> new NumaAwarePlugin(session, entry.arguments());
            case "task-topology" -> new TaskTopologyPlugin(session, entry.arguments());
            default -> null;
        };
    }
}
