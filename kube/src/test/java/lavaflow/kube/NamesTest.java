package lavaflow.kube;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class NamesTest {
    private static final String SUBDOMAIN =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    private static final String LABEL =
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
                    + " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    private static final String KEY =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                    + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

    @ParameterizedTest
    @ValueSource(strings = {"a", "0", "a.b", "a-b", "a--b", "0.0", "a-1.b-2.c"})
    void subdomainsMayBe(String name) {
        assertThat(Names.dns1123Subdomain(name)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "-a", "a-", "a.", ".a", "a..b", "a.-b", "a-.b", "a_b", "a b", "é", "a\n"})
    void subdomainsMayNotBe(String name) {
        assertThat(Names.dns1123Subdomain(name)).containsExactly(SUBDOMAIN);
    }

    @Test
    void lengthIsCountedInBytes() {
        assertThat(Names.dns1123Subdomain("a".repeat(253))).isEmpty();
        assertThat(Names.dns1123Subdomain("a".repeat(254))).containsExactly("must be no more than 253 characters");
        assertThat(Names.dns1123Label("é".repeat(32))).containsExactly("must be no more than 63 characters", LABEL);
        assertThat(Names.utf8Length("aé€😀")).isEqualTo(10);
    }

    @Test
    void labelsMayNotContainDots() {
        assertThat(Names.dns1123Label("a-b")).isEmpty();
        assertThat(Names.dns1123Label("a.b")).containsExactly("must not contain dots");
        assertThat(Names.dns1123Label("a..b")).containsExactly(LABEL);
        assertThat(Names.dns1123Label("a".repeat(64))).containsExactly("must be no more than 63 characters");
    }

    @Test
    void serviceNamesStartWithALetter() {
        assertThat(Names.dns1035Label("a1")).isEmpty();
        assertThat(Names.dns1035Label("1a"))
                .containsExactly(
                        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an"
                                + " alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or"
                                + " 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
        assertThat(Names.dns1035Label("")).hasSize(1);
    }

    @Test
    void prefixesMayEndInADash() {
        assertThat(Names.SUBDOMAIN.check("web-", true)).isEmpty();
        assertThat(Names.SUBDOMAIN.check("web-", false)).hasSize(1);
        assertThat(Names.SUBDOMAIN.check("-", true)).hasSize(1);
        assertThat(Names.SUBDOMAIN.check("a_-", true))
                .as("upstream overlooks one character")
                .isEmpty();
        assertThat(Names.LABEL.check("web-", true)).isEmpty();
        assertThat(Names.DNS1035.check("1web-", true)).hasSize(1);
    }

    @Test
    void wildcardsStartWithAStarAndADot() {
        assertThat(Names.wildcardSubdomain("*.example.com")).isEmpty();
        for (String wrong : List.of("*", "*.", "a.*.b", "example.com", "*.*.b")) {
            assertThat(Names.wildcardSubdomain(wrong)).hasSize(1);
        }
    }

    @Test
    void otherDialectsOfSubdomains() {
        assertThat(Names.dns1123SubdomainCaseless("Example.Com")).isEmpty();
        assertThat(Names.dns1123SubdomainCaseless("\u212a.com"))
                .as("Kelvin sign lowers to k")
                .hasSize(1);
        assertThat(Names.dns1123SubdomainWithUnderscore("_sip._tcp.a_b.com")).isEmpty();
        for (String wrong : List.of("", "_", "__a", "a_", "a..b", "A")) {
            assertThat(Names.dns1123SubdomainWithUnderscore(wrong)).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "A_b.c-d", "example.com/A", "1234/5678", "requests.storage-foo"})
    void keysMayBe(String key) {
        assertThat(Names.qualifiedName(key)).isEmpty();
    }

    @Test
    void keysMayNotBe() {
        assertThat(Names.qualifiedName("a/b/c"))
                .containsExactly("a valid label key " + KEY
                        + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        assertThat(Names.qualifiedName("")).containsExactly("name part must be non-empty", "name part " + KEY);
        assertThat(Names.qualifiedName("/a")).containsExactly("prefix part must be non-empty");
        assertThat(Names.qualifiedName("Example.com/a")).containsExactly("prefix part " + SUBDOMAIN);
        assertThat(Names.qualifiedName("a".repeat(254) + "/a"))
                .containsExactly("prefix part must be no more than 253 bytes");
        assertThat(Names.qualifiedName("a".repeat(64))).containsExactly("name part must be no more than 63 bytes");
        assertThat(Names.qualifiedName("a-")).containsExactly("name part " + KEY);
    }

    @Test
    void labelValuesMayBeEmpty() {
        assertThat(Names.labelValue("")).isEmpty();
        assertThat(Names.labelValue("A.b_c-1")).isEmpty();
        assertThat(Names.labelValue("a".repeat(64))).containsExactly("must be no more than 63 bytes");
        assertThat(Names.labelValue("-a"))
                .containsExactly(
                        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.',"
                                + " and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
                                + " 'my_value',  or '12345', regex used for validation is"
                                + " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    }

    @Test
    void pathSegmentsFitIntoUrls() {
        assertThat(Names.pathSegmentName("system:x@Y é")).isEmpty();
        assertThat(Names.pathSegmentName("..")).containsExactly("may not be '..'");
        assertThat(Names.pathSegmentName("a/b%")).containsExactly("may not contain '/'", "may not contain '%'");
        assertThat(Names.PATH_SEGMENT.check("..", true)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http |",
                "a-1 |",
                "'' | must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-); must contain at least one letter (a-z)",
                "80 | must contain at least one letter (a-z)",
                "Http | must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                "a--b | must not contain consecutive hyphens",
                "-a | must not begin or end with a hyphen",
                "abcdefghijklmnop | must be no more than 15 characters",
            })
    void portNames(String name, String wrong) {
        assertThat(String.join("; ", Identifiers.portName(name))).isEqualTo(wrong == null ? "" : wrong);
    }

    @Test
    void variablesAndKeys() {
        assertThat(Identifiers.envVarName("my.env-NAME_1")).isEmpty();
        assertThat(Identifiers.envVarName("1a"))
                .containsExactly(
                        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or"
                                + " '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or"
                                + " 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')");
        assertThat(Identifiers.envVarName("..a")).containsExactly("must not start with '..'");
        assertThat(Identifiers.relaxedEnvVarName("1 a:b")).isEmpty();
        assertThat(Identifiers.relaxedEnvVarName("a=b")).hasSize(1);
        assertThat(Identifiers.relaxedEnvVarName("")).containsExactly("environment variable name must be non-empty");
        assertThat(Identifiers.configMapKey("a.B_c-1")).isEmpty();
        assertThat(Identifiers.configMapKey("..")).containsExactly("must not be '..'");
        assertThat(Identifiers.configMapKey("a/b"))
                .containsExactly(
                        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
                                + " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
        assertThat(Identifiers.configMapKey("")).hasSize(1);
    }

    @Test
    void numbersAndOtherNames() {
        assertThat(Identifiers.portNumber(0)).containsExactly("must be between 1 and 65535, inclusive");
        assertThat(Identifiers.userId(-1)).containsExactly("must be between 0 and 2147483647, inclusive");
        assertThat(Identifiers.httpHeaderName("X-A1")).isEmpty();
        assertThat(Identifiers.httpHeaderName("X A")).hasSize(1);
        assertThat(Identifiers.percent("10%")).isEmpty();
        for (String wrong : List.of("", "%", "10", "1.5%", "10%%")) {
            assertThat(Identifiers.percent(wrong)).hasSize(1);
        }
        assertThat(Identifiers.cIdentifier("_a1")).isEmpty();
        assertThat(Identifiers.cIdentifier("1a")).hasSize(1);
        assertThat(Identifiers.conditionReason("A,b:c_")).isEmpty();
        assertThat(Identifiers.conditionReason("A:")).hasSize(1);
    }

    @Test
    void domainPrefixes() {
        FieldErrors errors = new FieldErrors();
        FieldPath path = FieldPath.of("spec", "controller");
        Identifiers.domainPrefixedPath(path, "acme.io/foo", errors);
        Identifiers.fullyQualifiedName(path, "a.b.c", errors);
        assertThat(errors.list()).isEmpty();
        Identifiers.domainPrefixedPath(path, "foo", errors);
        Identifiers.domainPrefixedPath(path, "acme.io/a b", errors);
        Identifiers.fullyQualifiedName(path, "a.b", errors);
        assertThat(errors.list())
                .extracting(FieldError::message)
                .containsExactly(
                        "spec.controller: Invalid value: \"foo\": must be a domain-prefixed path (such as \"acme.io/foo\")",
                        "spec.controller: Invalid value: \"a b\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
                        "spec.controller: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots");
    }

    @Test
    void textIsQuotedAsGoQuotesIt() {
        assertThat(GoQuote.quote("a\"\\\n\t\0\u007f\u200bé€😀 "))
                .isEqualTo("\"a\\\"\\\\\\n\\t\\x00\\x7f\\u200bé€😀 \"");
    }
}
