package lavaflow.kube;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StoredJsonTest {
    private static JsonNode parse(String text) {
        return Json.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "true",
                "\"\"",
                "{\"a\":{},\"b\":[],\"c\":[{}],\"d\":null,\"e\":false}",
                "[0,-1,9223372036854775807,-9223372036854775808,18446744073709551616,1.5,1E10]",
                "{\"f:podIPs\":{\"k:{\\\"ip\\\":\\\"10.0.0.1\\\"}\":{\".\":{}}}}",
                "\"\\u0001 \\\\ \\\" / \\n \\t é 漢 😀\"",
                "{\"b\":1,\"a\":{\"z\":[1,[2,[3]]],\"y\":\"x\"}}"
            })
    void readsWhatWasWrittenWithItsOrder(String text) {
        JsonNode parsed = parse(text);

        assertThat(parsed).isEqualTo(Json.parse(text));
        assertThat(Json.parse(Json.bytes(parsed))).isEqualTo(parsed);
        assertThat(Json.string(parsed)).isEqualTo(Json.string(Json.parse(text)));
    }

    @Test
    void takesSpaceWhereverItMayStand() {
        assertThat(Json.string(parse(" { \"a\" : [ 1 , 2 ] ,\n\t\"b\" : { } } ")))
                .isEqualTo("{\"a\":[1,2],\"b\":{}}");
    }

    @Test
    void refusesWhatNobodyWroteHere() {
        for (String text :
                new String[] {"", "{", "{\"a\":1", "[1 2]", "{\"a\" 1}", "{a:1}", "{} {}", "nul", "[".repeat(501)}) {
            assertThatThrownBy(() -> parse(text)).as(text).isInstanceOf(UncheckedIOException.class);
        }
    }
}
