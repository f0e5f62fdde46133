package lavaflow.scheduler;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import lavaflow.placement.StorageCapacity;
import lavaflow.placement.Volume;
import lavaflow.placement.VolumeClaim;
import lavaflow.placement.VolumeClass;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Where volumes let a pod go. */
class VolumeTest {
    private static final String CLAIMS =
            "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}}]}}";
    private static final String ON_M = """
            "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["m"]}]}]}}""";

    private final TestingCluster cluster = new TestingCluster().node("n").node("m");

    private void claim(String volume, String annotations) {
        VolumeClaim claim = VolumeClaim.of(json("""
                {"metadata":{"name":"data","namespace":"default","uid":"c","annotations":{%s}},"spec":{"storageClassName":"local",
                "volumeName":"%s","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"}}""".formatted(annotations, volume)));
        cluster.with(state -> state.volumes().putClaim("default/data", claim));
    }

    private void volume(String name, String size) {
        Volume volume = Volume.of(json("""
                {"metadata":{"name":"%s"},"spec":{"storageClassName":"local","capacity":{"storage":"%s"},"accessModes":["ReadWriteOnce"],
                "volumeMode":"Filesystem",%s},"status":{"phase":"Available"}}""".formatted(name, size, ON_M)));
        cluster.with(state -> state.volumes().putVolume(name, volume));
    }

    private void type(String mode, String provisioner) {
        VolumeClass type = VolumeClass.of(
                json("{\"provisioner\":\"%s\",\"volumeBindingMode\":\"%s\"}".formatted(provisioner, mode)));
        cluster.with(state -> state.volumes().putClass("local", type));
    }

    @Test
    void aClaimMustExist() {
        assertThat(cluster.pod("p", CLAIMS).outcome())
                .isEqualTo("0/2 nodes are available: persistentvolumeclaim \"data\" not found. not found");
    }

    @Test
    void claimsThatDoNotWaitMustBeBoundFirst() {
        type("Immediate", "lavaflow.io/local-path");
        claim("", "");
        assertThat(cluster.pod("p", CLAIMS).outcome())
                .startsWith("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.");
        volume("pv", "1Gi");
        claim("pv", "\"pv.kubernetes.io/bind-completed\":\"yes\"");
        assertThat(cluster.later(Duration.ofSeconds(1)).placements()).containsExactly("p on m");
    }

    @Test
    void boundVolumesDecideWhere() {
        volume("pv", "1Gi");
        claim("pv", "\"pv.kubernetes.io/bind-completed\":\"yes\"");
        assertThat(cluster.pod("p", CLAIMS).outcome()).isEqualTo("m");
    }

    @Test
    void aVolumeElsewhereRefuses() {
        volume("pv", "1Gi");
        claim("pv", "\"pv.kubernetes.io/bind-completed\":\"yes\"");
        cluster.node("m", "{\"spec\":{\"unschedulable\":true}}");
        assertThat(cluster.pod("p", CLAIMS).outcome())
                .startsWith("0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity,"
                        + " 1 node(s) were unschedulable.");
    }

    @Test
    void claimsThatWaitHaveAVolumeMadeWhereThePodGoes() {
        type("WaitForFirstConsumer", "lavaflow.io/local-path");
        claim("", "");
        List<Action> actions = cluster.pod("p", CLAIMS).decide();
        assertThat(actions).singleElement().isInstanceOfSatisfying(Action.ChooseVolumes.class, choose -> {
            assertThat(choose.node()).isEqualTo("n");
            assertThat(choose.choices()).singleElement().satisfies(choice -> {
                assertThat(choice.claim().name()).isEqualTo("data");
                assertThat(choice.volume()).isNull();
            });
        });
        assertThat(cluster.core.awaitedChanged(cluster.now)).isEmpty();
        claim("pv", "\"pv.kubernetes.io/bind-completed\":\"yes\"");
        assertThat(cluster.core.awaitedChanged(cluster.now))
                .singleElement()
                .isInstanceOfSatisfying(
                        Action.Bind.class, bind -> assertThat(bind.node()).isEqualTo("n"));
    }

