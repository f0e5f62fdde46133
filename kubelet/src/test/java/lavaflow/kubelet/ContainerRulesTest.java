package lavaflow.kubelet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.node.PodStatusPatch;
import lavaflow.sandbox.ContainerSpec;
import lavaflow.sandbox.Limits;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Limits, rights, last words, pauses: what is worked out for one container. */
class ContainerRulesTest {
    private static ContainerSpec.Privileges rights(String pod, String container, String imageUser) throws Exception {
        TestingPod made = TestingPod.of(pod + "\ncontainers: [{name: a, image: i" + container + "}]");
        return ContainerRights.of(made.view(), made.container("a"), imageUser, Path.of("/profiles"));
    }

    @Test
    void limitsInTheWordsOfTheKernel() {
        assertThat(PodResources.of(TestingPod.yaml("{requests: {cpu: 250m}, limits: {cpu: 500m, memory: 64Mi}}"), 0))
                .isEqualTo(new Limits(256, 50_000, 64 << 20, 0));
        assertThat(PodResources.of(null, 7)).isEqualTo(new Limits(2, 0, 0, 7));
        assertThat(PodResources.of(TestingPod.yaml("{limits: {cpu: 1m}}"), 0).cpuQuotaMicros())
                .isEqualTo(1000);
    }

    @Test
    void aPodIsLimitedOnlyIfAllItsContainersAre() {
        String limited = "{name: a, resources: {limits: {memory: 10Mi}}}";

        assertThat(PodResources.ofPod(
                                TestingPod.of("containers: [" + limited + "]").view(), 0)
                        .memoryBytes())
                .isEqualTo(10 << 20);
        assertThat(PodResources.ofPod(
                                TestingPod.of("containers: [" + limited + ", {name: b}]")
                                        .view(),
                                0)
                        .memoryBytes())
                .isZero();
    }

    @Test
    void theKernelTakesThoseFirstWhoAskedForLeast() {
        TestingPod burstable = TestingPod.of("containers: [{name: a, resources: {requests: {memory: 100Mi}}}]")
                .status("qosClass: Burstable");
        TestingPod best = TestingPod.of("containers: [{name: a}]").status("qosClass: BestEffort");

        assertThat(PodResources.oomScore(burstable.view(), burstable.container("a"), 1000L << 20))
                .isEqualTo(900);
        assertThat(PodResources.oomScore(best.view(), best.container("a"), 1000L << 20))
                .isEqualTo(1000);
    }

    @Test
    void usersAndGroups() throws Exception {
        assertThat(rights("", "", "www-data").user()).isEqualTo("www-data");
        assertThat(rights("securityContext: {runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000}", "", "")
                        .user())
                .isEqualTo("1000:3000");
        assertThat(rights(
                                "securityContext: {runAsUser: 1000, fsGroup: 2000, supplementalGroups: [5]}",
                                ", securityContext: {runAsUser: 7}",
                                "")
                        .extraGroups())
                .containsExactly(5L, 2000L);
    }

    @Test
    void whoMustNotBeRootIsNot() {
        String nonRoot = "securityContext: {runAsNonRoot: true}";

        assertThatThrownBy(() -> rights(nonRoot, "", ""))
                .hasMessage(
                        "container has runAsNonRoot and image will run as root (pod: \"p_ns(uid-1)\", container: a)");
        assertThatThrownBy(() -> rights(nonRoot, "", "www-data"))
                .hasMessage(
                        "container has runAsNonRoot and image has non-numeric user (www-data), cannot verify user is"
                                + " non-root (pod: \"p_ns(uid-1)\", container: a)");
        assertThatThrownBy(() -> rights(nonRoot, ", securityContext: {runAsUser: 0}", ""))
                .hasMessage("container's runAsUser breaks non-root policy (pod: \"p_ns(uid-1)\", container: a)");
    }

