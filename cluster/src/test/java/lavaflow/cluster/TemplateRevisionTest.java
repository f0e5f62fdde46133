package lavaflow.cluster;

import lavaflow.kube.GoText;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Names of versions are upstream's; the expected ones were given by kube-controller-manager 1.36. */
class TemplateRevisionTest {
    private static ObjectNode set(String template) {
        ObjectNode set = Json.object();
        set.putObject("metadata").put("name", "web");
        set.putObject("spec").set("template", Json.parse(template));
        return set;
    }

    private static String hash(String template, long collisions) {
        return TemplateRevision.hash(GoText.json(TemplateRevision.dataOf(set(template))), collisions);
    }

    private static final String PLAIN = """
            {"spec": {"terminationGracePeriodSeconds": 1, "schedulerName": "default-scheduler", "securityContext": {},
                      "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
                      "containers": [{"name": "c", "image": "one", "resources": {}, "imagePullPolicy": "Always",
                                      "terminationMessagePath": "/dev/termination-log",
                                      "terminationMessagePolicy": "File"}]},
             "metadata": {"labels": {"app": "web"}}}""";

    @Test
    void theHashIsUpstreams() {
        assertThat(hash(PLAIN, 0)).isEqualTo("64c85cd8d6");
        assertThat(hash(PLAIN.replace("one", "two"), 0)).isEqualTo("d9c97446d");
    }

    @Test
    void aNameThatIsTakenLeadsToAnother() {
        assertThat(hash(PLAIN, 1)).isEqualTo("64c85cd8d7");
    }

    @Test
    void charactersThatMatterInHtmlCountAsGoWritesThem() {
        String odd = """
                {"metadata": {"annotations": {"z": "1", "a": "tab\\there"}, "labels": {"app": "web"}},
                 "spec": {"containers": [{"args": ["a<b>&c", "\u2028x\u00e9"], "env": [{"name": "N", "value": "\\"\\\\/"}],
                                          "image": "one", "imagePullPolicy": "Always", "name": "c",
                                          "resources": {"limits": {"cpu": "500m", "memory": "1G"}},
                                          "terminationMessagePath": "/dev/termination-log",
                                          "terminationMessagePolicy": "File"}],
                          "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
                          "securityContext": {"runAsUser": 4194305}, "terminationGracePeriodSeconds": 1}}""";
        assertThat(hash(odd, 0)).isEqualTo("f894fb58f");
    }

    @Test
    void theTemplateComesBackAsItWas() {
        ObjectNode revision = Json.object();
        revision.putObject("metadata").put("name", "web-1");
        revision.set("data", TemplateRevision.dataOf(set(PLAIN)));

        assertThat(TemplateRevision.of(revision).template()).isEqualTo(Json.parse(PLAIN));
    }

    @Test
    void aLongNameLeavesRoomForTheHash() {
        assertThat(TemplateRevision.nameOf("x".repeat(240), "abc")).isEqualTo("x".repeat(223) + "-abc");
    }
}
