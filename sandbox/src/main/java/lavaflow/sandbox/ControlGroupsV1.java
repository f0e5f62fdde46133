package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import lavaflow.linux.Mounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hierarchy for each controller, perhaps with one without controllers beside them.
 *
 * @param controllers where each is mounted
 * @param hierarchies every mounted hierarchy: the runtime makes a group in all of them
 */
record ControlGroupsV1(Map<String, Path> controllers, Set<Path> hierarchies) implements ControlGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroupsV1.class);
    private static final Set<String> LIMITING = Set.of("cpu", "memory", "pids");

    static ControlGroupsV1 of(List<Mounts.Entry> mounts) {
        Map<String, Path> controllers = new LinkedHashMap<>();
        Set<Path> hierarchies = new LinkedHashSet<>();
        for (Mounts.Entry entry : mounts) {
            if (entry.type().equals("cgroup")) {
                hierarchies.add(entry.target());
                for (String option : entry.superOptions().split(",", -1)) {
                    controllers.putIfAbsent(option, entry.target());
                }
            } else if (entry.type().equals("cgroup2")) {
                hierarchies.add(entry.target());
            }
        }
        return new ControlGroupsV1(controllers, hierarchies);
    }

    @Override
    public boolean limited() {
        return controllers.keySet().containsAll(LIMITING);
    }

    @Override
    public Optional<String> unlimited() {
        return limited() ? Optional.empty() : Optional.of("there are no control groups to use");
    }

    private Path file(String controller, String path, String name) {
        return controllers
                .getOrDefault(controller, Path.of("/nonexistent"))
                .resolve(path)
                .resolve(name);
    }

    @Override
    public void create(String path) throws IOException {
        for (String controller : LIMITING) {
            Files.createDirectories(file(controller, path, ""));
        }
    }

    @Override
    public void limit(String path, Limits limits) throws IOException {
        ControlGroups.write(
                file("cpu", path, "cpu.shares"), Long.toString(limits.cpuShares() == 0 ? 2 : limits.cpuShares()));
        ControlGroups.write(
                file("cpu", path, "cpu.cfs_quota_us"),
                Long.toString(limits.cpuQuotaMicros() == 0 ? -1 : Math.max(1000, limits.cpuQuotaMicros())));
        ControlGroups.write(
                file("memory", path, "memory.limit_in_bytes"),
                Long.toString(limits.memoryBytes() == 0 ? -1 : limits.memoryBytes()));
        ControlGroups.write(file("pids", path, "pids.max"), limits.pids() == 0 ? "max" : Long.toString(limits.pids()));
    }

    @Override
    public Usage usage(String path) {
        long memory = ControlGroups.readLong(file("memory", path, "memory.usage_in_bytes"));
        Path stat = file("memory", path, "memory.stat");
        long reclaimable = ControlGroups.readField(stat, "total_inactive_file");
        return new Usage(
                ControlGroups.readLong(file("cpuacct", path, "cpuacct.usage")),
                memory,
                Math.max(0, memory - reclaimable),
                ControlGroups.readField(stat, "total_rss"),
                ControlGroups.readLong(file("pids", path, "pids.current")));
    }

    @Override
    public long outOfMemoryKills(String path) {
        return ControlGroups.readField(file("memory", path, "memory.oom_control"), "oom_kill");
    }

    @Override
    public Path membership(String path) {
        return file("pids", path, "");
    }

    @Override
    public String makeExecution(String path) throws IOException {
        Path group = Files.createDirectories(file("pids", path, ""));
        return "pids:" + group.getFileName();
    }

    @Override
    public List<Path> directories(String path) {
        List<Path> directories = new ArrayList<>();
        hierarchies.forEach(hierarchy -> directories.add(hierarchy.resolve(path)));
        return directories;
    }

    @Override
    public void mostProcesses(String path, String count) {
        try {
            ControlGroups.write(file("pids", path, "pids.max"), count);
        } catch (IOException e) {
            LOG.debug("{}", path, e);
        }
    }
}