    @Test
    void podsThatShareAClaimGoWhereItsVolumeIsBeingMade() {
        type("WaitForFirstConsumer", "lavaflow.io/local-path");
        claim("", "");
        cluster.pod("p", CLAIMS).decide();
        // The API has not told yet which node was asked.
        assertThat(cluster.pod("q", CLAIMS).decide())
                .singleElement()
                .isInstanceOfSatisfying(
                        Action.ChooseVolumes.class,
                        choose -> assertThat(choose.node()).isEqualTo("n"));
    }

    @Test
    void podsThatShareAClaimOfAVolumeEveryoneReachesGoAnywhere() {
        type("WaitForFirstConsumer", "kubernetes.io/no-provisioner");
        Volume volume = Volume.of(json("""
                {"metadata":{"name":"a"},"spec":{"storageClassName":"local","capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
                "volumeMode":"Filesystem"},"status":{"phase":"Available"}}"""));
        cluster.with(state -> state.volumes().putVolume("a", volume));
        claim("", "");
        cluster.pod("p", CLAIMS).decide();
        assertThat(cluster.pod("q", CLAIMS).decide())
                .singleElement()
                .isInstanceOfSatisfying(Action.ChooseVolumes.class, choose -> {
                    assertThat(choose.node()).isEqualTo("m");
                    assertThat(choose.choices().getFirst().volume()).isEqualTo(volume);
                });
    }

    private void capacity(String sizes) {
        StorageCapacity capacity = StorageCapacity.of(json("""
                {"storageClassName":"local","nodeTopology":{"matchLabels":{"kubernetes.io/hostname":"m"}},%s}""".formatted(sizes)));
        cluster.with(state -> state.volumes().putCapacity("kube-system/c", capacity));
    }

