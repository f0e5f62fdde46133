package lavaflow.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PrintedFormTest {
    private static String restored(String struct, String json) {
        ObjectNode object = (ObjectNode) Json.parse(json.replace('\'', '"'));
        PrintedForm.restore(BuiltinTypes.instance(), struct, object);
        return Json.string(object).replace('"', '\'');
    }

    @Test
    void fieldsComeInTheOrderOfDeclaration() {
        assertThat(restored(
                        "io.k8s.api.apps.v1.DeploymentStrategy",
                        "{'rollingUpdate':{'maxSurge':1,'maxUnavailable':2},'type':'RollingUpdate'}"))
                .isEqualTo("{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':2,'maxSurge':1}}");
    }

    @Test
    void whatGoAlwaysPrintsIsThere() {
        assertThat(restored("io.k8s.api.apps.v1.ReplicaSetStatus", "{}")).isEqualTo("{'replicas':0}");
        assertThat(restored("io.k8s.api.policy.v1.PodDisruptionBudget", "{'metadata':{}}"))
                .isEqualTo("{'metadata':{},'spec':{},'status':{'disruptionsAllowed':0,'currentHealthy':0,"
                        + "'desiredHealthy':0,'expectedPods':0}}");
        assertThat(restored("io.k8s.api.rbac.v1.Role", "{'metadata':{}}")).isEqualTo("{'metadata':{},'rules':null}");
    }

    @Test
    void whatGoLeavesOutWhenEmptyIsNotThere() {
        assertThat(restored(
                        "io.k8s.api.apps.v1.DeploymentSpec",
                        "{'paused':false,'minReadySeconds':0,'replicas':0,'template':{'metadata':{'labels':{}},'spec':"
                                + "{'containers':null}},'selector':null,'strategy':{}}"))
                .isEqualTo("{'replicas':0,'selector':null,'template':{'metadata':{},'spec':{'containers':null}},"
                        + "'strategy':{}}");
    }

    @Test
    void mapsAreSortedAndElementsOfListsRestored() {
        assertThat(restored(
                        "io.k8s.api.core.v1.PodTemplateSpec",
                        "{'spec':{'containers':[{'image':'i','name':'c'}]},'metadata':{'labels':{'b':'2','a':'1'}}}"))
                .isEqualTo("{'metadata':{'labels':{'a':'1','b':'2'}},'spec':{'containers':[{'name':'c','image':'i',"
                        + "'resources':{}}]}}");
    }
}
