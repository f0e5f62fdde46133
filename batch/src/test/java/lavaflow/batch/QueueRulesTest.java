package lavaflow.batch;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The answers are those of Volcano 1.14.1 to the same queues, but for the ones that say otherwise. */
class QueueRulesTest {
    private final List<ObjectNode> present = new ArrayList<>();

    private static ObjectNode queue(String name, String spec) {
        ObjectNode queue = Batch.named(Batch.QUEUES, "Queue", name);
        queue.set("spec", Json.parse("{" + spec.replace('\'', '"') + "}"));
        return queue;
    }

    private static ObjectNode below(String path, String weights) {
        ObjectNode queue = queue("new", "");
        Json.ensureObject(queue, "metadata", "annotations")
                .put(QueueRules.HIERARCHY, path)
                .put(QueueRules.WEIGHTS, weights);
        return queue;
    }

    private String refusal(ObjectNode queue) {
        ObjectNode old = present.stream()
                .filter(each -> Batch.name(each).equals(Batch.name(queue)))
                .findFirst()
                .orElse(null);
        return QueueRules.refusal(queue, old, present);
    }

    private void add(String name, String spec) {
        ObjectNode queue = queue(name, spec);
        assertThat(refusal(queue)).as(name).isEmpty();
        present.removeIf(each -> Batch.name(each).equals(name));
        present.add(queue);
    }

    // ---- completion

    @Test
    void aNewQueueMayBeReclaimedAndWeighsOne() {
        ObjectNode queue = queue("a", "");
        QueueRules.complete(queue);
        assertThat(Json.string(queue.path("spec"))).isEqualTo("{\"reclaimable\":true,\"weight\":1}");
        ObjectNode said = queue("a", "'reclaimable':false,'weight':4");
        QueueRules.complete(said);
        assertThat(Json.string(said.path("spec"))).isEqualTo("{\"reclaimable\":false,\"weight\":4}");
    }

    @ParameterizedTest
    @CsvSource({"a/b, 2/3, root/a/b, 1/2/3", "root/a, 1/2, root/a, 1/2", "rooted/a, 1/2, root/rooted/a, 1/1/2"})
    void pathsBeginAtTheRoot(String path, String weights, String completed, String completedWeights) {
        ObjectNode queue = below(path, weights);
        QueueRules.complete(queue);
        assertThat(Batch.annotation(queue, QueueRules.HIERARCHY)).isEqualTo(completed);
        assertThat(Batch.annotation(queue, QueueRules.WEIGHTS)).isEqualTo(completedWeights);
    }