    @Test
    void capabilitiesAndProfiles() throws Exception {
        ContainerSpec.Privileges rights = rights(
                "securityContext: {seccompProfile: {type: Localhost, localhostProfile: a.json}}",
                ", securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [CAP_NET_ADMIN], drop: [all]}}",
                "");

        assertThat(rights.added()).containsExactly("NET_ADMIN");
        assertThat(rights.dropped()).containsExactly("ALL");
        assertThat(rights.noNewPrivileges()).isTrue();
        assertThat(rights.seccomp()).isEqualTo("/profiles/a.json");
        assertThat(rights("", ", securityContext: {privileged: true}", "").seccomp())
                .isEqualTo("Unconfined");
    }

    @Test
    void pausesDoubleUpToFiveMinutes() {
        BackOff pause = BackOff.next(null, TestingPod.NOW, TestingPod.NOW);
        assertThat(pause.pause()).isEqualTo(Duration.ofSeconds(10));
        for (int i = 0; i < 6; i++) {
            pause = BackOff.next(pause, TestingPod.NOW, TestingPod.NOW);
        }
        assertThat(pause.pause()).isEqualTo(Duration.ofMinutes(5));
        assertThat(BackOff.next(pause, TestingPod.NOW.plusSeconds(601), TestingPod.NOW)
                        .pause())
                .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void lastWordsComeFromTheirFileOrTheEndOfTheLog(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("words"), "");
        Path log = Files.writeString(
                directory.resolve("0.log"), "2026-11-15T06:45:41Z stdout P par\n2026-11-15T06:45:41Z stdout F tial\n");

        assertThat(LastWords.of(file, log, true, 1)).isEqualTo("partial\n");
        assertThat(LastWords.of(file, log, true, 0)).isEmpty();
        Files.writeString(log, "2026-01-01T00:00:00Z stdout P no end of line\n");
        assertThat(LastWords.of(file, log, true, 1)).isEqualTo("no end of line");
        assertThat(LastWords.of(file, log, false, 1)).isEmpty();
        Files.writeString(file, "x".repeat(5000));
        assertThat(LastWords.of(file, log, true, 1)).hasSize(4096);
    }

    @Test
    void secretsForPulling() {
        String config = Base64.getEncoder()
                .encodeToString("{\"auths\":{\"https://registry.example/v1/\":{\"auth\":\"dTpw\"}}}"
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));

