package lavaflow.kubelet;

import java.nio.file.Path;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class FiguresTest {
    @TempDir
    private Path directory;

    @Test
    void howFastProcessorTimeIsUsedIsNotToldBeforeTwoLooks() {
        Figures figures = new Figures(NodeSettings.of("n", "192.0.2.1", directory), () -> TestingPod.NOW);
        ObjectNode summary = figures.summary(List.of());

        assertThat(Json.longAt(summary, 0, "node", "cpu", "usageCoreNanoSeconds"))
                .isPositive();
        assertThat(Json.at(summary, "node", "cpu", "usageNanoCores")).isNull();
    }
}
