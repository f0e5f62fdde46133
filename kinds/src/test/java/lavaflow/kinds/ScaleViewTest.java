package lavaflow.kinds;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScaleViewTest {
    private static ObjectNode object(String selector) {
        return Sample.object("{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'x','namespace':'n',"
                + "'uid':'u','resourceVersion':'7','creationTimestamp':'2026-01-02T03:04:05Z','labels':{'l':'m'}},"
                + "'spec':{'replicas':3,'selector':" + selector + "},'status':{'replicas':2}}");
    }

    @Test
    void showsReplicasAndSelector() {
        ObjectNode scale = ScaleView.of(object("{'matchLabels':{'a':'b'},'matchExpressions':[{'key':'a',"
                + "'operator':'In','values':['c','b']},{'key':'z','operator':'DoesNotExist'}]}"));
        assertThat(scale)
                .isEqualTo(Sample.object("{'kind':'Scale','apiVersion':'autoscaling/v1','metadata':{'name':'x',"
                        + "'namespace':'n','uid':'u','resourceVersion':'7',"
                        + "'creationTimestamp':'2026-01-02T03:04:05Z'},'spec':{'replicas':3},"
                        + "'status':{'replicas':2,'selector':'a=b,a in (b,c),!z'}}"));
    }

    @Test
    void selectorsOfReplicationControllersAreMaps() {
        assertThat(ScaleView.of(object("{'b':'c','a':'b'}"))
                        .at("/status/selector")
                        .asText())
                .isEqualTo("a=b,b=c");
    }

    @Test
    void noReplicasAreNotShown() {
        ObjectNode object = object("{'a':'b'}");
        ScaleView.apply(Sample.object("{'spec':{}}"), object);
        assertThat(object.at("/spec/replicas").asInt(-1)).isZero();
        assertThat(ScaleView.of(object).get("spec")).isEqualTo(Sample.object("{}"));
    }

    @Test
    void replicasCannotBeNegative() {
        FieldErrors errors = new FieldErrors();
        ScaleView.validate(Sample.object("{'spec':{'replicas':-1}}"), errors);
        assertThat(Sample.messages(errors))
                .containsExactly("spec.replicas: Invalid value: -1: must be greater than or equal to 0");
    }
}
