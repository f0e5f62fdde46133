package lavaflow.batch;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The answers are those of Volcano 1.14.1 to the same groups. */
class PodGroupRulesTest {
    private static final String TIERS =
            "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously.";
    private static final String BOTH = "{'mode':'hard','highestTierAllowed':1,'highestTierName':'rack'}";

    private static ObjectNode group(String spec) {
        ObjectNode group = Batch.named(Batch.POD_GROUPS, "PodGroup", "g");
        group.set("spec", Json.parse("{" + spec.replace('\'', '"') + "}"));
        return group;
    }

    private static String refusal(String spec, String state) {
        return PodGroupRules.refusal(group(spec), name -> {
            if (name.equals("nope")) {
                return null;
            }
            ObjectNode queue = Batch.named(Batch.QUEUES, "Queue", name);
            queue.putObject("status").put("state", state);
            return queue;
        });
    }

    @Test
    void groupsGoIntoOpenQueues() {
        assertThat(refusal("'queue':'a'", "Open")).isEmpty();
        assertThat(refusal("", "Open")).isEmpty();
        assertThat(refusal("'queue':'a'", "")).isEmpty();
        assertThat(refusal("'queue':'nope'", "Open"))
                .isEqualTo("unable to find queue: queue.scheduling.volcano.sh \"nope\" not found");
        assertThat(refusal("'queue':'cl'", "Closed"))
                .isEqualTo("can only submit PodGroup to queue with state `Open`, queue `cl` status is `Closed`. ");
    }

    @Test
    void aTierIsNamedInOneWay() {
        assertThat(refusal("'networkTopology':" + BOTH, "Closing"))
                .isEqualTo("can only submit PodGroup to queue with state `Open`, queue `default` status is `Closing`. "
                        + TIERS);
        assertThat(refusal("'subGroupPolicy':[{'name':'a','networkTopology':" + BOTH + "}]", "Open"))
                .isEqualTo("in subGroupPolicy 'a': " + TIERS);
        assertThat(refusal("'networkTopology':{'highestTierAllowed':1}", "Open"))
                .isEmpty();
        assertThat(refusal("'networkTopology':{'highestTierName':'rack'}", "Open"))
                .isEmpty();
    }

    private static String completed(String spec, String ofNamespace) {
        ObjectNode namespace = Json.object();
        if (!ofNamespace.isEmpty()) {
            Json.ensureObject(namespace, "metadata", "annotations").put(Batch.QUEUE_NAME, ofNamespace);
        }
        ObjectNode group = group(spec);
        PodGroupRules.complete(group, namespace);
        return Json.textAt(group, "spec", "queue");
    }

    @Test
    void aNamespaceMayHaveAQueueForThoseThatNameNone() {
        assertThat(completed("'queue':'default'", "research")).isEqualTo("research");
        assertThat(completed("", "research")).isEqualTo("research");
        assertThat(completed("'queue':'mine'", "research")).isEqualTo("mine");
        assertThat(completed("'queue':'default'", "")).isEqualTo("default");
    }
}
