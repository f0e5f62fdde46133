package lavaflow.remote;

import java.util.List;

import lavaflow.controller.KubeApi.Kind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KnownKindsTest {
    private static final KnownKinds NONE = new KnownKinds(List.of());

    private static ObjectNode json(String text) {
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    private static final String VERBS = "'verbs':['create','delete','get','list','watch']";

    private static ObjectNode groups(String... items) {
        return json("{'items':[" + String.join(",", items) + "]}");
    }

    private static String group(String name, String... versions) {
        return "{'metadata':{'name':'" + name + "'},'versions':[" + String.join(",", versions) + "]}";
    }

    private static String version(String name, String... resources) {
        return "{'version':'" + name + "','freshness':'Current','resources':[" + String.join(",", resources) + "]}";
    }

    private static String resource(String name, String kind) {
        return "{'resource':'" + name + "','responseKind':{'kind':'" + kind + "'},'scope':'Namespaced'," + VERBS + "}";
    }

    @Test
    void theVersionAServerPrefersStandsForAll() {
        KnownKinds known = new KnownKinds(KnownKinds.ofGroups(
                groups(group(
                        "batch", version("v1", resource("jobs", "Job")), version("v1beta1", resource("jobs", "Job")))),
                NONE));

        Kind jobs = new Kind("batch", "v1", "jobs", true);
        assertThat(known.all()).containsExactly(jobs);
        assertThat(known.find("batch/v1beta1", "Job")).contains(jobs);
        assertThat(known.nameOf(jobs)).isEqualTo("Job");
    }

    @Test
    void eventsOfBothGroupsAreOneKind() {
        KnownKinds known = new KnownKinds(KnownKinds.ofGroups(
                groups(
                        group("", version("v1", resource("events", "Event"))),
                        group("events.k8s.io", version("v1", resource("events", "Event")))),
                NONE));

        assertThat(known.all()).containsExactly(Kind.core("events"));
        assertThat(known.find("events.k8s.io/v1", "Event")).contains(Kind.core("events"));
    }

    @Test
    void kindsThatCannotBeFollowedOrDeletedAreLeftOut() {
        String review =
                "{'resource':'tokenreviews','responseKind':{'kind':'TokenReview'},'scope':'Cluster','verbs':['create']}";
        KnownKinds known = new KnownKinds(KnownKinds.ofGroups(groups(group("x", version("v1", review))), NONE));

        assertThat(known.all()).isEmpty();
        assertThat(known.find("x/v1", "TokenReview")).isEmpty();
        assertThat(known.nameOf(new Kind("x", "v1", "tokenreviews", false)))
                .as("but objects of it can be written")
                .isEqualTo("TokenReview");
    }

    @Test
    void anExtensionServerThatDoesNotAnswerKeepsItsKinds() {
        ObjectNode well = groups(group("ext", version("v1", resource("things", "Thing"))));
        ObjectNode ill = groups(group("ext", "{'version':'v1','freshness':'Stale'}"));
        KnownKinds before = new KnownKinds(KnownKinds.ofGroups(well, NONE));

        assertThat(new KnownKinds(KnownKinds.ofGroups(ill, before))).isEqualTo(before);
    }

    @Test
    void theOlderFormIsReadAsWell() {
        ObjectNode list = json("{'groupVersion':'apps/v1','resources':["
                + "{'name':'deployments','kind':'Deployment','namespaced':true," + VERBS + "},"
                + "{'name':'deployments/status','kind':'Deployment','namespaced':true,'verbs':['get']}]}");

        assertThat(KnownKinds.ofResources(list))
                .containsExactly(new KnownKinds.Served("apps", "v1", "deployments", "Deployment", true, true));
    }
}
