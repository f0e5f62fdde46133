package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingStatefulSets.claims;
import static org.assertj.core.api.Assertions.assertThat;

/** The claims of a StatefulSet, which outlive its pods as it is told. */
class StatefulSetClaimsTest {
    private final TestingStatefulSets team = new TestingStatefulSets();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    private List<String> ownersOf(String claim) {
        List<String> owners = new ArrayList<>();
        for (JsonNode owner : Json.listAt(api.get(CLAIMS, "team", claim), "metadata", "ownerReferences")) {
            owners.add(Json.textAt(owner, "kind") + " " + Json.textAt(owner, "name"));
        }
        return owners;
    }

    @Test
    void aPodComesWithItsClaimAndFindsItAgain() {
        team.create(2, spec -> claims(spec, "Retain", "Retain"));
        team.allReady();
        ObjectNode claim = api.get(CLAIMS, "team", "data-web-0");
        assertThat(Json.textAt(claim, "metadata", "labels", "app")).isEqualTo("web");
        assertThat(api.get(PODS, "team", "web-0")
                        .at("/spec/volumes/0/persistentVolumeClaim/claimName")
                        .asText())
                .isEqualTo("data-web-0");
        assertThat(ownersOf("data-web-0")).isEmpty();
        assertThat(cluster.messages("team"))
                .contains("SuccessfulCreate: Create Claim data-web-1 Pod web-1 in StatefulSet web success");

        team.scale(1);
        team.scale(2);
        team.allReady();
        assertThat(team.all(CLAIMS)).extracting(Objects::name).containsExactly("data-web-0", "data-web-1");
        assertThat(Objects.uid(api.get(CLAIMS, "team", "data-web-0"))).isEqualTo(Objects.uid(claim));
    }

    @Test
    void claimsThatGoWithTheSetAreItsOwn() {
        team.create(1, spec -> claims(spec, "Delete", "Retain"));
        assertThat(ownersOf("data-web-0")).containsExactly("StatefulSet web");
        team.allReady();

        team.change(spec -> claims(spec, "Retain", "Retain"));
        assertThat(ownersOf("data-web-0")).isEmpty();
        assertThat(cluster.messages("team"))
                .contains("SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful");
    }

    @Test
    void claimsThatGoWithAPodBecomeThePodsBeforeItEnds() {
        team.create(2, spec -> claims(spec, "Delete", "Delete"));
        team.allReady();
        assertThat(ownersOf("data-web-1")).containsExactly("StatefulSet web");
        cluster.place("team", "web-1", "node-1");

        team.scale(1);
        assertThat(ownersOf("data-web-1")).containsExactly("Pod web-1");
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:onex");

        // Wanted again before the old claim is gone: the new pod must not get a volume that is about to be deleted.
        team.scale(2);
        api.finishPod("team", "web-1");
        cluster.pass(Duration.ofSeconds(2));
        assertThat(team.pods()).containsExactly("web-0:one+");
        api.delete(CLAIMS, "team", "data-web-1", KubeApi.Deletion.PLAIN);
        cluster.pass(Duration.ofSeconds(2));
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one");
        assertThat(ownersOf("data-web-1")).containsExactly("StatefulSet web");
    }

    @Test
    void aClaimThatSomebodyElseControlsIsLeftToThem() {
        ObjectNode claim = named("data-web-0");
        Json.ensureObject(claim, "metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "ConfigMap")
                .put("name", "other")
                .put("uid", "u")
                .put("controller", true);
        api.create(CLAIMS, "team", claim);
        team.create(1, spec -> claims(spec, "Delete", "Delete"));

        assertThat(team.pods()).containsExactly("web-0:one");
        assertThat(ownersOf("data-web-0")).containsExactly("ConfigMap other");
        assertThat(cluster.messages("team"))
                .contains("ConflictingController: PersistentVolumeClaim data-web-0 has a conflicting OwnerReference"
                        + " that acts as a manging controller, the retention policy is ignored for this claim");
    }

    @Test
    void aPodWaitsForAClaimThatIsBeingDeleted() {
        team.create(1, spec -> claims(spec, "Retain", "Retain"));
        team.allReady();
        api.edit(CLAIMS, "team", "data-web-0", claim -> TestingCluster.withFinalizers(claim, "keep"));
        api.delete(CLAIMS, "team", "data-web-0", KubeApi.Deletion.PLAIN);
        team.kill("web-0");

        assertThat(team.pods()).isEmpty();
        assertThat(cluster.messages("team"))
                .contains(
                        "FailedCreate: Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted");

        cluster.release(CLAIMS, "team", "data-web-0");
        cluster.pass(Duration.ofSeconds(2));
        assertThat(team.pods()).containsExactly("web-0:one");
    }

    @Test
    void aClaimThatVanishedBeforeItsPodRanIsMadeAgain() {
        team.create(1, spec -> claims(spec, "Retain", "Retain"));
        api.delete(CLAIMS, "team", "data-web-0", KubeApi.Deletion.PLAIN);
        team.report("web-0", "Pending", false);

        assertThat(team.all(CLAIMS)).extracting(Objects::name).containsExactly("data-web-0");
    }

    @Test
    void aClaimThatVanishesWhileItsPodWaitsIsMadeAgain() {
        team.create(1, spec -> claims(spec, "Retain", "Retain"));
        team.report("web-0", "Pending", false);
        api.delete(CLAIMS, "team", "data-web-0", KubeApi.Deletion.PLAIN);
        cluster.settle();

        assertThat(team.all(CLAIMS)).extracting(Objects::name).containsExactly("data-web-0");
    }
}
