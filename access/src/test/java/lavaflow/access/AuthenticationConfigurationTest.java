package lavaflow.access;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The complaints are those of kube-apiserver 1.36.3. */
class AuthenticationConfigurationTest {
    private static final String HEAD = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
    private static final String ISSUER = "issuer: {url: 'https://issuer.example.com', audiences: [lava]}";

    private static void refused(String rest, String... complaints) {
        assertThatThrownBy(() -> AuthenticationConfiguration.parse(HEAD + rest))
                .hasMessage(String.join(", ", complaints));
    }

    private static void jwtRefused(String rest, String... complaints) {
        refused("jwt: [{" + ISSUER + ", " + rest + "}]", complaints);
    }

    @Test
    void aConfigurationNamesIssuers() {
        List<IssuerTokens.Issuer> issuers = AuthenticationConfiguration.parse(HEAD + "jwt: [{" + ISSUER
                        + ", claimMappings: {username: {claim: email, prefix: 'oidc:'}, groups: {claim: groups, prefix: ''}},"
                        + " claimValidationRules: [{claim: hd, requiredValue: example.com}]}]")
                .issuers();
        assertThat(issuers).hasSize(1);
        assertThat(issuers.getFirst().claims().username()).isEqualTo(new ClaimRules.Claim("email", "oidc:"));
        assertThat(issuers.getFirst().claims().required()).containsEntry("hd", "example.com");
    }

    @Test
    void anIssuerNeedsAnAddressAndAnAudience() {
        String username = "claimMappings: {username: {claim: a, prefix: ''}}";
        refused(
                "jwt: [{issuer: {url: 'http://x', audiences: [a, b, a, '']}, " + username + "}]",
                "jwt[0].issuer.url: Invalid value: \"http://x\": URL scheme must be https",
                "jwt[0].issuer.audiences[2]: Duplicate value: \"a\"",
                "jwt[0].issuer.audiences[3]: Required value",
                "jwt[0].issuer.audienceMatchPolicy: Invalid value: \"\": audienceMatchPolicy must be MatchAny for multiple"
                        + " audiences");
        refused(
                "jwt: [{issuer: {url: 'https://x?a=b'}, " + username + "}]",
                "jwt[0].issuer.url: Invalid value: \"https://x?a=b\": URL must not contain a query",
                "jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required");
        refused(
                "jwt: [{issuer: {url: '" + AccountTokens.ISSUER + "', audiences: [a]}, " + username + "}]",
                "jwt[0].issuer.url: Invalid value: \"" + AccountTokens.ISSUER
                        + "\": URL must not overlap with disallowed issuers: [" + AccountTokens.ISSUER + "]");
        refused(
                "jwt: [{" + ISSUER + ", " + username + "}, {" + ISSUER + ", " + username + "}]",
                "jwt[1].issuer.url: Duplicate value: \"https://issuer.example.com\"");
    }

    @Test
    void rulesAreEitherClaimsOrExpressions() {
        jwtRefused(
                "claimMappings: {username: {claim: a, prefix: ''}}, claimValidationRules: [{expression: '1'}, {expression:"
                        + " claims.x}, {claim: a, expression: 'true'}, {}, {claim: a, message: m}, {expression: 'true',"
                        + " requiredValue: x}, {expression: 'true'}, {claim: a}], userValidationRules: [{expression: '1'}, {},"
                        + " {expression: 'true'}, {expression: 'true'}]",
                "jwt[0].claimValidationRules[0].expression: Invalid value: \"1\": must evaluate to bool",
                "jwt[0].claimValidationRules[1].expression: Invalid value: \"claims.x\": must evaluate to bool",
                "jwt[0].claimValidationRules[2]: Invalid value: \"a\": claim and expression can't both be set",
                "jwt[0].claimValidationRules[3]: Required value: claim or expression is required",
                "jwt[0].claimValidationRules[4].message: Invalid value: \"m\": may not be specified when claim is set",
                "jwt[0].claimValidationRules[5].requiredValue: Invalid value: \"x\": may not be specified when expression is"
                        + " set",
                "jwt[0].claimValidationRules[6].expression: Duplicate value: \"true\"",
                "jwt[0].claimValidationRules[7].claim: Duplicate value: \"a\"",
                "jwt[0].userValidationRules[0].expression: Invalid value: \"1\": must evaluate to bool",
                "jwt[0].userValidationRules[1].expression: Required value",
                "jwt[0].userValidationRules[3].expression: Duplicate value: \"true\"");
    }

