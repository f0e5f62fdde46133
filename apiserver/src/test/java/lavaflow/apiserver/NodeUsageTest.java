package lavaflow.apiserver;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NodeUsageTest {
    private static final long SECOND = 1_000_000_000;

    private static NodeUsage at(String time, long cpuNanos, long nanoCores) {
        ObjectNode summary = Json.object();
        ObjectNode node = summary.putObject("node");
        ObjectNode cpu = node.putObject("cpu").put("time", time).put("usageCoreNanoSeconds", cpuNanos);
        if (nanoCores >= 0) {
            cpu.put("usageNanoCores", nanoCores);
        }
        node.putObject("memory").put("workingSetBytes", 1L);
        return NodeUsage.of(summary);
    }

    private static long rate(NodeUsage now, NodeUsage before) {
        NodeUsage.Rate rate = now.rate("", before);
        return rate == null ? -1 : rate.nanoCores();
    }

    @Test
    void howFastTimeIsUsedShowsBetweenTwoMoments() {
        assertThat(rate(at("2026-11-15T12:00:30Z", 40 * SECOND, 5), at("2026-11-15T12:00:10Z", 30 * SECOND, 5)))
                .isEqualTo(SECOND / 2);
    }

    @Test
    void betweenMomentsThatAreCloseTheNodeItselfKnowsBetter() {
        NodeUsage before = at("2026-11-15T12:00:00Z", 10 * SECOND, -1);

        assertThat(rate(at("2026-11-15T12:00:01Z", 12 * SECOND, SECOND), before))
                .isEqualTo(SECOND);
        assertThat(rate(at("2026-11-15T12:00:01Z", 12 * SECOND, -1), before)).isEqualTo(2 * SECOND);
    }

    @Test
    void oneMomentAloneTellsWhatTheNodeSays() {
        assertThat(at("2026-11-15T12:00:00Z", SECOND, -1).rate("", null)).isNull();
        assertThat(at("2026-11-15T12:00:00Z", SECOND, -1).isTold(null)).isFalse();
        NodeUsage.Rate told = at("2026-11-15T12:00:00Z", SECOND, 7).rate("", null);
        assertThat(told == null ? -1 : told.nanoCores()).isEqualTo(7);
    }
}
