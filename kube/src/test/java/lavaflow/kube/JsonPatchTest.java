package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The answers are those of kube-apiserver 1.36.3. */
class JsonPatchTest {
    private static final String DOCUMENT = """
            {"data":{"k":"v","a/b":"1","x~y":"2","none":null},"list":["a","b","c"]}""";

    private static JsonNode json(String text) {
        return Json.parse(text.replace('\'', '"'));
    }

    private static String patched(String operation) {
        JsonNode document = Json.parse(DOCUMENT);
        JsonNode result = JsonPatch.parse(json("[" + operation + "]"), true).apply(document);
        assertThat(document).as("the original stays as it was").isEqualTo(Json.parse(DOCUMENT));
        return Json.string(result);
    }

    private static ApiException failure(String patch, boolean strict) {
        return catchThrowableOfType(
                ApiException.class, () -> JsonPatch.parse(json(patch), strict).apply(Json.parse(DOCUMENT)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'op':'add','path':'/data/q','value':'z'}            | "q":"z"
            {'op':'add','path':'/data/q'}                        | "q":null
            {'op':'add','path':'/list/-','value':'d'}            | ["a","b","c","d"]
            {'op':'add','path':'/list/1','value':'d'}            | ["a","d","b","c"]
            {'op':'add','path':'/list/3','value':'d'}            | ["a","b","c","d"]
            {'op':'add','path':'/list/-1','value':'d'}           | ["a","b","c","d"]
            {'op':'remove','path':'/list/-1'}                    | ["a","b"]
            {'op':'remove','path':'/list/0'}                     | ["b","c"]
            {'op':'remove','path':'/data'}                       | {"list":["a","b","c"]}
            {'op':'remove','path':'/data/a~1b'}                  | {"k":"v","x~y":"2","none":null}
            {'op':'remove','path':'/data/x~0y'}                  | {"k":"v","a/b":"1","none":null}
            {'op':'replace','path':'/data/k','value':{'x':1}}    | "k":{"x":1}
            {'op':'replace','path':'/data/new','value':1}        | "new":1
            {'op':'replace','path':'/data/k'}                    | "k":null
            {'op':'replace','path':'/list/-1','value':1}         | ["a","b",1]
            {'op':'replace','path':'','value':{'x':1}}           | {"x":1}
            {'op':'replace','path':'','value':[1]}               | [1]
            {'op':'move','from':'/data/k','path':'/data/m'}      | {"a/b":"1","x~y":"2","none":null,"m":"v"}
            {'op':'move','from':'/list/0','path':'/list/2'}      | ["b","c","a"]
            {'op':'copy','from':'/data/k','path':'/list/0'}      | ["v","a","b","c"]
            {'op':'copy','from':'/data/gone','path':'/data/m'}   | "m":null
            {'op':'test','path':'/data/k','value':'v'}           | "k":"v"
            {'op':'test','path':'/list','value':['a','b','c']}   | "k":"v"
            {'op':'test','path':'/list/-1','value':'c'}          | "k":"v"
            {'op':'test','path':'/data/gone','value':null}       | "k":"v"
            {'op':'test','path':'/data/gone'}                    | "k":"v"
            {'op':'test','path':'/data/none'}                    | "k":"v"
            """)
    void changesTheDocument(String operation, String part) {
        assertThat(patched(operation)).contains(part);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'op':'add','path':'/gone/q','value':'z'}",
                "{'op':'add','path':'','value':{}}",
                "{'op':'add','path':'/list/4','value':'z'}",
                "{'op':'add','path':'/list/-5','value':'z'}",
                "{'op':'add','path':'/list/x','value':'z'}",
                "{'op':'add','path':'/list/99999999999999999999','value':'z'}",
                "{'op':'add','path':'/data/k/x','value':'z'}",
                "{'op':'add','path':'/data/none/x','value':'z'}",
                "{'op':'add'}",
                "{'op':'remove','path':'/data/gone'}",
                "{'op':'remove','path':'/gone/k'}",
                "{'op':'remove','path':'/list/7'}",
                "{'op':'remove','path':'/list/-'}",
                "{'op':'remove','path':''}",
                "{'op':'remove','path':null}",
                "{'op':'replace','path':'/gone/k','value':1}",
                "{'op':'replace','path':'/list/3','value':1}",
                "{'op':'replace','path':'/list/-','value':1}",
                "{'op':'replace','path':'','value':1}",
                "{'op':'replace','path':''}",
                "{'op':'move','from':'/data/gone','path':'/data/m'}",
                "{'op':'move','path':'/data/m'}",
                "{'op':'move','from':'/data/k'}",
                "{'op':'move','from':'/data','path':'/data/m'}",
                "{'op':'copy','from':'/gone/k','path':'/data/m'}",
                "{'op':'copy','from':'/list/9','path':'/data/m'}",
                "{'op':'copy','path':'/data/m'}",
                "{'op':'test','path':'/data/k','value':'w'}",
                "{'op':'test','path':'/data/k'}",
                "{'op':'test','path':'/list/9','value':1}",
                "{'op':'test','path':''}",
                "{'op':'test','path':'k','value':1}",
                "{'op':'bogus','path':'/data'}",
                "{'path':'/data'}",
                "null",
            })
    void anOperationThatDoesNotApplyIsUnprocessable(String operation) {
        ApiException failure = failure("[" + operation + "]", true);
        assertThat(Json.string(failure.status()))
                .isEqualTo("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                        + "\"message\":\"the server rejected our request due to an error in our request\","
                        + "\"reason\":\"Invalid\",\"details\":{},\"code\":422}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            [{'op':'remove','path':5}] | true  | error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string
            [{'op':true}]              | true  | error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.op of type string
            [1]                        | true  | error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp
            [[]]                       | false | json: cannot unmarshal array into Go value of type jsonpatch.Operation
            {}                         | true  | error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp
            {}                         | false | json: cannot unmarshal object into Go value of type jsonpatch.Patch
            """)
    void whatIsNoPatchIsABadRequest(String patch, boolean strict, String message) {
        ApiException failure = failure(patch, strict);
        assertThat(failure.code()).isEqualTo(400);
        assertThat(failure.getMessage()).isEqualTo(message);
    }

    @Test
    void withoutFieldValidationAMemberOfTheWrongTypeFailsLater() {
        assertThat(failure("[{'op':'remove','path':5}]", false).code()).isEqualTo(422);
    }

    @Test
    void unknownMembersAreWarnedOf() {
        JsonNode patch = json("[{'op':'test','path':'/data/k','value':'v','extra':1}]");
        assertThat(JsonPatch.parse(patch, true).warnings()).containsExactly("json patch unknown field \"[0].extra\"");
        assertThat(JsonPatch.parse(patch, false).warnings()).isEmpty();
    }

    @Test
    void noOperationsChangeNothing() {
        assertThat(JsonPatch.parse(json("[]"), true).apply(Json.parse(DOCUMENT)))
                .isEqualTo(Json.parse(DOCUMENT));
        assertThat(JsonPatch.parse(json("null"), true).apply(Json.parse(DOCUMENT)))
                .isEqualTo(Json.parse(DOCUMENT));
    }

    @Test
    void moreThanTenThousandOperationsAreTooMany() {
        ArrayNode patch = Json.array();
        for (int i = 0; i < 10_001; i++) {
            patch.add(json("{'op':'test','path':'/data/k','value':'v'}"));
        }
        ApiException failure = failure(Json.string(patch), true);
        assertThat(failure.code()).isEqualTo(413);
        assertThat(failure.reason()).isEqualTo("RequestEntityTooLarge");
        assertThat(failure.getMessage())
                .isEqualTo("Request entity too large: The allowed maximum operations in a JSON patch is 10000, got"
                        + " 10001");
        patch.remove(0);
        assertThat(JsonPatch.parse(patch, true).apply(Json.parse(DOCUMENT))).isNotNull();
    }

    @Test
    void copiesAreLimitedToThreeMebibytesInAll() {
        JsonNode document = Json.object().put("k", "x".repeat(500_000));
        ArrayNode patch = Json.array();
        for (int i = 0; i < 6; i++) {
            patch.add(json("{'op':'copy','from':'/k','path':'/k" + i + "'}"));
        }
        assertThat(JsonPatch.parse(patch, true).apply(document)).hasSize(7);
        patch.add(json("{'op':'copy','from':'/k','path':'/k6'}"));
        assertThat(catchThrowableOfType(
                                ApiException.class,
                                () -> JsonPatch.parse(patch, true).apply(document))
                        .code())
                .isEqualTo(422);
    }
}
