package lavaflow.kubelet;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.linux.FileTree;
import lavaflow.volume.DiskUsage;

/** What pods have written to disk: into the roots of their containers, into logs and into volumes of their own. */
final class PodDisk {
    /**
     * What one pod uses.
     *
     * @param roots by container, what it changed of its image's files
     * @param logs by container
     * @param volumes by name, those that count
     */
    record Use(
            Map<String, FileTree.Space> roots, Map<String, FileTree.Space> logs, Map<String, FileTree.Space> volumes) {
        FileTree.Space total() {
            return sum(roots).plus(sum(logs)).plus(sum(volumes));
        }

        FileTree.Space ofVolumes() {
            return sum(volumes);
        }

        /** Bytes of each container's own: what its limit is about. */
        Map<String, Long> written() {
            Map<String, Long> written = new LinkedHashMap<>();
            roots.forEach((name, space) -> written.merge(name, space.bytes(), Long::sum));
            logs.forEach((name, space) -> written.merge(name, space.bytes(), Long::sum));
            return written;
        }

        private static FileTree.Space sum(Map<String, FileTree.Space> parts) {
            return parts.values().stream().reduce(FileTree.Space.NONE, FileTree.Space::plus);
        }
    }

    private final NodeTools tools;
    private final PodFiles files;
    private final DiskUsage usage = new DiskUsage();
    private final Set<String> seen = new TreeSet<>();

    PodDisk(NodeTools tools, PodFiles files) {
        this.tools = tools;
        this.files = files;
    }

    Use of(PodFacts facts) {
        PodView pod = facts.pod();
        synchronized (seen) {
            seen.add(pod.uid());
        }
        Map<String, FileTree.Space> roots = new LinkedHashMap<>();
        Map<String, FileTree.Space> logs = new LinkedHashMap<>();
        for (PodView.Container each : pod.containers()) {
            Attempt last = facts.of(each).last();
            if (last != null) {
                tools.runtime()
                        .written(last.id())
                        .ifPresent(directory -> roots.put(each.name(), usage.of(pod.uid(), directory)));
                logs.put(each.name(), LogRotation.space(files.logDirectory(pod).resolve(each.name())));
            }
        }
        return new Use(roots, logs, tools.volumes().usage(pod.uid()));
    }

    /** Forgets what was measured of pods that are gone. */
    void keepOnly(Set<String> uids) {
        synchronized (seen) {
            seen.removeIf(uid -> {
                boolean gone = !uids.contains(uid);
                if (gone) {
                    usage.forget(uid);
                }
                return gone;
            });
        }
    }
}
