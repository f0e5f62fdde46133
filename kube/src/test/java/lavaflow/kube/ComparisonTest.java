package lavaflow.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ComparisonTest {
    private static ObjectNode spec(String text) {
        return (ObjectNode) Json.parse("{\"spec\":" + text.replace('\'', '"') + "}");
    }

    private static String shown(Comparison comparison) {
        return ("-" + comparison.removed() + "~" + comparison.modified() + "+" + comparison.added())
                .replace("\n", " ")
                .replace(".spec", "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'flag':true}                      | {'flag':true}                       | -~+
            {'flag':true}                      | {'flag':false}                      | -~.flag+
            {'ratio':1}                        | {'ratio':1.0}                       | -~+
            {'list':[1]}                       | {'list':[1,2]}                      | -~.list+
            {'whole':{'a':'1'}}                | {'whole':{'b':'1'}}                 | -~.whole+
            {'map':{'a':'1'}}                  | {'map':{'b':'1'}}                   | -.map.a~+.map.b
            {'flag':true}                      | {'flag':true,'map':{'b':'1'}}       | -~+.map .map.b
            {'map':{'b':'1'},'flag':true}      | {'flag':true}                       | -.map .map.b~+
            {'map':{}}                         | {'map':null}                        | -~.map+
            {'tags':['a','b']}                 | {'tags':['b','c']}                  | -.tags[="a"]~+.tags[="c"]
            {'tags':['a','b']}                 | {'tags':['b','a']}                  | -~+
            {'items':[{'name':'a','v':1}]}     | {'items':[{'name':'a','v':2}]}      | -~.items[name="a"].v+
            {'ports':[{'port':1}]}             | {'ports':[{'port':1,'protocol':'TCP'}]} | -~+.ports[port=1,protocol="TCP"].protocol
            {'free':{'a':{'b':1}}}             | {'free':{'a':5}}                    | -.free.a.b~.free.a+
            {'free':{'a':[1]}}                 | {'free':{'a':[2]}}                  | -~.free.a+
            """)
    void tellsWhatChanged(String before, String after, String changes) {
        assertThat(shown(Comparison.of(TestingTypes.THINGS, "Thing", spec(before), spec(after))))
                .isEqualTo(changes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ['a','a'] | ['a','a']     | -~+
            ['a','a'] | ['a','a','a'] | -~.tags[="a"]+
            ['a']     | ['a','a']     | -.tags[="a"]~+.tags[="a"]
            ['a','a'] | ['a']         | -.tags[="a"]~+.tags[="a"]
            ['a','a'] | ['b']         | -.tags[="a"]~+.tags[="b"]
            """)
    void repeatedElementsAreOwnedTogether(String before, String after, String changes) {
        assertThat(shown(Comparison.of(
                        TestingTypes.THINGS, "Thing", spec("{'tags':" + before + "}"), spec("{'tags':" + after + "}"))))
                .isEqualTo(changes);
    }

    @Test
    void builtInFieldsThatAreNeverAbsentAreNotAdded() {
        ObjectNode deployment = (ObjectNode)
                Json.parse(
                        "{\"spec\":{\"template\":{\"spec\":{\"containers\":[],\"securityContext\":{}}},\"replicas\":1},\"status\":{}}");
        assertThat(Comparison.of(BuiltinTypes.instance(), "io.k8s.api.apps.v1.Deployment", Json.object(), deployment)
                        .added())
                .hasToString(".spec.replicas\n.spec.template.spec.securityContext");
    }
}
