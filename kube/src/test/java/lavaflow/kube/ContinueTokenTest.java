package lavaflow.kube;

import java.util.Base64;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ContinueTokenTest {
    @Test
    void looksAsUpstreams() {
        String token = ContinueToken.after("default/web", 42).encode();
        assertThat(new String(Base64.getUrlDecoder().decode(token), UTF_8))
                .isEqualTo("{\"v\":\"meta.k8s.io/v1\",\"rv\":42,\"start\":\"default/web\\u0000\"}");
        assertThat(ContinueToken.decode(token)).isEqualTo(new ContinueToken(42, "default/web\0"));
    }

    @Test
    void goesOnAtTheNewestRevisionWhereTheOldOneIsGone() {
        assertThat(ContinueToken.decode(new ContinueToken(-1, "a\0").encode()).revision())
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | unexpected end of JSON input",
                "{} | server does not recognize this encoded version ",
                "null | server does not recognize this encoded version ",
                "{`v`:`meta.k8s.io/v2`} | server does not recognize this encoded version meta.k8s.io/v2",
                "{`v`:`meta.k8s.io/v1`} | incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
                "{`v`:`meta.k8s.io/v1`,`rv`:1} | encoded start key empty (version meta.k8s.io/v1)",
                "{`v`:`meta.k8s.io/v1`,`rv`:1,`start`:`../x`} | ../x",
                "{`v`:1} | json: cannot unmarshal number into Go struct field continueToken.v of type string",
                "{`rv`:`1`} | json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
                "[] | json: cannot unmarshal array into Go value of type storage.continueToken",
                "foo | invalid character 'o' in literal false (expecting 'a')",
            })
    void badTokensAreRefusedInUpstreamsWords(String json, String why) {
        String text = json.replace('`', '"').replace("\"\"", "");
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
        assertThatThrownBy(() -> ContinueToken.decode(token))
                .isInstanceOf(MalformedException.class)
                .hasMessage("continue key is not valid: " + (why.endsWith("version") ? why + " " : why));
    }

    @Test
    void whatIsNoBase64IsRefusedByPosition() {
        assertThatThrownBy(() -> ContinueToken.decode("abc*"))
                .hasMessage("continue key is not valid: illegal base64 data at input byte 3");
        assertThatThrownBy(() -> ContinueToken.decode("abcda"))
                .hasMessage("continue key is not valid: illegal base64 data at input byte 4");
        assertThatThrownBy(() -> ContinueToken.decode("ab=="))
                .hasMessage("continue key is not valid: illegal base64 data at input byte 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{ | unexpected end of JSON input",
                "[1,2 | unexpected end of JSON input",
                "\"a | unexpected end of JSON input",
                "tru | invalid character ' ' in literal true (expecting 'e')",
                "x | invalid character 'x' looking for beginning of value",
                "{x} | invalid character 'x' looking for beginning of object key string",
                "{\"a\" 1} | invalid character '1' after object key",
                "{\"a\":1 2} | invalid character '2' after object key:value pair",
                "{\"a\":1,} | invalid character '}' looking for beginning of object key string",
                "[1 2] | invalid character '2' after array element",
                "[1,] | invalid character ']' looking for beginning of value",
                "1 2 | invalid character '2' after top-level value",
                "01 | invalid character '1' after top-level value",
                "1.x | invalid character 'x' after decimal point in numeric literal",
                "1ex | invalid character 'x' in exponent of numeric literal",
                "-x | invalid character 'x' in numeric literal",
                "\"\\q\" | invalid character 'q' in string escape code",
                "\"\\u12x4\" | invalid character 'x' in \\u hexadecimal character escape",
                "'a' | invalid character '\\'' looking for beginning of value",
                "é | invalid character 'Ã' looking for beginning of value",
            })
    void brokenJsonIsDescribedAsGoDescribesIt(String json, String complaint) {
        assertThat(GoJsonSyntax.complaint(json.getBytes(UTF_8))).isEqualTo(complaint);
    }

    @Test
    void soundJsonIsNotComplainedOf() {
        assertThat(GoJsonSyntax.complaint(" {\"a\":[1,-2.5e+3,true,null,\"\\u00e9\"],\"b\":{}} ".getBytes(UTF_8)))
                .isNull();
        assertThat(GoJsonSyntax.complaint("[".repeat(10_001).getBytes(UTF_8))).isEqualTo("exceeded max depth");
        assertThat(GoJsonSyntax.complaint("[\"\u0001\"]".getBytes(UTF_8)))
                .isEqualTo("invalid character '\\x01' in string literal");
    }
}