    // ---- amounts of one queue

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'guarantee':{'resource':{'cpu':'2'}} | requestBody.spec.guarantee: Invalid value: \"cpu 2000.00, memory 0.00\": guarantee should less equal than deserved",
                "'deserved':{'cpu':'1'},'guarantee':{'resource':{'cpu':'2'}} | requestBody.spec.guarantee: Invalid value: \"cpu 2000.00, memory 0.00\": guarantee should less equal than deserved",
                "'deserved':{'cpu':'1'},'guarantee':{'resource':{'memory':'1'}} | requestBody.spec.guarantee: Invalid value: \"cpu 0.00, memory 1.00\": guarantee should less equal than deserved",
                "'deserved':{'cpu':'3'},'capability':{'cpu':'2'} | requestBody.spec.deserved: Invalid value: \"cpu 3000.00, memory 0.00\": deserved should less equal than capability",
                "'guarantee':{'resource':{'cpu':'3'}},'capability':{'cpu':'2'} | requestBody.spec.guarantee: Invalid value: \"cpu 3000.00, memory 0.00\": guarantee should less equal than capability",
                "'deserved':{'nvidia.com/gpu':'3','foo.com/bar':'1','pods':'7','ephemeral-storage':'1Gi'},'capability':{'nvidia.com/gpu':'2','foo.com/bar':'1'} | requestBody.spec.deserved: Invalid value: \"cpu 0.00, memory 0.00, ephemeral-storage 1073741824000.00, foo.com/bar 1000.00, nvidia.com/gpu 3000.00, pods 7.00\": deserved should less equal than capability",
                "'capability':{'cpu':'-1'} | [requestBody.spec.capability.cpu: Invalid value: \"-1\": must be greater than or equal to 0, requestBody.spec.deserved: Invalid value: \"cpu 0.00, memory 0.00\": deserved should less equal than capability]",
                "'deserved':{'cpu':'-1'} | requestBody.spec.deserved.cpu: Invalid value: \"-1\": must be greater than or equal to 0",
                "'capability':{'cpu':'1.5','foo':'1','pods':'1.5'} | requestBody.spec.capability.pods: Invalid value: \"1500m\": must be an integer",
                "'capability':{'nvidia.com/gpu':'1.5'} | requestBody.spec.capability.nvidia.com/gpu: Invalid value: \"1500m\": must be an integer",
                "'deserved':{'cpu':'3'},'guarantee':{'resource':{'cpu':'-1'}} | requestBody.spec.guarantee.resource.cpu: Invalid value: \"-1\": must be greater than or equal to 0"
            })
    void amountsThatContradictEachOtherAreRefused(String spec, String answer) {
        assertThat(refusal(queue("a", spec))).isEqualTo(answer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "'deserved':{},'capability':{}",
                "'capability':{'memory':'1.5','ephemeral-storage':'1.5','requests.cpu':'1','count/pods':'3'}",
                "'deserved':{'cpu':'2'},'guarantee':{'resource':{'cpu':'1'}},'capability':{'cpu':'3'}"
            })
    void amountsThatFitAreTaken(String spec) {
        assertThat(refusal(queue("a", spec))).isEmpty();
    }

    @Test
    void whatTheCapabilityDoesNotNameCanBePromisedToNobody() {
        assertThat(refusal(queue("a", "'deserved':{'cpu':'1','memory':'1Gi'},'capability':{'cpu':'2'}")))
                .isEqualTo(
                        "requestBody.spec.deserved: Invalid value: \"cpu 1000.00, memory 1073741824.00\": deserved should"
                                + " less equal than capability");
        assertThat(refusal(queue("a", "'guarantee':{'resource':{'memory':'1Gi'}},'capability':{'cpu':'2'}")))
                .endsWith("guarantee should less equal than capability");
    }

    // ---- state

    @Test
    void aStateIsNotMadeUp() {
        ObjectNode queue = queue("a", "");
        queue.putObject("status").put("state", "Closing");
        assertThat(refusal(queue))
                .isEqualTo("requestBody.spec.state: Invalid value: \"Closing\": queue state must be in [Open Closed]");
        queue.putObject("status").put("state", "Closed");
        assertThat(refusal(queue)).isEmpty();
    }

    @Test
    void aClosingQueueMayBeChanged() {
        ObjectNode closing = queue("a", "");
        closing.putObject("status").put("state", "Closing");
        ObjectNode heavier = closing.deepCopy();
        Json.ensureObject(heavier, "spec").put("weight", 5);
        assertThat(QueueRules.refusal(heavier, closing, List.of(closing))).isEmpty();
    }

    // ---- paths

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "root/a/b | 1/2 | root/a/b\": volcano.sh/hierarchy must have the same length with volcano.sh/hierarchy-weights",
                "root/x | '' | root/x\": volcano.sh/hierarchy must have the same length with volcano.sh/hierarchy-weights",
                "'' | 1/2/3 | \": volcano.sh/hierarchy must have the same length with volcano.sh/hierarchy-weights",
                "root/a/b | 1/2/x | 1/2/x\": x in the 1/2/x is invalid number: strconv.ParseFloat: parsing \"x\": invalid syntax",
                "root/a/b | 1/2/-1 | 1/2/-1\": -1 in the 1/2/-1 must be larger than 0",
                "root/y | 1/0 | 1/0\": 0 in the 1/0 must be larger than 0",
                "root/t | 1/2 | root/t\": root/t is not allowed to be in the sub path of root/t/b of queue taken"
            })
    void pathsThatMakeNoSenseAreRefused(String path, String weights, String answer) {
        ObjectNode taken = below("root/t/b", "1/2/3");
        Json.ensureObject(taken, "metadata").put("name", "taken");
        present.add(taken);
        assertThat(refusal(below(path, weights)))
                .isEqualTo("requestBody.metadata.annotations: Invalid value: \"" + answer);
    }

    @ParameterizedTest
    @CsvSource({"root/t/b/c, 1/2/3/4", "root/t/bb, 1/2/3", "root/z, 1/0.5"})
    void pathsBesideAndBelowOthersAreTaken(String path, String weights) {
        ObjectNode taken = below("root/t/b", "1/2/3");
        Json.ensureObject(taken, "metadata").put("name", "taken");
        present.add(taken);
        assertThat(refusal(below(path, weights))).isEmpty();
    }

    @Test
    void allProblemsOfAQueueAreToldAtOnce() {
        ObjectNode queue = below("root/zz/b", "1/2");
        queue.set(
                "spec",
                queue("x", "'deserved':{'cpu':'3'},'capability':{'cpu':'2'}").get("spec"));
        assertThat(refusal(queue))
                .isEqualTo("[requestBody.spec.deserved: Invalid value: \"cpu 3000.00, memory 0.00\": deserved should"
                        + " less equal than capability, requestBody.metadata.annotations: Invalid value:"
                        + " \"root/zz/b\": volcano.sh/hierarchy must have the same length with"
                        + " volcano.sh/hierarchy-weights]");
    }

    // ---- families

    @Test
    void aParentIsAnotherQueueThatExists() {
        assertThat(refusal(queue("g4", "'parent':'g4'"))).isEqualTo("queue g4 cannot use itself as parent");
        assertThat(refusal(queue("g5", "'parent':'nope'")))
                .isEqualTo("failed to get parent queue of queue g5: queue.scheduling.volcano.sh \"nope\" not found");
        assertThat(refusal(queue("g6", "'parent':'root'"))).isEmpty();
        assertThat(refusal(queue("root", "'parent':'g6'"))).isEqualTo("queue root cannot have a parent");
    }

    private void family() {
        add(
                "p",
                "'parent':'root','capability':{'cpu':'10'},'deserved':{'cpu':'8'},'guarantee':{'resource':{'cpu':'4'}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'capability':{'cpu':'11'} | queue p1 capability (cpu 11000.00, memory 0.00) exceeds parent queue p capability (cpu 10000.00, memory 0.00)",
                "'deserved':{'cpu':'9'} | parent queue p validation failed: sum of children's deserved (cpu 9000.00, memory 0.00) exceeds parent's deserved limit (cpu 8000.00, memory 0.00)",
                "'deserved':{'nvidia.com/gpu':'1'} | parent queue p validation failed: sum of children's deserved (cpu 0.00, memory 0.00, nvidia.com/gpu 1000.00) exceeds parent's deserved limit (cpu 8000.00, memory 0.00)",
                "'deserved':{'cpu':'5'},'guarantee':{'resource':{'cpu':'5'}} | parent queue p validation failed: sum of children's guarantee (cpu 5000.00, memory 0.00) exceeds parent's guarantee limit (cpu 4000.00, memory 0.00)"
            })
    void aChildMayNotHaveMoreThanItsParent(String spec, String answer) {
        family();
        assertThat(refusal(queue("p1", "'parent':'p'," + spec))).isEqualTo(answer);
    }

    @Test
    void siblingsShareWhatTheirParentHas() {
        family();
        add("p1", "'parent':'p','capability':{'cpu':'6'},'deserved':{'cpu':'5'},'guarantee':{'resource':{'cpu':'3'}}");
        assertThat(refusal(queue("p2", "'parent':'p','deserved':{'cpu':'5'}")))
                .isEqualTo("parent queue p validation failed: sum of children's deserved (cpu 10000.00, memory 0.00)"
                        + " exceeds parent's deserved limit (cpu 8000.00, memory 0.00)");
        assertThat(refusal(queue("p2", "'parent':'p','deserved':{'cpu':'2'},'guarantee':{'resource':{'cpu':'2'}}")))
                .isEqualTo("parent queue p validation failed: sum of children's guarantee (cpu 5000.00, memory 0.00)"
                        + " exceeds parent's guarantee limit (cpu 4000.00, memory 0.00)");
        add("p2", "'parent':'p','deserved':{'cpu':'3'}");
    }

    @Test
    void aParentMayNotShrinkBelowItsChildren() {
        family();
        add("p1", "'parent':'p','capability':{'cpu':'6'},'deserved':{'cpu':'5'},'guarantee':{'resource':{'cpu':'3'}}");
        String rest = ",'parent':'root'";
        assertThat(refusal(queue(
                        "p",
                        "'capability':{'cpu':'5'},'deserved':{'cpu':'5'},'guarantee':{'resource':{'cpu':'4'}}" + rest)))
                .isEqualTo("queue p capability (cpu 5000.00, memory 0.00) is less than child queue p1 capability"
                        + " (cpu 6000.00, memory 0.00)");
        assertThat(refusal(queue(
                        "p",
                        "'capability':{'cpu':'10'},'deserved':{'cpu':'4'},'guarantee':{'resource':{'cpu':'4'}}"
                                + rest)))
                .isEqualTo("queue p validation failed: sum of children's deserved (cpu 5000.00, memory 0.00) exceeds"
                        + " parent's deserved limit (cpu 4000.00, memory 0.00)");
        assertThat(refusal(queue(
                        "p",
                        "'capability':{'cpu':'10'},'deserved':{'cpu':'8'},'guarantee':{'resource':{'cpu':'2'}}"
                                + rest)))
                .isEqualTo("queue p validation failed: sum of children's guarantee (cpu 3000.00, memory 0.00) exceeds"
                        + " parent's guarantee limit (cpu 2000.00, memory 0.00)");
    }

    @Test
    void aParentThatPromisesNothingLimitsByWhatItMayHave() {
        add("s", "'parent':'root','capability':{'cpu':'10'}");
        assertThat(refusal(queue("s1", "'parent':'s','deserved':{'cpu':'12'}")))
                .isEqualTo("parent queue s validation failed: sum of children's deserved (cpu 12000.00, memory 0.00)"
                        + " exceeds parent's capability (cpu 10000.00, memory 0.00)");
        add("s2", "'parent':'s','deserved':{'cpu':'9'},'guarantee':{'resource':{'cpu':'9'}}");
        assertThat(refusal(queue("s3", "'parent':'s','deserved':{'cpu':'3'},'guarantee':{'resource':{'cpu':'3'}}")))
                .isEqualTo("parent queue s validation failed: sum of children's guarantee (cpu 12000.00, memory 0.00)"
                        + " exceeds parent's capability (cpu 10000.00, memory 0.00)");
    }

    @Test
    void theNextQueueAboveThatLimitsAResourceCounts() {
        // 1.14.1 takes a parent without a capability for one that allows nothing.
        add("p", "'parent':'root','capability':{'cpu':'10'}");
        add("p1", "'parent':'p'");
        add("p11", "'parent':'p1','capability':{'cpu':'9','memory':'1Gi'}");
        assertThat(refusal(queue("p12", "'parent':'p1','capability':{'cpu':'11'}")))
                .isEqualTo("queue p12 capability (cpu 11000.00, memory 0.00) exceeds parent queue p capability"
                        + " (cpu 10000.00, memory 0.00)");
        assertThat(refusal(queue("p", "'parent':'root','capability':{'cpu':'8'}")))
                .isEqualTo("queue p capability (cpu 8000.00, memory 0.00) is less than child queue p11 capability"
                        + " (cpu 9000.00, memory 1073741824.00)");
    }

    @Test
    void queuesAreNotStackedForEver() {
        String parent = "root";
        for (int i = 1; i <= 5; i++) {
            add("d" + i, "'parent':'" + parent + "'");
            parent = "d" + i;
        }
        assertThat(refusal(queue("d6", "'parent':'d5'"))).isEqualTo("queue d6 exceeds the maximum allowed depth of 5");
        add("top", "'parent':'root'");
        assertThat(refusal(queue("d1", "'parent':'top'"))).isEqualTo("queue d5 exceeds the maximum allowed depth of 5");
        assertThat(refusal(queue("d1", "'parent':'d3'"))).isEqualTo("queue d1 cannot be below itself: d3 is below d1");
    }

    // ---- the end

    @Test
    void indispensableQueuesAndParentsAreNotDeleted() {
        add("p", "'parent':'root'");
        add("p1", "'parent':'p'");
        add("p2", "'parent':'p'");
        assertThat(QueueRules.refusalOfDeletion("default", present)).isEqualTo("`default` queue can not be deleted");
        assertThat(QueueRules.refusalOfDeletion("root", present)).isEqualTo("`root` queue can not be deleted");
        assertThat(QueueRules.refusalOfDeletion("p", present))
                .isEqualTo("queue p can not be deleted because it has 2 child queues: p1, p2");
        assertThat(QueueRules.refusalOfDeletion("p1", present)).isEmpty();
    }
}
