package lavaflow.e2e;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NormalizerTest {
    private static ObjectNode normal(Normalizer normalizer, String json) {
        return normalizer.normalize((ObjectNode) Json.parse(json.replace('\'', '"')));
    }

    private static Normalizer normalizer() {
        return new Normalizer("127.0.0.1:6443", "the text of a case");
    }

    @Test
    void keepsEqualRevisionsEqualAndDifferentOnesDifferent() {
        Normalizer normalizer = normalizer();

        assertThat(normal(normalizer, "{'metadata':{'resourceVersion':'17'}}").toString())
                .contains("<revision 1>");
        assertThat(normal(normalizer, "{'metadata':{'resourceVersion':'18'}}").toString())
                .contains("<revision 2>");
        assertThat(normal(normalizer, "{'metadata':{'resourceVersion':'17'}}").toString())
                .contains("<revision 1>");
    }

    @Test
    void doesNotCompareTheRevisionsOfCollections() {
        assertThat(normal(normalizer(), "{'kind':'PodList','metadata':{'resourceVersion':'17'},'items':[]}")
                        .at("/metadata/resourceVersion")
                        .textValue())
                .isEqualTo("<revision of the collection>");
        assertThat(normal(normalizer(), "{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'17'}}}")
                        .at("/object/metadata/resourceVersion")
                        .textValue())
                .isEqualTo("<revision of the collection>");
    }

    @Test
    void numbersIdentifiersAlsoInsideTexts() {
        String uid = "6b9bd6c8-2d2b-4a0d-9d86-0f4c5a1f2d3e";

        assertThat(normal(normalizer(), "{'message':'the UID " + uid + " differs','uid':'" + uid + "'}"))
                .isEqualTo(Json.parse("{\"message\":\"the UID <uid 1> differs\",\"uid\":\"<uid 1>\"}"));
    }

    @Test
    void hidesTheClockButNotTimesOfTheCase() {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode answer = normal(
                normalizer(),
                "{'a':'" + now + "','b':'" + now.replace("Z", ".123456Z") + "','c':'2001-01-01T00:00:00Z'}");

        assertThat(answer.get("a").textValue()).isEqualTo("<time>");
        assertThat(answer.get("b").textValue()).isEqualTo("<time with 6 decimals>");
        assertThat(answer.get("c").textValue()).isEqualTo("2001-01-01T00:00:00Z");
    }

    @Test
    void recognisesGeneratedNamesEverywhere() {
        assertThat(normal(
                                normalizer(),
                                "{'metadata':{'generateName':'web-','name':'web-x2b4d'},'message':'pods web-x2b4d'}")
                        .get("message")
                        .textValue())
                .isEqualTo("pods web-<generated>");
    }

    @Test
    void comparesAddressesThatTheCaseChose() {
        Normalizer normalizer = new Normalizer("127.0.0.1:6443", "clusterIP: 10.96.200.10");

        ObjectNode answer = normal(normalizer, "{'a':'10.96.200.10','b':'10.96.3.4','c':'127.0.0.1:6443'}");

        assertThat(answer.get("a").textValue()).isEqualTo("10.96.200.10");
        assertThat(answer.get("b").textValue()).isEqualTo("<cluster address 1>");
        assertThat(answer.get("c").textValue()).isEqualTo("<server>");
    }
}
