package lavaflow.kube;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The expectations are what kube-apiserver 1.36.3 made of the same text. */
class YamlTest {
    private static Yaml.Parsed parse(String text) throws DecodingException {
        return Yaml.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String json(String text) throws DecodingException {
        return parse(text).root().toString().replace('"', '\'');
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "yes | true",
                "y | true",
                "Off | false",
                "n | false",
                "True | true",
                "~ | null",
                "Null | null",
                "1 | 1",
                "+1 | 1",
                "-1 | -1",
                "0x1F | 31",
                "010 | 8",
                "0o17 | 15",
                "0b11 | 3",
                "-0b11 | -3",
                "08 | 8",
                "1_000 | 1000",
                "1e3 | 1000",
                "1. | 1",
                "2.0 | 2",
                "1.5 | 1.5",
                ".5 | 0.5",
                "9223372036854775807 | 9223372036854775807",
                "12345678901234567890 | 12345678901234567890",
                "1:30 | '1:30'",
                "2001-01-01 | '2001-01-01'",
                "2001-01-01T00:00:00Z | '2001-01-01T00:00:00Z'",
                "1.2.3 | '1.2.3'",
                "10.0.0.0/8 | '10.0.0.0/8'",
                "0x | '0x'",
                "1e999 | '1e999'",
                "- | [null]",
                "\"1\" | '1'",
                "'yes' | 'yes'",
                "!!str 1 | '1'",
                "!!int \"3\" | 3",
                "!!float 3 | 3",
                "!!binary aGk= | 'hi'",
                "!foo b | 'b'",
                "= | '='",
                "\"\\x41\\u00e9\" | 'Aé'",
            })
    void scalarsMeanWhatUpstreamSays(String text, String expected) throws DecodingException {
        assertThat(json(text)).isEqualTo(expected);
    }

    @Test
    void keysBecomeStringsAndAreSorted() throws DecodingException {
        assertThat(json("b: 1\na: 2\n1: x\ntrue: y\n1.5: z\non: w\n"))
                .isEqualTo("{'1':'x','1.5':'z','a':2,'b':1,'true':'w'}");
        assertThatThrownBy(() -> parse("~: u\n"))
                .hasMessage("unsupported map key of type: %!s(<nil>), key: <nil>, value: \"u\"");
        assertThatThrownBy(() -> parse("? [a]\n: b\n")).hasMessage("yaml: invalid map key: []interface {}{\"a\"}");
        assertThatThrownBy(() -> parse("? {a: b}\n: b\n"))
                .hasMessage("yaml: invalid map key: map[interface {}]interface {}{\"a\":\"b\"}");
    }

    @Test
    void blocksAndFlowsNest() throws DecodingException {
        assertThat(json("a:\n- b: |\n    l1\n    l2\n  c: >-\n    f1\n    f2\n- {d: [1, \"x\",], e: }\n"))
                .isEqualTo("{'a':[{'b':'l1\\nl2\\n','c':'f1 f2'},{'d':[1,'x'],'e':null}]}");
        assertThat(json("{\"kind\":\"Pod\",\"spec\":{}}")).isEqualTo("{'kind':'Pod','spec':{}}");
        assertThat(json("{a}")).isEqualTo("{'a':null}");
    }

    @Test
    void onlyTheFirstDocumentIsRead() throws DecodingException {
        assertThat(json("a: 1\n---\nb: 2\n")).isEqualTo("{'a':1}");
        assertThat(json("a: 1\n...\nfoo")).isEqualTo("{'a':1}");
        assertThat(json("")).isEqualTo("null");
        assertThat(json("  \n# c\n")).isEqualTo("null");
        assertThat(json("---\n")).isEqualTo("null");
        assertThat(json("\uFEFFa: 1\n")).isEqualTo("{'a':1}");
    }

    @Test
    void repeatedKeysAreReportedWithTheLineOfTheValue() throws DecodingException {
        Yaml.Parsed parsed = parse("a: x\na: z\nb: {c: 1, c: 2}\n1: x\n1: y\n");
        assertThat(parsed.repeatedKeys())
                .containsExactly(
                        "line 2: key \"a\" already set in map",
                        "line 3: key \"c\" already set in map",
                        "line 5: key 1 already set in map");
        assertThat(parsed.root().get("a").textValue()).isEqualTo("z");
        assertThat(parse("1: x\n\"1\": z\n").repeatedKeys()).isEmpty();
    }

