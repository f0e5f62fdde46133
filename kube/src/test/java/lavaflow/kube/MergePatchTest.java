package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class MergePatchTest {
    private static JsonNode json(String text) {
        return Json.parse(text.replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'a':'b'}             | {'a':'c'}                  | {'a':'c'}
            {'a':'b'}             | {'b':'c'}                  | {'a':'b','b':'c'}
            {'a':'b'}             | {'a':null}                 | {}
            {'a':'b','b':'c'}     | {'a':null}                 | {'b':'c'}
            {'a':['b']}           | {'a':'c'}                  | {'a':'c'}
            {'a':'c'}             | {'a':['b']}                | {'a':['b']}
            {'a':{'b':'c'}}       | {'a':{'b':'d','c':null}}   | {'a':{'b':'d'}}
            {'a':[{'b':'c'}]}     | {'a':[1]}                  | {'a':[1]}
            {'e':null}            | {'a':1}                    | {'e':null,'a':1}
            {}                    | {'a':{'bb':{'ccc':null}}}  | {'a':{'bb':{}}}
            {}                    | {'a':[null,{'b':null}]}    | {'a':[null,{}]}
            {'a':{}}              | {'a':[null,{'b':null}]}    | {'a':[null,{'b':null}]}
            """)
    void mergesObjects(String document, String patch, String result) {
        ObjectNode original = (ObjectNode) json(document);
        assertThat(MergePatch.apply(original, json(patch), true)).isEqualTo(json(result));
        assertThat(original).isEqualTo(json(document));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            null | true  | Invalid JSON Patch
            null | false | Invalid JSON Patch
            5    | false | Invalid JSON Patch
            5    | true  | error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}
            'x'  | true  | error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}
            []   | true  | error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}
            """)
    void whatIsNoObjectIsABadRequest(String patch, boolean strict, String message) {
        ApiException failure =
                catchThrowableOfType(ApiException.class, () -> MergePatch.apply(Json.object(), json(patch), strict));
        assertThat(failure.code()).isEqualTo(400);
        assertThat(failure.getMessage()).isEqualTo(message);
    }

    @Test
    void withoutFieldValidationAListReplacesTheObject() {
        assertThat(MergePatch.apply(Json.object(), json("[1,{'a':null}]"), false))
                .isEqualTo(json("[1,{}]"));
    }
}
