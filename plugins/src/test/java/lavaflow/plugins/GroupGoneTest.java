package lavaflow.plugins;

import java.util.List;

import lavaflow.gang.Decision;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A PodGroup goes while its pods are on their way, and comes again. */
class GroupGoneTest {
    private final TestingGangs gangs = new TestingGangs();

    private List<Decision.Bind> bindings() {
        return gangs.decide().stream()
                .filter(Decision.Bind.class::isInstance)
                .map(Decision.Bind.class::cast)
                .toList();
    }

    @Test
    void aPodThatIsBeingBoundIsNotBoundAgain() {
        gangs.node("n1", 4).gang("a", 2);
        assertThat(bindings()).hasSize(2);
        gangs.core.onGroupGone("ns/a");
        assertThat(bindings()).isEmpty();
        gangs.group("a", 2);

        assertThat(bindings()).isEmpty();
        assertThat(gangs.core.findGang("ns/a").tally().ready())
                .as("they have their places")
                .isEqualTo(2);
    }

    @Test
    void whatIsWrittenOnItMeanwhileChangesNothing() {
        gangs.node("n1", 1).gang("a", 1);
        assertThat(bindings()).hasSize(1);
        gangs.core.onGroupGone("ns/a");
        gangs.pod("a-0", "a", "{\"metadata\":{\"labels\":{\"told\":\"late\"}}}");
        gangs.gang("b", 1);

        assertThat(bindings()).as("the only place is taken").isEmpty();
    }

    @Test
    void itsPlaceIsFreeOnceItIsKnownThatItDidNotGetIt() {
        gangs.node("n1", 1).gang("a", 1);
        assertThat(bindings()).hasSize(1);
        gangs.core.onGroupGone("ns/a");
        gangs.gang("b", 1);
        assertThat(bindings()).isEmpty();
        gangs.core.onBindingFailed("pod-a-0");

        assertThat(bindings())
                .hasSize(1)
                .first()
                .satisfies(bind -> assertThat(bind.member().spec().pod().name()).isEqualTo("b-0"));
    }
}
