package lavaflow.kube;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.StrictJson.Repeated;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StrictJsonTest {
    private static StrictJson.Document parse(String text) throws DecodingException {
        return StrictJson.parse(text.getBytes(StandardCharsets.UTF_8), Repeated.JOIN);
    }

    /** What kube-apiserver 1.36.3 says of each. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | unexpected end of JSON input",
                "{ | unexpected end of JSON input",
                "{\"a\" | unexpected end of JSON input",
                "{\"a\": | unexpected end of JSON input",
                "{\"a\":1 | unexpected end of JSON input",
                "{\"a | unexpected end of JSON input",
                "[1 | unexpected end of JSON input",
                "{\"a\":1,} | invalid character '}' looking for beginning of object key string",
                "{'a':1} | invalid character '\\'' looking for beginning of object key string",
                "{\"a\" 1} | invalid character '1' after object key",
                "{\"a\":1 \"b\":2} | invalid character '\"' after object key:value pair",
                "{\"a\":01} | invalid character '1' after object key:value pair",
                "[1 2] | invalid character '2' after array element",
                "[,] | invalid character ',' looking for beginning of value",
                "{} x | invalid character 'x' after top-level value",
                "{}{} | invalid character '{' after top-level value",
                "tru | invalid character ' ' in literal true (expecting 'e')",
                "[nul] | invalid character ']' in literal null (expecting 'l')",
                "[1.] | invalid character ']' after decimal point in numeric literal",
                "[1e] | invalid character ']' in exponent of numeric literal",
                "[-] | invalid character ']' in numeric literal",
                "- | invalid character ' ' in numeric literal",
                "\"\\q\" | invalid character 'q' in string escape code",
                "\"\\u12\" | invalid character '\"' in \\u hexadecimal character escape",
                "\uFEFF{} | invalid character 'ï' looking for beginning of value",
                "[1e999] | json: cannot unmarshal number 1e999 into Go value of type float64",
            })
    void complaintsHaveUpstreamsWords(String text, String message) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(DecodingException.class)
                .hasMessage(message);
    }

    @Test
    void controlCharactersInStringsAreRefused() {
        assertThatThrownBy(() -> parse("\"a\u0001\"")).hasMessage("invalid character '\\x01' in string literal");
        assertThatThrownBy(() -> parse("\"a\nb\"")).hasMessage("invalid character '\\n' in string literal");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "\"\"",
                " \t\r\n{\"a\" : [ 1 , -2.5 , 1e3 , true , false , null , \"x\\n\\u0041\\/\" ] } \n",
                "{\"name\":\"grüße 😀\",\"\":{}}",
                "[9223372036854775807,-9223372036854775808,9223372036854775808,0,-0,1234567890123456789]",
            })
    void validDocumentsAreReadAsJacksonReadsThem(String text) throws DecodingException {
        assertThat(parse(text).root()).isEqualTo(Json.parse(text));
        assertThat(parse(text).duplicatePaths()).isEmpty();
    }

    @Test
    void halvesOfSurrogatePairsAndBadBytesAreReplaced() throws DecodingException {
        assertThat(parse("\"\\ud83d\\ude00\"").root().textValue()).isEqualTo("😀");
        assertThat(parse("\"\\ud83dx\"").root().textValue()).isEqualTo("\uFFFDx");
        assertThat(parse("\"\\ude00\\ud83d\\u0041\"").root().textValue()).isEqualTo("\uFFFD\uFFFDA");
        byte[] bad = {'"', (byte) 0xff, 'a', (byte) 0xc3, (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'};
        assertThat(StrictJson.parse(bad, Repeated.JOIN).root().textValue())
                .isEqualTo("\uFFFDa\uFFFD\uFFFD\uFFFD\uFFFD");
    }

    @Test
    void repeatedKeysAreRememberedWithTheirPaths() throws DecodingException {
        StrictJson.Document document =
                parse("{\"a\":{\"x\":1,\"x\":2},\"b\":[{},{\"y\":1,\"y\":1}],\"a.b\":1,\"a.b\":2}");
        assertThat(document.duplicatePaths()).containsExactly("a.x", "b[1].y", "a.b");
        assertThat(document.root().at("/a/x").longValue()).isEqualTo(2);
    }

    @Test
    void repeatedObjectsAreJoinedOrReplacedAsAsked() throws DecodingException {
        byte[] body =
                "{\"m\":{\"a\":1,\"c\":{\"x\":1}},\"m\":{\"b\":2,\"c\":{\"y\":2}}}".getBytes(StandardCharsets.UTF_8);
        JsonNode joined = StrictJson.parse(body, Repeated.JOIN).root();
        assertThat(joined.toString()).isEqualTo("{\"m\":{\"a\":1,\"c\":{\"x\":1,\"y\":2},\"b\":2}}");
        JsonNode replaced = StrictJson.parse(body, Repeated.REPLACE).root();
        assertThat(replaced.toString()).isEqualTo("{\"m\":{\"b\":2,\"c\":{\"y\":2}}}");
    }

    @Test
    void depthIsLimited() throws DecodingException {
        String deepest = "[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH);
        assertThat(parse(deepest).root().isArray()).isTrue();
        assertThatThrownBy(() -> parse("[" + deepest + "]")).hasMessage("exceeded max depth");
        assertThatThrownBy(() -> parse("{\"a\":".repeat(1_000_000))).hasMessage("exceeded max depth");
    }

    @Test
    void hugeNumbersStayCheap() throws DecodingException {
        assertThat(parse("1" + "0".repeat(200)).root().isDouble()).isTrue();
        assertThatThrownBy(() -> parse("1".repeat(1_000_000))).hasMessageContaining("into Go value of type float64");
    }

    @Test
    void namesOfFieldsAreSharedBetweenDocuments() throws DecodingException {
        String first = parse("{\"terminationGracePeriodSeconds\":1}")
                .root()
                .fieldNames()
                .next();
        String second = parse("{\"terminationGracePeriodSeconds\":2}")
                .root()
                .fieldNames()
                .next();
        assertThat(first).isSameAs(second);
    }
}
