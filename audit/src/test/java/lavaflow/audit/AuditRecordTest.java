package lavaflow.audit;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AuditRecordTest {
    private final List<ObjectNode> events = new ArrayList<>();

    private AuditRecord open(String rule, AuditedRequest request) throws AuditPolicyException {
        AuditPolicy policy = AuditPolicy.parse("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- " + rule + "\n");
        AuditSink sink = line -> events.add(Json.parseObject(line));
        return new Auditor(policy, sink, InstantSource.fixed(Instant.EPOCH.plusSeconds(1))).open(() -> request);
    }

    private static ObjectNode tree(String json) {
        return Json.parseObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private List<String> stages() {
        return events.stream().map(event -> event.get("stage").asText()).toList();
    }

    @Test
    void anOrdinaryRequestHasTwoEvents() throws Exception {
        AuditRecord record = open("level: Metadata", AuditPolicyTest.request("jane", "create", "configmaps", "n", ""));
        record.received();
        record.annotate("authorization.k8s.io/decision", "allow");
        record.requestObject(tree("{'metadata':{'name':'a'},'data':{'k':'secret'}}"));
        record.response(tree("{'kind':'ConfigMap','data':{'k':'secret'}}"));
        record.answered(201, false);
        record.complete(false);

        assertThat(stages()).containsExactly("RequestReceived", "ResponseComplete");
        assertThat(events.get(1))
                .isEqualTo(tree("{'kind':'Event','apiVersion':'audit.k8s.io/v1','level':'Metadata','auditID':'id',"
                        + "'stage':'ResponseComplete','requestURI':'/uri','verb':'create','user':{'username':'jane',"
                        + "'groups':['system:authenticated']},'sourceIPs':['127.0.0.1'],'userAgent':'agent',"
                        + "'objectRef':{'resource':'configmaps','namespace':'n','apiVersion':'v1','name':'a'},"
                        + "'responseStatus':{'metadata':{},'code':201},"
                        + "'requestReceivedTimestamp':'1970-01-01T00:00:00.000000Z',"
                        + "'stageTimestamp':'1970-01-01T00:00:01.000000Z',"
                        + "'annotations':{'authorization.k8s.io/decision':'allow'}}"));
    }

    @Test
    void bodiesAppearByLevel() throws Exception {
        for (String level : List.of("Request", "RequestResponse")) {
            AuditRecord record = open("level: " + level, AuditPolicyTest.request("jane", "create", "secrets", "n", ""));
            record.requestObject(tree("{'kind':'Secret','data':{}}"));
            record.response(tree("{'kind':'Secret','metadata':{'uid':'u'}}"));
            record.answered(201, false);
            record.complete(false);
        }

        assertThat(events.get(0).has("requestObject")).isTrue();
        assertThat(events.get(0).has("responseObject")).isFalse();
        assertThat(events.get(1).get("responseObject")).isEqualTo(tree("{'kind':'Secret','metadata':{'uid':'u'}}"));
    }

    @Test
    void aWatchHasThreeEvents() throws Exception {
        AuditRecord record = open("level: Metadata", AuditPolicyTest.request("jane", "watch", "pods", "", ""));
        record.received();
        record.answered(200, true);
        record.complete(true);

        assertThat(stages()).containsExactly("RequestReceived", "ResponseStarted", "ResponseComplete");
    }

    @Test
    void aFailureIsToldWithoutItsType() throws Exception {
        AuditRecord record = open("level: Metadata", AuditPolicyTest.request("jane", "get", "pods", "n", "x"));
        record.response(tree("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure','code':404}"));
        record.answered(404, false);
        record.complete(false);

        assertThat(events.getFirst().get("responseStatus"))
                .isEqualTo(tree("{'metadata':{},'status':'Failure','code':404}"));
    }

    @Test
    void aClientThatLeavesBeforeTheAnswerIsNoted() throws Exception {
        AuditRecord record = open("level: Metadata", AuditPolicyTest.request("jane", "get", "pods", "n", "x"));
        record.complete(false);

        assertThat(events.getFirst().get("responseStatus"))
                .isEqualTo(tree("{'metadata':{},'code':200,'status':'Success','message':'Connection closed early'}"));
    }

    @Test
    void omittedStagesAreNotWritten() throws Exception {
        AuditRecord record = open(
                "{level: Metadata, omitStages: [RequestReceived]}",
                AuditPolicyTest.request("jane", "get", "pods", "n", "x"));

        assertThat(record.received()).isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void managedFieldsAreLeftOutWhereThePolicySaysSo() throws Exception {
        AuditRecord record = open(
                "{level: RequestResponse, omitManagedFields: true}",
                AuditPolicyTest.request("jane", "list", "pods", "n", ""));
        record.response(tree("{'kind':'PodList','items':[{'metadata':{'name':'a','managedFields':[]}}]}"));
        record.complete(false);

        assertThat(events.getFirst().get("responseObject"))
                .isEqualTo(tree("{'kind':'PodList','items':[{'metadata':{'name':'a'}}]}"));
    }

    @Test
    void theFirstAnnotationOfAKeyStays() throws Exception {
        AuditRecord record = open("level: Metadata", AuditPolicyTest.request("jane", "get", "pods", "n", "x"));
        record.annotate("k", "first");
        record.annotate("k", "second");
        record.complete(false);

        assertThat(events.getFirst().get("annotations")).isEqualTo(tree("{'k':'first'}"));
    }

    @Test
    void impersonationAndPanicAreShown() throws Exception {
        AuditRecord record = open("level: Metadata", AuditPolicyTest.request("jane", "get", "pods", "n", "x"));
        record.impersonates(new Asker("joe", "u1", List.of("dev"), Map.of("scopes", List.of("view"))));
        record.panicked("NullPointerException");

        assertThat(stages()).containsExactly("Panic");
        assertThat(events.getFirst().get("impersonatedUser"))
                .isEqualTo(tree("{'username':'joe','uid':'u1','groups':['dev'],'extra':{'scopes':['view']}}"));
        assertThat(events.getFirst().get("responseStatus").get("code").asInt()).isEqualTo(500);
    }

    @Test
    void proxiesAreListedBeforeTheConnection() {
        assertThat(SourceAddresses.of("10.0.0.1, nonsense, 10.0.0.2", "10.0.0.2", "127.0.0.1"))
                .containsExactly("10.0.0.1", "10.0.0.2", "127.0.0.1");
        assertThat(SourceAddresses.of(null, "10.0.0.3", "10.0.0.3")).containsExactly("10.0.0.3");
    }
}