    @Test
    void mappingsAreEitherClaimsOrExpressions() {
        jwtRefused(
                "claimMappings: {username: {}, groups: {claim: a}, uid: {}}",
                "jwt[0].claimMappings.username: Required value: claim or expression is required",
                "jwt[0].claimMappings.groups.prefix: Required value: prefix is required when claim is set. It can be set to an"
                        + " empty string to disable prefixing");
        jwtRefused(
                "claimMappings: {username: {expression: nope.x}}",
                "jwt[0].claimMappings.username.expression: Invalid value: \"nope.x\": compilation failed: ERROR: <input>:1:1:"
                        + " undeclared reference to 'nope' (in container '')\n | nope.x\n | ^");
    }

    @Test
    void keysOfExtraBelongToADomain() {
        jwtRefused(
                "claimMappings: {username: {claim: a, prefix: ''}, extra: [{key: example.com, valueExpression: claims.x},"
                        + " {key: foo.kubernetes.io/a, valueExpression: claims.x}, {key: '', valueExpression: ''},"
                        + " {key: a.b/c, valueExpression: claims.x}, {key: a.b/c, valueExpression: claims.x}]}",
                "jwt[0].claimMappings.extra[0].key: Invalid value: \"example.com\": must be a domain-prefixed path (such as"
                        + " \"acme.io/foo\")",
                "jwt[0].claimMappings.extra[1].key: Invalid value: \"foo.kubernetes.io/a\": k8s.io, kubernetes.io and their"
                        + " subdomains are reserved for Kubernetes use",
                "jwt[0].claimMappings.extra[2].key: Required value",
                "jwt[0].claimMappings.extra[2].valueExpression: Required value",
                "jwt[0].claimMappings.extra[4].key: Duplicate value: \"a.b/c\"");
    }

    @Test
    void whoeverIsNamedByMailMustHaveVerifiedIt() {
        assertThatThrownBy(() -> AuthenticationConfiguration.parse(
                        HEAD + "jwt: [{" + ISSUER + ", claimMappings: {username: {expression: claims.email}}}]"))
                .hasMessageContaining("claims.email_verified must be used in");
        assertThat(AuthenticationConfiguration.parse(HEAD + "jwt: [{" + ISSUER
                                + ", claimMappings: {username: {expression: claims.email}}, claimValidationRules: [{expression:"
                                + " claims.email_verified == true}]}]")
                        .issuers())
                .hasSize(1);
    }

    @Test
    void anonymousRequestsMayBeLimitedToPaths() {
        AnonymousRequests some = AuthenticationConfiguration.parse(
                        HEAD + "anonymous: {enabled: true, conditions: [{path: /livez}]}")
                .anonymous();
        assertThat(some.allow("/livez")).isTrue();
        assertThat(some.allow("/livez/")).isFalse();
        assertThat(AuthenticationConfiguration.parse(HEAD + "anonymous: {enabled: false}")
                        .anonymous()
                        .allow("/livez"))
                .isFalse();
        assertThat(AuthenticationConfiguration.parse(HEAD + "anonymous: {enabled: true}")
                        .anonymous()
                        .allow("/api/v1/pods"))
                .isTrue();
        refused(
                "anonymous: {enabled: false, conditions: [{path: /a}]}",
                "anonymous.conditions: Invalid value: [{\"path\":\"/a\"}]: enabled should be set to true when conditions are"
                        + " defined");
    }

    @Test
    void whatIsNotUnderstoodIsRefused() {
        refused("foo: bar", "strict decoding error: unknown field \"foo\"");
        jwtRefused(
                "claimMappings: {username: {claim: a, prefix: '', suffix: b}}",
                "strict decoding error: unknown field \"jwt[0].claimMappings.username.suffix\"");
    }

    @Test
    void aFileIsReadAgainWhenItChangesAndAWrongOneChangesNothing(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("users.yaml");
        String token = "e30."
                + java.util.Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(
                                "{\"iss\":\"https://localhost:1\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                + ".AAAA";
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        Files.writeString(file, HEAD);
        IssuerFile issuers = new IssuerFile(file, now::get);
        assertThat(issuers.authenticate(token, List.of("api"))).isInstanceOf(TokenAuthenticator.NotMine.class);

        Files.writeString(
                file,
                HEAD
                        + "jwt: [{issuer: {url: 'https://localhost:1', audiences: [a]}, claimMappings: {username: {claim: sub,"
                        + " prefix: ''}}}]");
        assertThat(issuers.authenticate(token, List.of("api"))).isInstanceOf(TokenAuthenticator.NotMine.class);
        now.set(Instant.EPOCH.plus(Duration.ofSeconds(11)));
        assertThat(issuers.authenticate(token, List.of("api"))).isInstanceOf(TokenAuthenticator.Bad.class);

        Files.writeString(file, "nonsense");
        now.set(Instant.EPOCH.plus(Duration.ofSeconds(22)));
        assertThat(issuers.authenticate(token, List.of("api"))).isInstanceOf(TokenAuthenticator.Bad.class);
    }
}
