package lavaflow.remote;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KubeconfigTest {
    @TempDir
    private Path directory;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    /** A kubeconfig whose cluster and user have these fields, in YAML's short form. */
    private Path kubeconfig(String cluster, String user) throws IOException {
        return file("config", """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u, namespace: team}}]
                clusters: [{name: k, cluster: {%s}}]
                users: [{name: u, user: {%s}}]
                """.formatted(cluster, user));
    }

    private static Settings settings(Path file) {
        return Settings.of(file, "test/0");
    }

    private Surroundings surroundings(Map<String, String> environment) {
        return new Surroundings(environment, directory.resolve("home"), directory.resolve("account"));
    }

    private ServerAccess access(String cluster, String user) throws IOException {
        return surroundings(Map.of()).access(settings(kubeconfig(cluster, user)));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aServerAndACertificateAreRead() throws IOException {
        ServerAccess access = access(
                "server: 'https://h:6443/', certificate-authority-data: " + base64("CA"),
                "client-certificate-data: " + base64("CERT") + ", client-key-data: " + base64("KEY"));

        assertThat(access.server()).isEqualTo("https://h:6443");
        assertThat(access.authority()).isEqualTo("CA");
        assertThat(access.identity()).isEqualTo(new ServerAccess.Identity("CERT", "KEY"));
        assertThat(access.credentials().authorization()).isNull();
        assertThat(access.toString()).doesNotContain("KEY");
    }

    @Test
    void pathsBeginWhereTheKubeconfigIs() throws IOException {
        file("ca", "CA");
        file("cert", "CERT");
        file("key", "KEY");
        file("token", "T\n");
        ServerAccess access = access(
                "server: h, certificate-authority: ca",
                "client-certificate: cert, client-key: ./key, tokenFile: token");

        assertThat(access.server()).isEqualTo("https://h");
        assertThat(access.authority()).isEqualTo("CA");
        assertThat(access.identity()).isEqualTo(new ServerAccess.Identity("CERT", "KEY"));
        assertThat(access.credentials().authorization()).isEqualTo("Bearer T");
        assertThatThrownBy(() -> access("server: h, certificate-authority: nowhere", ""))
                .hasMessageContaining("cannot read the certificate-authority of the kubeconfig")
                .hasMessageContaining("nowhere");
    }

    @Test
    void tokensPasswordsAndOtherNamesGoWithEveryRequest() throws IOException {
        assertThat(access("server: h", "token: T").credentials().authorization())
                .isEqualTo("Bearer T");
        assertThat(access("server: h", "username: a, password: b").credentials().authorization())
                .isEqualTo("Basic " + base64("a:b"));
        assertThat(access("server: h", "auth-provider: {name: oidc, config: {id-token: I}}")
                        .credentials()
                        .authorization())
                .isEqualTo("Bearer I");
        assertThat(access("server: h", "token: T, as: her, as-groups: [x, w], as-user-extra: {why: [z]}")
                        .acting())
                .containsExactly(
                        Map.entry("Impersonate-User", "her"),
                        Map.entry("Impersonate-Group", "x"),
                        Map.entry("Impersonate-Group", "w"),
                        Map.entry("Impersonate-Extra-why", "z"));
        assertThatThrownBy(() -> access("server: h", "auth-provider: {name: gcp}"))
                .hasMessageContaining("auth-provider 'gcp' is not supported any more");
    }

    @Test
    void nobodyIsTheSameServerWithoutTheUser() throws IOException {
        ServerAccess nobody = access(
                        "server: 'https://h', insecure-skip-tls-verify: true, tls-server-name: other, proxy-url: 'http://p:1'",
                        "token: T, as: her")
                .ofNobody();

        assertThat(nobody.server()).isEqualTo("https://h");
        assertThat(nobody.trusting()).isTrue();
        assertThat(nobody.serverName()).isEqualTo("other");
        assertThat(nobody.proxy()).isEqualTo("http://p:1");
        assertThat(nobody.credentials().authorization()).isNull();
        assertThat(nobody.acting()).isEmpty();
    }

    @Test
    void ofSeveralFilesTheFirstThatSaysSomethingCounts() throws IOException {
        Path first = file("first", """
                contexts: [{name: c, context: {cluster: k, user: u}}]
                users: [{name: u, user: {token: first}}]
                """);
        Path second = file("second", """
                current-context: c
                clusters: [{name: k, cluster: {server: "https://second"}}]
                users: [{name: u, user: {token: second}}]
                """);
        String list = directory.resolve("missing") + ":" + first + "::" + second;
        ServerAccess access = surroundings(Map.of("KUBECONFIG", list)).access(settings(null));

        assertThat(access.server()).isEqualTo("https://second");
        assertThat(access.credentials().authorization()).isEqualTo("Bearer first");
        assertThatThrownBy(() -> surroundings(Map.of("KUBECONFIG", directory.resolve("missing") + ""))
                        .access(settings(null)))
                .hasMessageContaining("that $KUBECONFIG names");
    }

    @Test
    void withoutAnythingSaidTheUsersOwnIsTakenAndThenThePods() throws IOException {
        Surroundings bare = surroundings(Map.of());
        assertThatThrownBy(() -> bare.access(settings(null)))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(503))
                .hasMessageContaining("no cluster is known");

        Files.createDirectories(directory.resolve("account"));
        file("account/token", "of-the-pod");
        file("account/ca.crt", "CA");
        Surroundings pod = surroundings(Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "44"));
        assertThat(pod.access(settings(null)).server()).isEqualTo("https://10.0.0.1:44");
        assertThat(pod.access(settings(null)).credentials().authorization()).isEqualTo("Bearer of-the-pod");

        Files.createDirectories(directory.resolve("home/.kube"));
        Files.move(kubeconfig("server: 'https://own'", "token: own"), directory.resolve("home/.kube/config"));
        assertThat(pod.access(settings(null)).server()).isEqualTo("https://own");
        assertThat(pod.namespace(settings(null))).isEqualTo("team");
    }

    @Test
    void whatDoesNotFitIsNamed() throws IOException {
        Path file = kubeconfig("server: h", "token: T");

        assertThatThrownBy(() -> surroundings(Map.of()).access(new Settings(file, "other", "test/0", 1, 1)))
                .hasMessage("the kubeconfig " + file + " does not fit: it has no context 'other', but [c]");
        assertThatThrownBy(() -> surroundings(Map.of()).access(settings(file("empty", ""))))
                .hasMessageContaining("it has no current-context");
        assertThatThrownBy(() -> surroundings(Map.of()).access(settings(file("list", "- a"))))
                .hasMessageContaining("it is no object");
        assertThatThrownBy(() -> surroundings(Map.of()).access(settings(file("broken", "{"))))
                .hasMessageContaining("does not fit: ");
        assertThatThrownBy(() -> access("", "")).hasMessageContaining("its cluster has no server");
        assertThatThrownBy(() -> access("server: h, certificate-authority-data: '%'", ""))
                .hasMessageContaining("is no base64");
    }

    private Path program(String script) throws IOException {
        Path program = file("program", "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return program;
    }

    private ServerAccess ofProgram(String script) throws IOException {
        program(script);
        return access("server: h", """
                exec: {apiVersion: client.authentication.k8s.io/v1, command: ./program, args: [a, b], env: [{name: WHO, value: me}],
                  provideClusterInfo: true, installHint: ask the operators}""");
    }

    @Test
    void aProgramIsAskedForATokenOnceUntilTheTokenEnds() throws IOException {
        Credentials credentials = ofProgram("""
                echo "$@ $WHO" >>"$(dirname "$0")/calls"
                echo "$KUBERNETES_EXEC_INFO" >"$(dirname "$0")/told"
                echo '{"status": {"token": "'$(wc -l <"$(dirname "$0")/calls")'"}}'
                """).credentials();

        assertThat(credentials.authorization()).isEqualTo("Bearer 1");
        assertThat(credentials.authorization()).isEqualTo("Bearer 1");
        assertThat(credentials.refused()).isTrue();
        assertThat(credentials.authorization()).isEqualTo("Bearer 2");
        assertThat(Files.readAllLines(directory.resolve("calls"))).isEqualTo(List.of("a b me", "a b me"));
        assertThat(Json.parse(Files.readString(directory.resolve("told")))).isEqualTo(Json.parse("""
                        {"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
                        "spec":{"interactive":false,"cluster":{"server":"https://h"}}}"""));
    }

    @Test
    void aTokenThatHasEndedIsAskedForAgain() throws IOException {
        Credentials credentials = ofProgram("""
                echo x >>"$(dirname "$0")/calls"
                echo '{"status": {"token": "'$(wc -l <"$(dirname "$0")/calls")'", "expirationTimestamp": "2020-01-01T00:00:00Z"}}'
                """).credentials();
        String before = credentials.authorization();

        assertThat(credentials.authorization()).isNotEqualTo(before);
    }

    @Test
    void aProgramMayGiveACertificate() throws IOException {
        ServerAccess access = ofProgram("""
                echo '{"status": {"clientCertificateData": "CERT", "clientKeyData": "KEY"}}'
                """);

        assertThat(access.identity()).isEqualTo(new ServerAccess.Identity("CERT", "KEY"));
        assertThat(access.credentials().authorization()).isNull();
    }

    @Test
    void aProgramThatDoesNotHelpIsNamed() throws IOException {
        assertThatThrownBy(() -> ofProgram("exit 3"))
                .hasMessageContaining("'./program' of the kubeconfig failed with exit code 3");
        assertThatThrownBy(() -> ofProgram("echo hello")).hasMessageContaining("printed no JSON");
        assertThatThrownBy(() -> ofProgram("echo '{}'")).hasMessageContaining("gave neither a token nor a certificate");
        assertThatThrownBy(() -> access(
                        "server: h", "exec: {command: no-such-program-anywhere, installHint: 'ask the operators'}"))
                .hasMessageContaining("'no-such-program-anywhere' of the kubeconfig cannot be run")
                .hasMessageEndingWith(". ask the operators");
    }

    @Test
    void aTokenFileIsReadAgainAfterAMinuteAndWhereTheServerDoesNotKnowIt() throws IOException {
        long[] nanos = {0};
        Path file = file("token", "one");
        Credentials credentials = new Credentials.TokenFile(file, () -> nanos[0]);
        assertThat(credentials.authorization()).isEqualTo("Bearer one");
        Files.writeString(file, "two");
        assertThat(credentials.authorization()).isEqualTo("Bearer one");
        nanos[0] += 61_000_000_000L;
        assertThat(credentials.authorization()).isEqualTo("Bearer two");
        assertThat(credentials.refused()).isFalse();
        Files.writeString(file, "three");
        assertThat(credentials.refused()).isTrue();
        Files.delete(file);
        nanos[0] += 61_000_000_000L;
        assertThat(credentials.authorization()).isEqualTo("Bearer three");
    }
}
