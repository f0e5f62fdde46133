package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The answers are those of a real kube-apiserver. */
class EvictionRulesTest {
    private static final String NOW = "2026-01-02T03:04:05Z";

    private static ObjectNode pod(String phase, boolean ready) {
        return Sample.object("{'metadata':{'name':'p','labels':{'a':'b'}},'status':{'phase':'" + phase
                + "','conditions':[{'type':'Ready','status':'" + (ready ? "True" : "False") + "'}]}}");
    }

    private static ObjectNode budget(String status) {
        return Sample.object("{'metadata':{'name':'b1','generation':1},'spec':{'selector':{'matchLabels':{'a':'b'}}},"
                + "'status':{'observedGeneration':1," + status + "}}");
    }

    private static EvictionRules.Decision decide(ObjectNode pod, ObjectNode... budgets) {
        return EvictionRules.decide(pod, List.of(budgets));
    }

    private static ApiException refusal(ObjectNode pod, ObjectNode... budgets) {
        return ((EvictionRules.Decision.Refused) decide(pod, budgets)).answer();
    }

    private static String cause(ApiException answer) {
        return Json.textAt(answer.status().at("/details/causes/0"), "message");
    }

    @Test
    void withoutBudgetPodsMayGo() {
        assertThat(decide(pod("Running", true))).isInstanceOf(EvictionRules.Decision.Free.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Pending", "Succeeded", "Failed"})
    void podsThatDoNotRunMayGo(String phase) {
        assertThat(decide(pod(phase, true), budget("'disruptionsAllowed':0")))
                .isInstanceOf(EvictionRules.Decision.Free.class);
    }

    @Test
    void podsThatAreLeavingMayGo() {
        ObjectNode pod = pod("Running", true);
        Json.ensureObject(pod, "metadata").put("deletionTimestamp", NOW);
        assertThat(decide(pod, budget("'disruptionsAllowed':0"))).isInstanceOf(EvictionRules.Decision.Free.class);
    }

    @Test
    void anExhaustedBudgetSaysWhatItNeeds() {
        ApiException answer =
                refusal(pod("Running", true), budget("'disruptionsAllowed':0,'currentHealthy':3,'desiredHealthy':4"));
        assertThat(answer.status())
                .isEqualTo(Sample.object("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure',"
                        + "'message':'Cannot evict pod as it would violate the pod\\u0027s disruption budget.',"
                        + "'reason':'TooManyRequests','details':{'causes':[{'reason':'DisruptionBudget','message':"
                        + "'The disruption budget b1 needs 4 healthy pods and has 3 currently'}]},'code':429}"));
    }

    @Test
    void aBudgetMayAllowNothingThoughMoreThanEnoughAreHealthy() {
        assertThat(cause(refusal(pod("Running", true), budget("'currentHealthy':1,'desiredHealthy':0"))))
                .isEqualTo("The disruption budget b1 does not allow evicting pods currently");
    }

    @Test
    void aBudgetThatFailedToSyncSaysSo() {
        assertThat(cause(refusal(
                        pod("Running", true),
                        budget("'conditions':[{'type':'DisruptionAllowed','status':'False','reason':'SyncFailed',"
                                + "'message':'boo'}]"))))
                .isEqualTo("The disruption budget b1 does not allow evicting pods currently because it failed sync:"
                        + " boo");
    }

    @Test
    void aBudgetThatWasChangedIsWaitedFor() {
        ObjectNode budget = budget("'disruptionsAllowed':3");
        Json.ensureObject(budget, "metadata").put("generation", 2);
        ApiException answer = refusal(pod("Running", true), budget);
        assertThat(cause(answer)).isEqualTo("The disruption budget b1 is still being processed by the server.");
        assertThat(answer.status().at("/details/retryAfterSeconds").asInt()).isEqualTo(10);
    }

    @Test
    void severalBudgetsAreTooMany() {
        ApiException answer = refusal(pod("Running", true), budget("'disruptionsAllowed':1"), budget("'x':1"));
        assertThat(answer.code()).isEqualTo(500);
        assertThat(answer.getMessage())
                .isEqualTo("This pod has more than one PodDisruptionBudget, which the eviction subresource does not"
                        + " support.");
    }

    @Test
    void noSelectorCoversNothingAndAnEmptyOneEverything() {
        ObjectNode none = budget("'disruptionsAllowed':0");
        Json.ensureObject(none, "spec").remove("selector");
        ObjectNode empty = budget("'disruptionsAllowed':0");
        Json.ensureObject(empty, "spec").putObject("selector");
        assertThat(decide(pod("Running", true), none)).isInstanceOf(EvictionRules.Decision.Free.class);
        assertThat(decide(pod("Running", true), empty)).isInstanceOf(EvictionRules.Decision.Refused.class);
    }

    @Test
    void unreadyPodsMayGoWhileEnoughOthersAreHealthy() {
        assertThat(decide(pod("Running", false), budget("'currentHealthy':3,'desiredHealthy':3")))
                .isInstanceOf(EvictionRules.Decision.Free.class);
        assertThat(decide(pod("Running", false), budget("'currentHealthy':2,'desiredHealthy':3")))
                .isInstanceOf(EvictionRules.Decision.Refused.class);
        assertThat(decide(pod("Running", false), budget("'currentHealthy':0,'desiredHealthy':0")))
                .isInstanceOf(EvictionRules.Decision.Refused.class);
    }

    @Test
    void unreadyPodsMayAlwaysGoIfTheBudgetSaysSo() {
        ObjectNode budget = budget("'currentHealthy':2,'desiredHealthy':3");
        Json.ensureObject(budget, "spec").put("unhealthyPodEvictionPolicy", "AlwaysAllow");
        assertThat(decide(pod("Running", false), budget)).isInstanceOf(EvictionRules.Decision.Free.class);
    }

    @Test
    void aBudgetPaysForWhatItAllows() {
        ObjectNode budget = budget("'disruptionsAllowed':2");
        assertThat(decide(pod("Running", true), budget)).isEqualTo(new EvictionRules.Decision.Charged(budget));
        ObjectNode once = EvictionRules.charge(budget, "p", NOW);
        assertThat(Json.string(once.get("status")).replace('"', '\''))
                .isEqualTo("{'observedGeneration':1,'disruptedPods':{'p':'" + NOW + "'},'disruptionsAllowed':1,"
                        + "'currentHealthy':0,'desiredHealthy':0,'expectedPods':0}");
        ObjectNode twice = EvictionRules.charge(once, "p2", NOW);
        assertThat(Json.string(twice.get("status")).replace('"', '\''))
                .isEqualTo("{'observedGeneration':1,'disruptedPods':{'p':'" + NOW + "','p2':'" + NOW
                        + "'},'disruptionsAllowed':0,'currentHealthy':0,'desiredHealthy':0,'expectedPods':0,"
                        + "'conditions':[{'type':'DisruptionAllowed','status':'False','observedGeneration':1,"
                        + "'lastTransitionTime':'" + NOW + "','reason':'InsufficientPods','message':''}]}");
    }

    @Test
    void anEvictedPodSaysWhy() {
        ObjectNode pod = pod("Running", true);
        EvictionRules.mark(pod, NOW);
        assertThat(pod.at("/status/conditions/1"))
                .isEqualTo(Sample.object("{'type':'DisruptionTarget','status':'True','lastProbeTime':null,"
                        + "'lastTransitionTime':'" + NOW + "','reason':'EvictionByEvictionAPI','message':'Eviction"
                        + " API: evicting'}"));
    }
}
