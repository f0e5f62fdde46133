package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The results are those of kube-apiserver 1.36.3; so are messages, with 400 in place of its 500. */
class StrategicMergePatchTest {
    private static final String DEPLOYMENT = """
            {"metadata":{"name":"d","labels":{"a":"1"},"finalizers":["a/a","b/b","c/c"]},
             "spec":{"replicas":1,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%"}},
              "schema":{"x":{"type":"string"}},
              "template":{"spec":{
               "containers":[
                {"name":"a","image":"a","env":[{"name":"x","value":"x"},{"name":"y","value":"y"}],"args":["1"],
                 "ports":[{"containerPort":80},{"containerPort":81}]},
                {"name":"b","image":"b"},{"name":"c","image":"c"}],
               "volumes":[{"name":"v","emptyDir":{}}],
               "tolerations":[{"key":"a"}],"nodeSelector":{"q":"r"}}}}}""";

    private static ObjectNode json(String text) {
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    private static ObjectNode patched(ObjectNode patch) {
        ObjectNode original = (ObjectNode) Json.parse(DEPLOYMENT);
        ObjectNode before = patch.deepCopy();
        ObjectNode result = StrategicMergePatch.apply(TestingTypes.WORKLOADS, "Deployment", original, patch);
        assertThat(original).as("the original stays as it was").isEqualTo(Json.parse(DEPLOYMENT));
        assertThat(patch).as("the patch stays as it was").isEqualTo(before);
        return result;
    }

    private static ObjectNode podPatch(String podSpec) {
        return json("{'spec':{'template':{'spec':" + podSpec + "}}}");
    }

    private static JsonNode patchedPod(String podSpec) {
        return patched(podPatch(podSpec)).at("/spec/template/spec");
    }

    private static ApiException failure(ObjectNode patch) {
        return catchThrowableOfType(ApiException.class, () -> patched(patch));
    }

    private static List<String> names(JsonNode list) {
        List<String> names = new ArrayList<>();
        list.forEach(item ->
                names.add(item.path("name").asText() + "=" + item.path("image").asText()));
        return names;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            [{'name':'b','image':'B'}]                                       | a=a b=B c=c
            [{'name':'d','image':'D'}]                                       | d=D a=a b=b c=c
            [{'name':'d','image':'D'},{'name':'b','image':'B'}]              | d=D a=a b=B c=c
            [{'name':'b','$patch':'delete'}]                                 | a=a c=c
            [{'name':'z','$patch':'delete'}]                                 | a=a b=b c=c
            [{'$patch':'replace'},{'name':'z','image':'z'}]                  | z=z
            [{'name':'b','$patch':'replace','image':'x'}]                    | ``
            [{'name':'c'},{'name':'a'}]                                      | b=b c=c a=a
            """)
    void mergesAListByKey(String containers, String result) {
        assertThat(String.join(
                        " ",
                        names(patchedPod("{'containers':" + containers + "}").get("containers"))))
                .isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            'containers':[{'name':'c'},{'name':'a'}], | [{'name':'c'},{'name':'a'}]                | b=b c=c a=a
            'containers':[{'name':'c','image':'C'}],  | [{'name':'c'},{'name':'b'},{'name':'a'}]   | c=C b=b a=a
            ``                                        | [{'name':'c'},{'name':'a'}]                | b=b c=c a=a
            ``                                        | [{'name':'b'}]                             | a=a b=b c=c
            ``                                        | [{'name':'c'},{'name':'q'},{'name':'a'}]   | b=b c=c a=a
            ``                                        | []                                         | a=a b=b c=c
            'containers':[{'name':'b','$patch':'delete'},{'name':'n','image':'n'}], | [{'name':'c'},{'name':'n'},{'name':'a'}] | c=c n=n a=a
            'containers':[{'name':'b','$patch':'delete'},{'name':'n','image':'n'}], | [{'name':'n'},{'name':'a'}] | c=c n=n a=a
            'containers':[{'name':'n','image':'n'}],  | [{'name':'n'},{'name':'a'}]                | n=n a=a b=b c=c
            'containers':[{'name':'n','image':'n'},{'name':'m','image':'m'}], | []                 | a=a b=b c=c m=m n=n
            """)
    void setElementOrderArrangesAndKeepsWhatOnlyTheServerHasInPlace(String patch, String order, String result) {
        JsonNode pod = patchedPod("{" + patch + "'$setElementOrder/containers':" + order + "}");
        assertThat(String.join(" ", names(pod.get("containers")))).isEqualTo(result);
        assertThat(pod.has("$setElementOrder/containers")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'$deleteFromPrimitiveList/finalizers':['b/b']}                                | ["a/a","c/c"]
            {'$deleteFromPrimitiveList/finalizers':'b/b'}                                  | ["a/a","b/b","c/c"]
            {'$deleteFromPrimitiveList/finalizers':[]}                                     | ["a/a","b/b","c/c"]
            {'$deleteFromPrimitiveList/finalizers':null}                                   |
            {'$deleteFromPrimitiveList/gone':['x']}                                        | ["a/a","b/b","c/c"]
            {'$deleteFromPrimitiveList/ownerReferences':['x']}                             | ["a/a","b/b","c/c"]
            {'finalizers':['d/d','a/a']}                                                   | ["d/d","a/a","b/b","c/c"]
            {'finalizers':[]}                                                              | ["a/a","b/b","c/c"]
            {'finalizers':['d/d'],'$setElementOrder/finalizers':['c/c','d/d','a/a']}       | ["b/b","c/c","d/d","a/a"]
            {'$setElementOrder/finalizers':['c/c','a/a']}                                  | ["b/b","c/c","a/a"]
            {'$setElementOrder/finalizers':[5]}                                            | ["a/a","b/b","c/c"]
            """)
    void mergesPrimitives(String metadata, String finalizers) {
        JsonNode result = patched(json("{'metadata':" + metadata + "}")).at("/metadata/finalizers");
        assertThat(result.isMissingNode() ? null : Json.string(result)).isEqualTo(finalizers);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'a':null,'b':'2'}             | {"b":"2"}
            null                           | null
            {'$patch':'replace','b':'2'}   | {"b":"2"}
            {'$patch':'delete'}            | {}
            {'$retainKeys':['b'],'b':'2'}  | {"b":"2"}
            {'b':'2'}                      | {"a":"1","b":"2"}
            """)
    void mergesMaps(String labels, String result) {
        JsonNode merged =
                patched(json("{'metadata':{'labels':" + labels + "}}")).at("/metadata/labels");
        assertThat(merged.isMissingNode() ? "null" : Json.string(merged)).isEqualTo(result);
    }

    @Test
    void whatIsNewComesWithoutNullsAndWithoutDirectives() {
        JsonNode metadata = patched(json(
                        "{'metadata':{'annotations':{'x':null,'y':{'$patch':'delete'},'z':[{'$patch':'delete'},1]}}}"))
                .get("metadata");
        assertThat(Json.string(metadata.get("annotations"))).isEqualTo("{\"z\":[1]}");
    }

    @Test
    void retainKeysClearsOtherMembersOfAUnion() {
        assertThat(Json.string(patched(json("{'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}}"))
                        .at("/spec/strategy")))
                .isEqualTo("{\"type\":\"Recreate\"}");
        assertThat(Json.string(patchedPod("{'volumes':[{'name':'v','$retainKeys':['name','configMap'],"
                                + "'configMap':{'name':'x'}}]}")
                        .get("volumes")))
                .isEqualTo("[{\"name\":\"v\",\"configMap\":{\"name\":\"x\"}}]");
    }

    @Test
    void mergesListsWithinListsByTheirOwnKeys() {
        JsonNode container = patchedPod("{'containers':[{'name':'a','env':[{'name':'y','value':'Y'},{'name':'n'}],"
                        + "'ports':[{'containerPort':81,'name':'p'},{'containerPort':82}],'args':['9']}]}")
                .at("/containers/0");
        assertThat(Json.string(container))
                .isEqualTo("{\"name\":\"a\",\"image\":\"a\",\"env\":[{\"name\":\"x\",\"value\":\"x\"},"
                        + "{\"name\":\"y\",\"value\":\"Y\"},{\"name\":\"n\"}],\"args\":[\"9\"],"
                        + "\"ports\":[{\"containerPort\":80},{\"containerPort\":81,\"name\":\"p\"},"
                        + "{\"containerPort\":82}]}");
    }

    @Test
    void listsWithoutAStrategyAreReplaced() {
        assertThat(Json.string(patchedPod("{'tolerations':[{'key':'b'}]}").get("tolerations")))
                .isEqualTo("[{\"key\":\"b\"}]");
    }

    @Test
    void theSelectorOfADisruptionBudgetIsReplaced() {
        Types budgets = new TestingTypes("""
                Budget: spec io.k8s.api.policy.v1.PodDisruptionBudgetSpec
                io.k8s.api.policy.v1.PodDisruptionBudgetSpec: selector Selector
                Selector: matchLabels {}string
                """);
        assertThat(StrategicMergePatch.apply(
                        budgets,
                        "Budget",
                        json("{'spec':{'selector':{'matchLabels':{'a':'1'}}}}"),
                        json("{'spec':{'selector':{'matchLabels':{'b':'2'}}}}")))
                .isEqualTo(json("{'spec':{'selector':{'matchLabels':{'b':'2'}}}}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'containers':[{'image':'D'}]}                        | map: map[image:D] does not contain declared merge key: name
            {'containers':[{'$patch':'delete'}]}                  | map: map[$patch:delete] does not contain declared merge key: name
            {'containers':[{'$patch':'merge'}]}                   | merging lists cannot yet be specified in the patch
            {'containers':[{'$patch':'bogus'}]}                   | unknown patch type: bogus in map: map[$patch:bogus]
            {'containers':[{'$patch':5,'name':'a'}]}              | unknown patch type: %!s(int64=5) in map: map[$patch:5 name:a]
            {'nodeSelector':{'$patch':{'x':1},'b':'2'}}           | unknown patch type: map[x:%!s(int64=1)] in map: map[$patch:map[x:1] b:2]
            {'nodeSelector':{'$patch':null}}                      | unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]
            {'nodeSelector':{'$patch':'merge'}}                   | unknown patch type: merge in map: map[$patch:merge]
            {'nodeSelector':{'$retainKeys':[],'b':'2'}}           | invalid patch format of retainKeys
            {'nodeSelector':{'$retainKeys':'b'}}                  | invalid patch format of retainKeys
            {'nodeSelector':{'$retainKeys':[{}]}}                 | invalid patch format of retainKeys
            {'tolerations':[{'key':'b'}],'$setElementOrder':[1]}  | invalid patch format of setElementOrder list
            {'$setElementOrder/containers':'x'}                   | expected a []interface {}, but received a string
            {'$setElementOrder/containers':[{'x':1}]}             | map: map[x:1] does not contain declared merge key: name
            {'$setElementOrder/containers':['a']}                 | value for key 0 is not a map
            {'$setElementOrder/gone':[{'x':1}]}                   | unable to find api field in struct PodSpec for the json field "gone"
            {'$setElementOrder/nodeSelector':[{'x':1}]}           | expected a []interface {}, but received a map[string]interface {}
            {'$deleteFromPrimitiveList':['x']}                    | invalid patch format of primitive list
            {'$deleteFromPrimitiveList/tolerations':[{'key':'a'}]} | cannot merge lists without merge key for struct
            {'initContainers':[],'$setElementOrder/initContainers':[]} | no elements in any of the given slices
            """)
    void refusesWhatUpstreamRefuses(String pod, String message) {
        ApiException failure = failure(podPatch(pod));
        assertThat(failure.code()).isEqualTo(400);
        assertThat(failure.getMessage()).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'metadata':{'finalizers':[1]}}                           | list element types are not identical: [[a/a b/b c/c] [1]]
            {'metadata':{'finalizers':[null]}}                        | list element types are not identical: [[a/a b/b c/c] [<nil>]]
            {'metadata':{'finalizers':[{'a':1.5}]}}                   | list element types are not identical: [[a/a b/b c/c] [map[a:1.5]]]
            {'metadata':{'$deleteFromPrimitiveList/finalizers':[5]}}  | list element types are not identical: [[a/a b/b c/c] [5]]
            {'spec':{'schema':{'x':{'type':'object'}}}}               | merging an object in json but data type is not struct, instead is: map
            """)
    void refusesWrongTypes(String patch, String message) {
        ApiException failure = failure(json(patch));
        assertThat(failure.code()).isEqualTo(400);
        assertThat(failure.getMessage()).isEqualTo(message);
    }

    @Test
    void anOrderThatContradictsThePatchIsRefused() {
        assertThat(failure(podPatch("{'containers':[{'name':'c'},{'name':'a'}],"
                                + "'$setElementOrder/containers':[{'name':'a'},{'name':'c'}]}"))
                        .getMessage())
                .isEqualTo("The order in patch list:\n[map[name:c] map[name:a]]\n doesn't match $setElementOrder"
                        + " list:\n[map[name:a] map[name:c]]\n");
        assertThat(failure(podPatch("{'containers':[{'name':'c'}],'$setElementOrder/containers':[{'name':'a'}]}"))
                        .getMessage())
                .startsWith("The order in patch list:");
    }

    @Test
    void longListsAreArrangedAsShortOnes() {
        ObjectNode original = Json.object();
        ObjectNode patch = Json.object();
        for (int i = 0; i < 100; i++) {
            Json.ensureObject(original, "metadata").withArray("finalizers").add("x/" + i);
            Json.ensureObject(patch, "metadata").withArray("finalizers").add("x/" + (99 - i));
        }
        assertThat(StrategicMergePatch.apply(TestingTypes.WORKLOADS, "Deployment", original, patch))
                .isEqualTo(patch);
    }
}
