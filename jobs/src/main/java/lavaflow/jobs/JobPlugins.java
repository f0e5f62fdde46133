package lavaflow.jobs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** The plugins there are, by name. */
public final class JobPlugins {
    /**
     * A plugin.
     *
     * @param maker makes it of its arguments; those that make no sense are ignored, as upstream does
     * @param defaults the arguments it knows
     */
    private record Kind(Function<List<String>, JobPlugin> maker, Map<String, Object> defaults) {}

    /** In the order in which they are asked: what one says of a pod another may read. */
    private static final Map<String, Kind> BY_NAME = new LinkedHashMap<>();

    static {
        BY_NAME.put("env", new Kind(_ -> new EnvPlugin(), Map.of()));
        BY_NAME.put("svc", new Kind(SvcPlugin::new, SvcPlugin.DEFAULTS));
        BY_NAME.put("ssh", new Kind(SshPlugin::new, SshPlugin.DEFAULTS));
        BY_NAME.put("tensorflow", new Kind(TensorFlowPlugin::new, TensorFlowPlugin.DEFAULTS));
        BY_NAME.put("pytorch", new Kind(PyTorchPlugin::new, PyTorchPlugin.DEFAULTS));
        BY_NAME.put("mpi", new Kind(MpiPlugin::new, MpiPlugin.DEFAULTS));
        BY_NAME.put("ray", new Kind(RayPlugin::new, RayPlugin.DEFAULTS));
        BY_NAME.put("jax", new Kind(JaxPlugin::new, JaxPlugin.DEFAULTS));
        BY_NAME.put(HcclRankPlugin.NAME, new Kind(HcclRankPlugin::new, HcclRankPlugin.DEFAULTS));
    }

    private JobPlugins() {}

    public static boolean has(String name) {
        return BY_NAME.containsKey(name);
    }

    /** Null where there is none of that name. */
    public static @Nullable JobPlugin named(String name, List<String> arguments) {
        Kind kind = BY_NAME.get(name);
        return kind == null ? null : kind.maker().apply(arguments);
    }

    /** The plugins of a Job, in the order in which they are asked; those that do not exist are left out. */
    public static List<JobPlugin> of(VolcanoJob job) {
        Map<String, List<String>> wanted = job.plugins();
        List<JobPlugin> plugins = new ArrayList<>();
        BY_NAME.forEach((name, kind) -> {
            List<String> arguments = wanted.get(name);
            if (arguments != null) {
                plugins.add(kind.maker().apply(arguments));
            }
        });
        return plugins;
    }

    /** What is wrong with what a Job wants of plugins, for whoever can be told; the rest of it holds. */
    public static List<String> complaints(VolcanoJob job) {
        List<String> complaints = new ArrayList<>();
        job.plugins().forEach((name, arguments) -> {
            Kind kind = BY_NAME.get(name);
            if (kind == null) {
                complaints.add("failed to get plugin " + name);
            } else if (!name.equals("env")) {
                String problem = new PluginArguments(arguments, kind.defaults()).problem();
                if (!problem.isEmpty()) {
                    complaints.add("plugin " + name + " flagset parse failed, err: " + problem);
                }
            }
        });
        return complaints;
    }
}
