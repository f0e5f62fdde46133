package lavaflow.kubelet;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PodResizeTest {
    private static final String POD =
            "containers: [{name: a, resizePolicy: [{resourceName: memory, restartPolicy: RestartContainer}],"
                    + " resources: {requests: {cpu: 500m, memory: 64Mi}}}, {name: b}]";

    private static PodResize.Answer answer(String allocatable, Map<String, Long> taken) {
        return PodResize.answer(TestingPod.of(POD).view(), TestingPod.yaml(allocatable), taken);
    }

    @Test
    void containersWithOtherResourcesThanTheyHaveAreFound() {
        assertThat(PodResize.changed(
                        TestingPod.of(POD).view(),
                        Map.of("a", TestingPod.yaml("{requests: {cpu: 250m, memory: 64Mi}}"))))
                .extracting(PodView.Container::name)
                .isEqualTo(List.of("a"));
        assertThat(PodResize.changed(TestingPod.of(POD).view(), Map.of())).isEmpty();
    }

    @Test
    void whatTheNodeCannotGiveNowIsDeferredAndWhatItNeverCanIsInfeasible() {
        assertThat(answer("{cpu: '1', memory: 1Gi}", Map.of("cpu", 500L))).isEqualTo(new PodResize.Granted());
        assertThat(answer("{cpu: '1', memory: 1Gi}", Map.of("cpu", 600L)))
                .isEqualTo(new PodResize.Refused(
                        "Deferred",
                        "Node didn't have enough resource: cpu, requested: 500, used: 600, capacity: 1000"));
        assertThat(answer("{cpu: 400m, memory: 1Gi}", Map.of()))
                .isEqualTo(new PodResize.Refused(
                        "Infeasible", "Node didn't have enough capacity: cpu, requested: 500, capacity: 400"));
    }

    @Test
    void aContainerIsStartedAnewIfItsPolicySaysSoOfWhatChanged() {
        PodView.Container container = TestingPod.of(POD).container("a");

        assertThat(PodResize.needsRestart(container, TestingPod.yaml("{requests: {cpu: 250m, memory: 64Mi}}")))
                .isFalse();
        assertThat(PodResize.needsRestart(container, TestingPod.yaml("{requests: {cpu: 500m, memory: 32Mi}}")))
                .isTrue();
    }

    @Test
    void aLimitOfMemoryIsNotLoweredBelowWhatIsUsed() {
        PodView.Container container = TestingPod.of("containers: [{name: a, resources: {limits: {memory: 64Mi}}}]")
                .container("a");

        assertThat(PodResize.tooLittle(container, TestingPod.yaml("{limits: {memory: 128Mi}}"), 64 << 20))
                .hasValue("cannot decrease memory limits: attempting to set container \"a\" memory limit (67108864)"
                        + " below current usage (67108864)");
        assertThat(PodResize.tooLittle(container, TestingPod.yaml("{}"), 65 << 20))
                .isPresent();
        assertThat(PodResize.tooLittle(container, TestingPod.yaml("{limits: {memory: 128Mi}}"), (64 << 20) - 1))
                .isEmpty();
        // Who is at a limit that grows, or stays as it is, may have it.
        assertThat(PodResize.tooLittle(container, TestingPod.yaml("{limits: {memory: 64Mi}}"), 64 << 20))
                .isEmpty();
        assertThat(PodResize.tooLittle(container, TestingPod.yaml("{limits: {memory: 32Mi}}"), 64 << 20))
                .isEmpty();
    }

    @Test
    void initContainersChangeWhileTheyRunAsOthersDo() {
        assertThat(PodResize.changed(
                        TestingPod.of("{initContainers: [{name: i, resources: {requests: {cpu: 200m}}}],"
                                        + " containers: [{name: a}]}")
                                .view(),
                        Map.of("i", TestingPod.yaml("{requests: {cpu: 100m}}"))))
                .extracting(PodView.Container::name)
                .containsExactly("i");
    }
}