    @Test
    void aDriverThatTellsItsCapacityMakesVolumesOnlyWhereThereIsRoom() {
        type("WaitForFirstConsumer", "csi.example.com");
        claim("", "");
        cluster.with(state -> state.volumes().putDriver("csi.example.com", true));
        assertThat(cluster.pod("p", CLAIMS).outcome())
                .isEqualTo(
                        "0/2 nodes are available: 2 node(s) did not have enough free storage. no new claims to"
                                + " deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
        capacity("\"capacity\":\"1023Mi\"");
        assertThat(cluster.later(Duration.ofSeconds(10)).outcome())
                .contains("2 node(s) did not have enough free storage");
        capacity("\"capacity\":\"10Gi\",\"maximumVolumeSize\":\"512Mi\"");
        assertThat(cluster.later(Duration.ofSeconds(10)).outcome())
                .contains("2 node(s) did not have enough free storage");
        capacity("\"capacity\":\"1Gi\"");
        assertThat(cluster.later(Duration.ofSeconds(10)).outcome()).isEqualTo("m with volumes");
    }

    @Test
    void aDriverThatDoesNotTellIsTrusted() {
        type("WaitForFirstConsumer", "csi.example.com");
        claim("", "");
        cluster.with(state -> state.volumes().putDriver("csi.example.com", false));
        assertThat(cluster.pod("p", CLAIMS).outcome()).isEqualTo("n with volumes");
    }

    @Test
    void theSmallestFreeVolumeIsTaken() {
        type("WaitForFirstConsumer", "kubernetes.io/no-provisioner");
        claim("", "");
        volume("large", "10Gi");
        volume("small", "2Gi");
        assertThat(cluster.pod("p", CLAIMS).decide())
                .singleElement()
                .isInstanceOfSatisfying(Action.ChooseVolumes.class, choose -> {
                    assertThat(choose.node()).isEqualTo("m");
                    assertThat(choose.choices().getFirst().volume())
                            .isNotNull()
                            .satisfies(volume -> assertThat(volume.name()).isEqualTo("small"));
                });
    }

    private String chosen() {
        return cluster.decide().stream()
                .filter(Action.ChooseVolumes.class::isInstance)
                .flatMap(each -> ((Action.ChooseVolumes) each).choices().stream())
                .map(each -> each.claim().name() + " gets "
                        + (each.volume() == null ? "none" : each.volume().name()))
                .collect(Collectors.joining(", "));
    }

    @Test
    void whatWasChosenForOneClaimIsNotOfferedToAnother() {
        type("WaitForFirstConsumer", "kubernetes.io/no-provisioner");
        volume("a", "1Gi");
        volume("b", "2Gi");
        claim("", "");
        VolumeClaim other = VolumeClaim.of(json("""
                {"metadata":{"name":"other","namespace":"default","uid":"o"},"spec":{"storageClassName":"local",
                "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"}}"""));
        cluster.with(state -> state.volumes().putClaim("default/other", other));
        cluster.pod("p", CLAIMS);
        assertThat(chosen()).isEqualTo("data gets a");
        cluster.pod("q", uses("other"));
        assertThat(chosen()).isEqualTo("other gets b");
    }

    @Test
    void withoutVolumesAndSomebodyToMakeThemThereIsNoNode() {
        type("WaitForFirstConsumer", "kubernetes.io/no-provisioner");
        claim("", "");
        assertThat(cluster.pod("p", CLAIMS).outcome())
                .startsWith("0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.");
    }

    private String givenUp() {
        List<Action> actions = cluster.core.awaitedChanged(cluster.now);
        assertThat(actions).hasSize(1);
        return ((Action.GiveUp) actions.getFirst()).message();
    }

    @Test
    void volumesThatAreNotMadeInTimeSetThePodFree() {
        type("WaitForFirstConsumer", "lavaflow.io/local-path");
        claim("", "");
        cluster.pod("p", CLAIMS).decide();
        cluster.later(SchedulerCore.VOLUME_PATIENCE);
        assertThat(givenUp())
                .isEqualTo("running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded");
        assertThat(cluster.later(Duration.ofSeconds(1)).outcome()).isEqualTo("n with volumes");
    }

    @Test
    void aPodWhoseClaimIsTakenAwayIsToldSo() {
        type("WaitForFirstConsumer", "lavaflow.io/local-path");
        claim("", "");
        cluster.pod("p", CLAIMS).decide();
        cluster.core.state().volumes().putClaim("default/data", null);
        assertThat(givenUp())
                .isEqualTo(
                        "running PreBind plugin \"VolumeBinding\": binding volumes: failed to check provisioning pvc:"
                                + " persistentvolumeclaims \"default/data\" not found");
        assertThat(cluster.later(Duration.ofSeconds(1)).outcome())
                .startsWith("0/2 nodes are available: persistentvolumeclaim \"data\" not found.");
    }

    private void bound(String name, String mode) {
        cluster.with(state -> {
            state.volumes().putVolume("pv-" + name, Volume.of(json("""
                    {"metadata":{"name":"pv-%1$s"},"spec":{"csi":{"driver":"csi.example.com","volumeHandle":"h-%1$s"}}}""".formatted(name))));
            state.volumes().putClaim("default/" + name, VolumeClaim.of(json("""
                    {"metadata":{"name":"%1$s","namespace":"default","uid":"%1$s","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
                    "spec":{"volumeName":"pv-%1$s","accessModes":["%2$s"]}}""".formatted(name, mode))));
        });
    }

    private String inZone(String volumeLabels, String nodeLabels) {
        bound("one", "ReadWriteOnce");
        cluster.with(state -> state.volumes()
                .putVolume(
                        "pv-one",
                        Volume.of(
                                json("{\"metadata\":{\"name\":\"pv-one\",\"labels\":{%s}}}".formatted(volumeLabels)))));
        cluster.core.onNodeGone("m", cluster.now);
        cluster.node("n", "{\"metadata\":{\"labels\":{%s}}}".formatted(nodeLabels))
                .pod("p", uses("one"));
        return cluster.outcome();
    }

    private static final String ELSEWHERE = "0/1 nodes are available: 1 node(s) had no available volume zone."
            + " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

    @Test
    void aVolumeInAnotherZoneIsOutOfReach() {
        assertThat(inZone("\"topology.kubernetes.io/zone\":\"a\"", "\"topology.kubernetes.io/zone\":\"b\""))
                .isEqualTo(ELSEWHERE);
    }

    @Test
    void aNodeWithAZoneAndNoRegionIsInNoRegion() {
        assertThat(inZone("\"topology.kubernetes.io/region\":\"r\"", "\"topology.kubernetes.io/zone\":\"b\""))
                .isEqualTo(ELSEWHERE);
    }

    @Test
    void aVolumeMayBeInSeveralZones() {
        assertThat(inZone("\"topology.kubernetes.io/zone\":\"a__b\"", "\"topology.kubernetes.io/zone\":\"b\""))
                .isEqualTo("n");
    }

    @Test
    void zonesHaveHadAnotherName() {
        assertThat(inZone("\"failure-domain.beta.kubernetes.io/zone\":\"b\"", "\"topology.kubernetes.io/zone\":\"b\""))
                .isEqualTo("n");
    }

    @Test
    void nodesThatAreNowhereReachAllZones() {
        assertThat(inZone("\"topology.kubernetes.io/zone\":\"a\"", "\"disk\":\"ssd\""))
                .isEqualTo("n");
    }

    private static String uses(String claim) {
        return CLAIMS.replace("data", claim);
    }

    @Test
    void aClaimForOnePodWaitsUntilThatPodIsGone() {
        bound("one", "ReadWriteOncePod");
        cluster.running("first", "n", uses("one")).pod("second", uses("one"));
        assertThat(cluster.outcome())
                .startsWith("0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with"
                        + " ReadWriteOncePod access mode already in-use by another pod.");
        cluster.gone("first").later(Duration.ofSeconds(2));
        assertThat(cluster.outcome()).isIn("n", "m");
    }

    @Test
    void aClaimForOnePodGoesToTheMoreImportantOne() {
        bound("one", "ReadWriteOncePod");
        cluster.running("first", "n", uses("one"), TestingCluster.priority(1))
                .pod("second", uses("one"), TestingCluster.priority(100));
        assertThat(cluster.decide())
                .anySatisfy(action -> assertThat(action)
                        .isInstanceOfSatisfying(
                                Action.Evict.class,
                                evict -> assertThat(evict.victim().name()).isEqualTo("first")));
    }

    @Test
    void whoTakesAClaimFromAnotherIsAskedAgainOnceThatOneIsGone() {
        bound("one", "ReadWriteOncePod");
        cluster.running("first", "n", uses("one"), TestingCluster.priority(1))
                .pod("second", uses("one"), TestingCluster.priority(100));
        cluster.decide();
        cluster.running(
                "first",
                "n",
                uses("one"),
                TestingCluster.priority(1),
                "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T12:00:00Z\"}}");
        assertThat(cluster.later(Duration.ofSeconds(2)).decide()).isEmpty();
        assertThat(cluster.gone("first").placements()).containsExactly("second on n");
    }

    @Test
    void aClaimForOneNodeMayBeUsedByTwoPods() {
        bound("one", "ReadWriteOnce");
        cluster.running("first", "n", uses("one")).pod("second", uses("one"));
        assertThat(cluster.outcome()).isIn("n", "m");
    }

    private void limit(String node, int count) {
        cluster.with(state -> state.volumes().putLimits(node, Scheduler.limits(json("""
                                {"spec":{"drivers":[{"name":"csi.example.com","nodeID":"x","allocatable":{"count":%d}},
                                {"name":"other","nodeID":"x"}]}}""".formatted(count)))));
    }

    @Test
    void aNodeTakesNoMoreVolumesThanItsDriverCanAttach() {
        bound("a", "ReadWriteOnce");
        bound("b", "ReadWriteOnce");
        limit("n", 1);
        limit("m", 0);
        cluster.running("first", "n", uses("a")).pod("second", uses("b"));
        assertThat(cluster.outcome()).startsWith("0/2 nodes are available: 2 node(s) exceed max volume count.");

        limit("m", 1);
        assertThat(cluster.later(Duration.ofSeconds(2)).outcome()).isEqualTo("m");
    }

    @Test
    void aVolumeThatIsThereAlreadyCountsOnce() {
        bound("a", "ReadWriteOnce");
        limit("n", 1);
        limit("m", 0);
        cluster.running("first", "n", uses("a")).pod("second", uses("a"));
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void theVolumeOfAnEarlierClaimOfThatNameIsNotTaken() {
        type("WaitForFirstConsumer", "kubernetes.io/no-provisioner");
        claim("", "");
        volume("old", "2Gi");
        cluster.core.state().volumes().putVolume("old", Volume.of((com.fasterxml.jackson.databind.node.ObjectNode)
                lavaflow.kube.Json.parse("""
                        {"metadata":{"name":"old"},"spec":{"capacity":{"storage":"2Gi"},"accessModes":["ReadWriteOnce"],
                         "storageClassName":"fast","claimRef":{"namespace":"default","name":"data","uid":"earlier"}}}""")));
        assertThat(cluster.pod("p", CLAIMS).outcome()).contains("didn't find available persistent volumes to bind");
    }
}
