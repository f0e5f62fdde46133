package lavaflow.node;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import org.junit.jupiter.api.Test;

import static lavaflow.node.TestingPod.annotations;
import static lavaflow.node.TestingPod.restartPolicy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a shape says of images and commands. */
class PlayTest {
    private static final String FAILING = """
            {"spec":{"containers":[{"name":"c","image":"i","command":["sh","-c"],"args":["exit 1"]}]}}""";

    @Test
    void anImageThatCannotBePulledHoldsUpItsPod() {
        TestingPod pod = new TestingPod(plays("{image: 'i|nowhere/.*', missing: true}"));

        assertThat(pod.phase()).isEqualTo("Pending");
        assertThat(pod.state("c")).isEqualTo("ImagePullBackOff");
        assertThat(pod.condition("Ready")).isEqualTo("False ContainersNotReady");
        assertThat(pod.pause()).isNull();

        pod.change("{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"other\"}]}}")
                .step();
        assertThat(pod.phase()).isEqualTo("Running");
    }

    @Test
    void initContainersWaitForTheirImageInTurn() {
        TestingPod pod = new TestingPod(plays("{image: lost, missing: true}"), """
                {"spec":{"initContainers":[{"name":"one","image":"lost"},{"name":"two","image":"lost"}]}}""");

        assertThat(pod.phase()).isEqualTo("Pending");
        assertThat(reason(pod, 0)).isEqualTo("ImagePullBackOff");
        assertThat(reason(pod, 1)).isEqualTo("PodInitializing");
        assertThat(pod.state("c")).isEqualTo("PodInitializing");
    }

    private static String reason(TestingPod pod, int init) {
        return Json.textAt(
                Json.listAt(pod.object, "status", "initContainerStatuses").get(init), "state", "waiting", "reason");
    }

    @Test
    void aPodWithoutItsImageCanBeDeleted() {
        TestingPod pod = new TestingPod(plays("{image: i, missing: true}"));
        assertThat(pod.delete(30).next.gone()).isTrue();
    }

    @Test
    void aCommandEndsAsThePlaySays() {
        SimShape.Defaults plays = plays("{command: 'sh -c exit 1', duration: 2s, exitCodes: [3]}");

        TestingPod pod = new TestingPod(plays, restartPolicy("Never"), FAILING);
        assertThat(pod.phase()).isEqualTo("Running");
        assertThat(pod.after(2).phase()).isEqualTo("Failed");
        assertThat(Json.longAt(pod.container("c"), 0, "state", "terminated", "exitCode"))
                .isEqualTo(3);

        TestingPod other = new TestingPod(plays, restartPolicy("Never"));
        assertThat(other.after(2).phase()).isEqualTo("Running");
    }

    @Test
    void eachLifeOfAContainerMayEndDifferently() {
        TestingPod pod =
                new TestingPod(plays("{duration: 0s, exitCodes: [1, 0]}"), restartPolicy("OnFailure"), FAILING);
        assertThat(pod.phase()).isEqualTo("Succeeded");
        assertThat(Json.longAt(pod.container("c"), 0, "restartCount")).isEqualTo(1);
    }

    @Test
    void theIndexOfAJobsPodMayDecide() {
        SimShape.Defaults plays = plays("{index: '\\d*[13579]', duration: 0s, exitCodes: [1]}", "{duration: 0s}");
        assertThat(indexed(plays, 11)).isEqualTo("Failed");
        assertThat(indexed(plays, 12)).isEqualTo("Succeeded");
    }

    private static String indexed(SimShape.Defaults plays, int index) {
        String annotation = "{\"metadata\":{\"annotations\":{\"batch.kubernetes.io/job-completion-index\":\"%d\"}}}"
                .formatted(index);
        return new TestingPod(plays, restartPolicy("Never"), annotation).phase();
    }

    @Test
    void annotationsHaveTheLastWord() {
        TestingPod pod = new TestingPod(
                plays("{duration: 0s, exitCodes: [1]}"),
                restartPolicy("Never"),
                annotations("duration", "5s", "exit-code", "0"));
        assertThat(pod.phase()).isEqualTo("Running");
        assertThat(pod.after(5).phase()).isEqualTo("Succeeded");
    }

    @Test
    void whatIsWrongWithAPlayIsTold() {
        assertThatThrownBy(() -> plays("{image: '['}"))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("shapes[0].plays[0].image: '[' is no regular expression");
        assertThatThrownBy(() -> plays("{exitCodes: [256]}"))
                .hasMessage("shapes[0].plays[0].exitCodes: numbers from 0 to 255 are needed");
        assertThatThrownBy(() -> plays("{}", "{exit: 1}"))
                .hasMessage("shapes[0].plays[1].exit: there is no such field");
        assertThatThrownBy(() -> plays("{duration: soon}"))
                .hasMessage("shapes[0].plays[0].duration: 'soon' is no duration such as 500ms or 1m");
    }

    private static SimShape.Defaults plays(String... plays) {
        return SimShapes.parse("shapes: [{plays: [" + String.join(", ", plays) + "]}]")
                .getFirst()
                .defaults();
    }
}
