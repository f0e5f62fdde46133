package lavaflow.plugins;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Which of the nodes that could take a pod of a gang does. */
class NodeOrderTest {
    /** Nothing counts but what is named. */
    private static TestingGangs only(String... weights) {
        StringBuilder arguments = new StringBuilder();
        for (String each : new String[] {
            "leastrequested",
            "mostrequested",
            "nodeaffinity",
            "podaffinity",
            "balancedresource",
            "tainttoleration",
            "imagelocality",
            "podtopologyspread"
        }) {
            String wanted = each + ".weight: 0";
            for (String weight : weights) {
                wanted = weight.startsWith(each) ? weight : wanted;
            }
            arguments.append("      ").append(wanted).append('\n');
        }
        return new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: nodeorder
                    arguments:
                %s""".formatted(arguments));
    }

    private static String running(String node, String cpu, String memory) {
        return """
                {"spec":{"nodeName":"%s","containers":[{"name":"c","resources":{"requests":{"cpu":"%s","memory":"%s"}}}]},
                 "status":{"phase":"Running"}}""".formatted(node, cpu, memory);
    }

    private static final String LIKES_Z = """
            {"spec":{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,
             "preference":{"matchExpressions":[{"key":"z","operator":"Exists"}]}}]}}}}""";
    private static final String Z = "{\"metadata\":{\"labels\":{\"z\":\"1\"}}}";
    private static final String DISLIKED = "{\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"PreferNoSchedule\"}]}}";
    private static final String LIKES_DB = """
            {"spec":{"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,
             "podAffinityTerm":{"labelSelector":{"matchLabels":{"app":"db"}},"topologyKey":"kubernetes.io/hostname"}}]}}}}""";
    private static final String SPREAD = """
            {"metadata":{"labels":{"app":"db"}},"spec":{"topologySpreadConstraints":[{"maxSkew":1,
             "topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway",
             "labelSelector":{"matchLabels":{"app":"db"}}}]}}""";
    private static final String IMAGE =
            "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"big\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}";
    private static final String HAS_IMAGE =
            "{\"status\":{\"images\":[{\"names\":[\"big:latest\"],\"sizeBytes\":2000000000}]}}";
    private static final String DB = "{\"metadata\":{\"labels\":{\"app\":\"db\"}}}";

    static Stream<Arguments> scores() {
        return Stream.of(
                // the weight, the node changes of n1 and n2, what runs on n1, the pod, the winner
                Arguments.of("leastrequested.weight: 1", "{}", "{}", running("n1", "2", "2Gi"), "{}", "n2"),
                Arguments.of("mostrequested.weight: 1", "{}", "{}", running("n2", "2", "2Gi"), "{}", "n2"),
                Arguments.of("balancedresource.weight: 1", "{}", "{}", running("n1", "4", "0"), "{}", "n2"),
                Arguments.of("nodeaffinity.weight: 1", "{}", Z, running("n1", "1", "1Gi"), LIKES_Z, "n2"),
                Arguments.of("tainttoleration.weight: 1", DISLIKED, "{}", running("n1", "1", "1Gi"), "{}", "n2"),
                Arguments.of("podaffinity.weight: 1", "{}", "{}", running("n2", "1", "1Gi"), LIKES_DB, "n2"),
                Arguments.of("podtopologyspread.weight: 1", "{}", "{}", running("n1", "1", "1Gi"), SPREAD, "n2"),
                Arguments.of("imagelocality.weight: 1", "{}", HAS_IMAGE, running("n1", "1", "1Gi"), IMAGE, "n2"));
    }

    @ParameterizedTest
    @MethodSource("scores")
    void eachScoreDecidesAloneAndDoesNotWhereItsWeightIsZero(
            String weight, String one, String other, String runs, String pod, String winner) {
        assertThat(chosen(only(weight), one, other, runs, pod)).isEqualTo("g-0@" + winner);
        assertThat(chosen(only(), one, other, runs, pod)).isEqualTo("g-0@n1");
    }

    private static String chosen(TestingGangs gangs, String one, String other, String runs, String pod) {
        gangs.node("n1", 8, one).node("n2", 8, other).group("r", 1).pod("r-0", "r", runs, DB);
        gangs.group("g", 1).pod("g-0", "g", pod);
        return gangs.bindings().getFirst();
    }

    @Test
    void weightsAreWeighedAgainstEachOther() {
        String liked = "nodeaffinity.weight: ";
        String room = "leastrequested.weight: 1";
        assertThat(chosen(only(liked + 5, room), "{}", Z, running("n2", "4", "4Gi"), LIKES_Z))
                .isEqualTo("g-0@n2");
        assertThat(chosen(only(liked + 0, room), "{}", Z, running("n2", "4", "4Gi"), LIKES_Z))
                .isEqualTo("g-0@n1");
    }

    @Test
    void membersOfAGangFollowEachOther() {
        TestingGangs gangs = only("podaffinity.weight: 1");
        gangs.node("n1", 8).node("n2", 8).group("r", 1).pod("r-0", "r", running("n2", "1", "1Gi"), DB);
        gangs.group("g", 3);
        for (int i = 0; i < 3; i++) {
            gangs.pod("g-" + i, "g", LIKES_DB, DB);
        }
        assertThat(gangs.bindings()).containsExactly("g-0@n2", "g-1@n2", "g-2@n2");
    }

    @Test
    void anImageThatComesLaterCountsFromThenOn() {
        TestingGangs gangs = only("imagelocality.weight: 1");
        gangs.node("n1", 8).node("n2", 8).group("g", 1).pod("g-0", "g", IMAGE);
        assertThat(gangs.bindings()).containsExactly("g-0@n1");

        gangs.node("n2", 8, HAS_IMAGE).group("h", 1).pod("h-0", "h", IMAGE);
        assertThat(gangs.bindings()).containsExactly("h-0@n2");
    }
}