    @Test
    void aliasesAndMergeKeysAreExpanded() throws DecodingException {
        assertThat(json("v: &a {k: v}\nw: *a\nz:\n  <<: *a\n  q: w\n"))
                .isEqualTo("{'v':{'k':'v'},'w':{'k':'v'},'z':{'k':'v','q':'w'}}");
        assertThat(json("a: &a {k: 1}\nb: &b {k: 2, l: 3}\nz:\n  <<: [*a, *b]\n"))
                .contains("'z':{'k':1,'l':3}");
        assertThatThrownBy(() -> parse("<<: 3\na: b\n"))
                .hasMessage("yaml: map merge requires map or sequence of maps as the value");
        assertThatThrownBy(() -> parse("c: *y\n")).hasMessage("yaml: unknown anchor 'y' referenced");
        assertThatThrownBy(() -> parse("data: &a\n  x: *a\n")).hasMessage("yaml: anchor 'a' value contains itself");
    }

    @Test
    void aliasesMayNotMultiplyWithoutEnd() {
        StringBuilder bomb = new StringBuilder("a: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
        for (char c = 'b'; c < 'n'; c++) {
            char previous = (char) (c - 1);
            bomb.append(c).append(": &").append(c).append(" [");
            bomb.append(("*" + previous + ",").repeat(9)).append("]\n");
        }
        assertThatThrownBy(() -> parse(bomb.toString())).hasMessage("yaml: document contains excessive aliasing");
    }

    @Test
    void depthIsLimited() {
        assertThatThrownBy(() -> parse("[".repeat(100_000))).hasMessageContaining("exceeded max depth");
        assertThatThrownBy(() -> parse("- ".repeat(100_000))).hasMessageContaining("exceeded max depth");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a: b: c | yaml: mapping values are not allowed in this context",
                "a:\\n  b\\n c: d\\n | yaml: line 3: mapping values are not allowed in this context",
                "\\ta: b | yaml: found character that cannot start any token",
                "a:\\n\\tb: c | yaml: line 2: found character that cannot start any token",
                "a: @x | yaml: found character that cannot start any token",
                "a: [1, 2\\n | yaml: line 1: did not find expected ',' or ']'",
                "a: {b: c\\n | yaml: line 1: did not find expected ',' or '}'",
                "\"abc | yaml: found unexpected end of stream",
                "a: 'b\\n | yaml: line 2: found unexpected end of stream",
                "key: \"a\\\\qb\" | yaml: found unknown escape character",
                "a: \"b\" c | yaml: did not find expected key",
                "a: \\vx | yaml: did not find expected comment or line break",
                "kind: [\\n | yaml: line 1: did not find expected node content",
                "a: x\\u0001 | yaml: control characters are not allowed",
                "a: .inf | json: unsupported value: +Inf",
                "a: .nan | json: unsupported value: NaN",
                "!!int x | yaml: cannot decode !!str `x` as a !!int",
                "!!binary \"*\" | yaml: !!binary value contains invalid base64 data",
            })
    void complaintsHaveUpstreamsWords(String text, String message) {
        String unescaped = text.replace("\\\\", "\0")
                .replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace("\\v", "|")
                .replace("\\u0001", "\u0001")
                .replace("\0", "\\");
        assertThatThrownBy(() -> parse(unescaped))
                .isInstanceOf(DecodingException.class)
                .hasMessage(message);
    }

    @Test
    void escapesThatMakeNoCharacterAreRefused() {
        assertThatThrownBy(() -> parse("a: \"\\ud83d\""))
                .hasMessage("yaml: found invalid Unicode character escape code");
        assertThatThrownBy(() -> parse("a: \"\\u")).hasMessage("yaml: did not find expected hexdecimal number");
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        assertThatThrownBy(() -> Yaml.parse(new byte[] {'a', ':', ' ', (byte) 0xff}))
                .hasMessage("yaml: invalid leading UTF-8 octet");
    }
}