        assertThat(PullSecrets.of(TestingPod.yaml("data: {.dockerconfigjson: " + config + "}")))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.prefix()).isEqualTo("registry.example");
                    assertThat(List.of(each.user(), each.password())).containsExactly("u", "p");
                });
    }

    @Test
    void aProbeChangesItsMindAfterSoManyEqualAnswers() {
        Probe probe = Probe.of(Probe.Kind.READINESS, TestingPod.yaml("{successThreshold: 2, failureThreshold: 3}"));
        ProbeState state = ProbeState.NEW.heard(true, probe);
        assertThat(state.belief()).isNull();
        state = state.heard(true, probe);
        assertThat(state.belief()).isTrue();
        state = state.heard(false, probe).heard(false, probe);
        assertThat(state.belief()).isTrue();
        assertThat(state.heard(false, probe).belief()).isFalse();
    }

    @Test
    void anAddressThatChangedReplacesTheOldOne() {
        ObjectNode patch = PodStatusPatch.between(
                TestingPod.yaml("{podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}]}"),
                TestingPod.yaml("{podIP: 10.0.0.2, podIPs: [{ip: 10.0.0.2}]}"));

        assertThat(patch).isNotNull();
        assertThat(Json.string(patch))
                .isEqualTo("{\"podIP\":\"10.0.0.2\",\"podIPs\":[{\"$patch\":\"replace\"},{\"ip\":\"10.0.0.2\"}]}");
    }

    @Test
    void tooMuchForAProgramIsKnownBeforehand() {
        assertThat(ArgumentLimits.isExceededBy(program("x".repeat(131_071), 1))).isFalse();
        assertThat(ArgumentLimits.isExceededBy(program("x".repeat(131_072), 1))).isTrue();
        assertThat(ArgumentLimits.isExceededBy(program("x".repeat(100_000), 21)))
                .isTrue();
    }

    private static ContainerSpec.Program program(String variable, int count) {
        return new ContainerSpec.Program(
                List.of("true"), java.util.Collections.nCopies(count, variable), "/", false, false, false);
    }

    @Test
    void answersOfHealthServices() {
        assertThat(GrpcAsking.verdict(new byte[] {0, 0, 0, 0, 2, 8, 1})).isEmpty();
        assertThat(GrpcAsking.verdict(new byte[] {0, 0, 0, 0, 2, 8, 2}))
                .isEqualTo("service unhealthy (responded with \"NOT_SERVING\")");
        assertThat(GrpcAsking.verdict(new byte[0])).contains("does not implement the grpc health protocol");
    }

    @Test
    void kernelSettingsThatTouchOthersAreRefused() {
        assertThat(NodeAdmission.sysctls(
                        TestingPod.of("securityContext: {sysctls: [{name: kernel.shm_rmid_forced, value: '1'}]}")
                                .view()))
                .isNull();
        PodFacts.End refusal =
                NodeAdmission.sysctls(TestingPod.of("securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}")
                        .view());
        assertThat(refusal).isNotNull();
        assertThat(refusal.reason()).isEqualTo("SysctlForbidden");
        assertThat(refusal.message())
                .isEqualTo("Pod was rejected: forbidden sysctl: sysctl \"kernel.msgmax\" not allowlisted");
    }

    @Test
    void podsForOtherSystemsAreRefused() {
        ObjectNode node = TestingPod.yaml("metadata: {labels: {kubernetes.io/os: linux}}");
        assertThat(NodeAdmission.system(node, TestingPod.of("os: {name: linux}").view()))
                .isNull();
        assertThat(NodeAdmission.system(node, TestingPod.of("{}").view())).isNull();

        PodFacts.End refusal =
                NodeAdmission.system(node, TestingPod.of("os: {name: windows}").view());
        assertThat(refusal).isNotNull();
        assertThat(refusal.reason()).isEqualTo("PodOSNotSupported");
        assertThat(refusal.message())
                .isEqualTo("Pod was rejected: Failed to admit pod as the OS field doesn't match node OS");

        PodView labelled = TestingPod.of("{}").view();
        Json.ensureObject(labelled.object(), "metadata", "labels").put("kubernetes.io/os", "windows");
        PodFacts.End other = NodeAdmission.system(node, labelled);
        assertThat(other).isNotNull();
        assertThat(other.reason()).isEqualTo("PodOSSelectorNodeLabelDoesNotMatch");
    }

    @Test
    void aContainerWithoutALimitMayUseWhatItsPodMay() throws Exception {
        PodView pod = TestingPod.of("{resources: {limits: {memory: 64Mi}}, containers: [{name: main, image: x}]}")
                .view();
        ObjectNode allocatable = TestingPod.yaml("{cpu: '2', memory: 1Gi}");

        assertThat(DownwardFields.resource(pod, "main", TestingPod.yaml("resource: limits.memory"), allocatable))
                .isEqualTo("67108864");
        assertThat(DownwardFields.resource(pod, "main", TestingPod.yaml("resource: limits.cpu"), allocatable))
                .isEqualTo("2");
    }

    @Test
    void anEndMayBeHeardOfBeforeItsBeginning() {
        Attempt made = new Attempt("id", 0, "image", "image-id", "hash", "SIGTERM", null, null);
        Attempt.Exit exit = new Attempt.Exit(1, "Error", "", TestingPod.NOW);

        Attempt ended = made.exited(exit).started(TestingPod.NOW.plusSeconds(1));

        assertThat(ended.startedAt()).isEqualTo(TestingPod.NOW);
        assertThat(ended.exit()).isEqualTo(exit);
    }
}
