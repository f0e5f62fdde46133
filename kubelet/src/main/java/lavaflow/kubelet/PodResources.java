package lavaflow.kubelet;

import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.sandbox.Limits;
import lavaflow.sandbox.SandboxSpec;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** What a pod asks for and may use, in the words of the kernel. */
final class PodResources {
    private static final long LEAST_SHARES = 2;
    private static final long MOST_SHARES = 262_144;
    private static final long LEAST_QUOTA_MICROS = 1_000;
    private static final int GUARANTEED_SCORE = -997;
    private static final int BEST_EFFORT_SCORE = 1000;

    private PodResources() {}

    static Limits ofContainer(PodView.Container container) {
        return of(Json.at(container.spec(), "resources"), 0);
    }

    static Limits of(@Nullable JsonNode resources, long pids) {
        Map<String, Long> requests = PodRequests.amounts(Json.at(resources, "requests"));
        Map<String, Long> limits = PodRequests.amounts(Json.at(resources, "limits"));
        long cpuLimit = limits.getOrDefault(PodRequests.CPU, 0L);
        // Who asks for nothing but has a limit gets as much as that.
        long cpuRequest = requests.getOrDefault(PodRequests.CPU, cpuLimit);
        return new Limits(shares(cpuRequest), quota(cpuLimit), limits.getOrDefault(PodRequests.MEMORY, 0L), pids);
    }

    /** For all containers together; limited only where every one of them is. */
    static Limits ofPod(PodView pod, long pids) {
        JsonNode own = Json.at(pod.object(), "spec", "resources");
        Map<String, Long> requests = PodRequests.of(pod.spec());
        if (own != null && !own.isEmpty()) {
            Map<String, Long> limits = PodRequests.amounts(own.get("limits"));
            long processors = withOverhead(pod, PodRequests.CPU, limits.getOrDefault(PodRequests.CPU, 0L));
            return new Limits(
                    Json.at(own, "requests", PodRequests.CPU) == null
                            ? shares(processors)
                            : shares(requests.getOrDefault(PodRequests.CPU, 0L)),
                    quota(processors),
                    withOverhead(pod, PodRequests.MEMORY, limits.getOrDefault(PodRequests.MEMORY, 0L)),
                    pids);
        }
        return new Limits(
                shares(requests.getOrDefault(PodRequests.CPU, 0L)),
                quota(withOverhead(pod, PodRequests.CPU, sumOfLimits(pod, PodRequests.CPU))),
                withOverhead(pod, PodRequests.MEMORY, sumOfLimits(pod, PodRequests.MEMORY)),
                pids);
    }

    /** What a runtime needs beside its containers comes on top of a limit, where there is one. */
    private static long withOverhead(PodView pod, String resource, long limit) {
        long overhead = PodRequests.amounts(Json.at(pod.spec(), "overhead")).getOrDefault(resource, 0L);
        return limit == 0 ? 0 : limit + overhead;
    }

    private static long sumOfLimits(PodView pod, String resource) {
        long running = 0;
        long starting = 0;
        for (PodView.Role role : List.of(PodView.Role.INIT, PodView.Role.MAIN)) {
            for (PodView.Container each : pod.containers(role)) {
                long limit = PodRequests.amounts(Json.at(each.spec(), "resources", "limits"))
                        .getOrDefault(resource, 0L);
                if (limit == 0) {
                    return 0;
                }
                if (each.isPlainInit()) {
                    starting = Math.max(starting, running + limit);
                } else {
                    running += limit;
                }
            }
        }
        return Math.max(running, starting);
    }

    static long shares(long milli) {
        return milli == 0 ? LEAST_SHARES : Math.clamp(milli * 1024 / 1000, LEAST_SHARES, MOST_SHARES);
    }

    static long quota(long milli) {
        return milli == 0 ? 0 : Math.max(LEAST_QUOTA_MICROS, milli * 100);
    }

    static SandboxSpec.Quality quality(PodView pod) {
        return switch (qualityWord(pod)) {
            case "Guaranteed" -> SandboxSpec.Quality.GUARANTEED;
            case "BestEffort" -> SandboxSpec.Quality.BEST_EFFORT;
            default -> SandboxSpec.Quality.BURSTABLE;
        };
    }

    private static String qualityWord(PodView pod) {
        return Json.textAt(pod.object(), "status", "qosClass");
    }

    /** Whom the kernel takes first when memory runs out. */
    static int oomScore(PodView pod, PodView.Container container, long machineMemory) {
        return switch (quality(pod)) {
            case GUARANTEED -> GUARANTEED_SCORE;
            case BEST_EFFORT -> BEST_EFFORT_SCORE;
            case BURSTABLE -> {
                long request = PodRequests.amounts(Json.at(container.spec(), "resources", "requests"))
                        .getOrDefault(PodRequests.MEMORY, 0L);
                long score = 1000 - (long) (1000.0 * request / Math.max(1, machineMemory));
                yield Math.clamp(score, 1000 + GUARANTEED_SCORE, 999);
            }
        };
    }
}
