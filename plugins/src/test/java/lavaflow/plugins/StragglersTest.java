package lavaflow.plugins;

import lavaflow.gang.Stage;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.annotated;
import static lavaflow.plugins.TestingGangs.running;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods beyond what their gang needs, which others of it have failed before they got their turn. */
class StragglersTest {
    private static final String ROLES = "{\"spec\":{\"minTaskMember\":{\"a\":1,\"b\":1}}}";
    private static final String FAILED = "{\"status\":{\"phase\":\"Failed\"}}";
    private static final String SUCCEEDED = "{\"status\":{\"phase\":\"Succeeded\"}}";

    private final TestingGangs gangs = new TestingGangs().node("n1", 4).node("n2", 4);

    private static String role(String name) {
        return annotated("volcano.sh/task-spec", name);
    }

    /** What a gang of two needs runs. */
    private void begin() {
        gangs.group("g", 2, ROLES)
                .pod("g-a-0", "g", role("a"), running("n1"))
                .pod("g-b-0", "g", role("b"), running("n1"));
        gangs.decide();
    }

    @Test
    void theyBeginAlthoughNobodyIsLeftOfARole() {
        begin();
        gangs.pod("g-a-0", "g", role("a"), running("n1"), FAILED);
        gangs.pod("g-b-0", "g", role("b"), running("n1"), SUCCEEDED);
        gangs.pod("g-b-1", "g", role("b"));

        assertThat(gangs.bindings()).hasSize(1).first().asString().startsWith("g-b-1@");
    }

    @Test
    void theyBeginAlthoughAllHaveFailed() {
        begin();
        gangs.pod("g-a-0", "g", role("a"), running("n1"), FAILED);
        gangs.pod("g-b-0", "g", role("b"), running("n1"), FAILED);
        gangs.pod("g-b-1", "g", role("b"));

        assertThat(gangs.bindings()).hasSize(1);
    }

    @Test
    void theyBeginIfAllIsHeardOfAtOnce() {
        gangs.group("g", 2, ROLES);
        gangs.pod("g-a-0", "g", role("a"), running("n1"), FAILED);
        gangs.pod("g-b-0", "g", role("b"), running("n1"), SUCCEEDED);
        gangs.pod("g-b-1", "g", role("b"));

        gangs.decide(); // that it has begun is known from now on
        gangs.decide();

        assertThat(gangs.gangNamed("g").tally().of(Stage.PENDING)).isZero();
    }

    private static String part(int number) {
        return "{\"metadata\":{\"labels\":{\"part\":\"" + number + "\"}}}";
    }

    /** What two parts of two need runs. */
    private void beginInParts() {
        gangs.group("g", 4, """
                {"spec":{"subGroupPolicy":[{"name":"p","subGroupSize":2,"minSubGroups":2,"matchLabelKeys":["part"]}]}}""");
        for (int i = 0; i < 4; i++) {
            gangs.pod("g-" + i, "g", part(i / 2), running("n1"));
        }
        gangs.decide();
    }

    @Test
    void theyBeginAlthoughTooFewPartsAreLeftWhole() {
        beginInParts();
        gangs.pod("g-0", "g", part(0), running("n1"), FAILED);
        gangs.pod("g-2", "g", part(1), running("n1"), FAILED);
        gangs.pod("g-4", "g", part(2)).pod("g-5", "g", part(2));

        assertThat(gangs.bindings()).hasSize(2);
    }

    @Test
    void aPartThatCanBeWholeInsteadOfAnotherHasToBe() {
        beginInParts();
        gangs.pod("g-0", "g", part(0), running("n1"), FAILED);
        gangs.runs("other", 1, 3, "n2");
        gangs.pod("g-4", "g", part(2)).pod("g-5", "g", part(2));
        gangs.runs("third", 1, 1, "n1");

        assertThat(gangs.bindings()).as("there is room for one of the two").isEmpty();
    }

    @Test
    void podsThatComeForThoseOfAPartWaitForAllOfThem() {
        beginInParts();
        gangs.pod("g-0", "g", part(0), running("n1"), FAILED);
        gangs.pod("g-1", "g", part(0), running("n1"), FAILED);
        gangs.pod("again-0", "g", part(0));
        assertThat(gangs.bindings()).isEmpty();

        gangs.pod("again-1", "g", part(0));
        assertThat(gangs.bindings()).hasSize(2);
    }

    /** A pod with the number of one that failed is there for it. */
    @Test
    void thoseThatComeInsteadOfOthersWaitForEachOther() {
        gangs.gang("g", 3);
        gangs.bindings();
        for (int i = 0; i < 3; i++) {
            gangs.pod("g-" + i, "g", running("n1"), FAILED);
        }
        gangs.pod("again-0", "g").pod("again-1", "g");
        assertThat(gangs.bindings()).isEmpty();

        gangs.pod("again-2", "g");
        assertThat(gangs.bindings()).hasSize(3);
    }

    @Test
    void nobodyKnowsOfPodsWithoutNumbers() {
        gangs.group("g", 2).pod("g-x7k", "g", running("n1")).pod("g-k8w", "g", running("n1"));
        gangs.decide();
        gangs.pod("g-x7k", "g", running("n1"), FAILED).pod("g-k8w", "g", running("n1"), FAILED);
        gangs.pod("g-p2q", "g");

        assertThat(gangs.bindings()).isEmpty();
        gangs.pod("g-z5f", "g");
        assertThat(gangs.bindings()).hasSize(2);
    }

    @Test
    void aGangThatHasNotBegunHasToBeWhole() {
        gangs.group("g", 3)
                .pod("g-0", "g", running("n1"), FAILED)
                .pod("g-1", "g")
                .pod("g-2", "g");

        assertThat(gangs.bindings()).isEmpty();
        assertThat(gangs.bindings()).isEmpty();
    }

    @Test
    void asLongAsItCanHaveEnoughItHasTo() {
        gangs.group("g", 2).pod("g-0", "g", running("n1")).pod("g-1", "g", running("n1"));
        gangs.decide();
        gangs.pod("g-0", "g", running("n1"), FAILED).pod("g-1", "g", running("n1"), FAILED);
        gangs.runs("other", 1, 7, "n2");
        gangs.pod("g-2", "g").pod("g-3", "g");

        assertThat(gangs.bindings()).isEmpty();
    }
}
