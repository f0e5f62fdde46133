package lavaflow;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class CredentialsTest {
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    @TempDir
    private Path directory;

    private Home home(String name) throws IOException {
        Home home = Home.of(directory.resolve(name));
        home.create();
        return home;
    }

    private static Map<String, String> files(Home home) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(home.pki())) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return contents;
    }

    @Test
    void theFirstStartMakesPrivateKeys() throws IOException {
        Home home = home("a");
        Credentials.loadOrCreate(home, "127.0.0.1", NOW);

        assertThat(files(home).keySet())
                .containsExactly(
                        "admin.crt", "admin.key", "ca.crt", "ca.key", "server-127.0.0.1.crt", "server-127.0.0.1.key");
        try (Stream<Path> files = Files.list(home.pki())) {
            assertThat(files)
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void theNextStartUsesThemAgain() throws IOException {
        Home home = home("a");
        String first = Credentials.loadOrCreate(home, "127.0.0.1", NOW).kubeconfig("https://here");
        Map<String, String> made = files(home);
        String second = Credentials.loadOrCreate(home, "127.0.0.1", NOW.plusSeconds(86_400))
                .kubeconfig("https://here");

        assertThat(second).isEqualTo(first);
        assertThat(files(home)).isEqualTo(made);
    }

    @Test
    void anotherAddressGetsACertificateOfItsOwnFromTheSameAuthority() throws Exception {
        Home home = home("a");
        Credentials.loadOrCreate(home, "127.0.0.1", NOW);
        Map<String, String> made = files(home);
        Credentials other = Credentials.loadOrCreate(home, "10.1.2.3", NOW);

        assertThat(files(home)).containsAllEntriesOf(made);
        other.server().certificate().verify(other.authority().certificate().getPublicKey());
        assertThat(other.server().certificate().getSubjectAlternativeNames())
                .anySatisfy(name -> assertThat(name.get(1)).isEqualTo("10.1.2.3"));
    }

    @Test
    void twoInstallsShareNothing() throws IOException {
        Home first = home("a");
        Home second = home("b");
        Credentials.loadOrCreate(first, "127.0.0.1", NOW);
        Credentials.loadOrCreate(second, "127.0.0.1", NOW);

        assertThat(files(first).values())
                .doesNotContainAnyElementsOf(files(second).values());
    }

    @Test
    void aKeyWithoutItsCertificateIsReplaced() throws IOException {
        Home home = home("a");
        Credentials.loadOrCreate(home, "127.0.0.1", NOW);
        Map<String, String> made = files(home);
        Files.delete(home.pki().resolve("admin.crt"));
        Credentials.loadOrCreate(home, "127.0.0.1", NOW);

        assertThat(files(home).keySet()).isEqualTo(made.keySet());
        assertThat(files(home).get("admin.key")).isNotEqualTo(made.get("admin.key"));
        assertThat(files(home)).containsEntry("ca.key", made.get("ca.key"));
    }

    @Test
    void nobodySeesAKeyByPrintingItsOwner() throws IOException {
        Credentials credentials = Credentials.loadOrCreate(home("a"), "127.0.0.1", NOW);

        assertThat(credentials.authority().toString()).isEqualTo("CN=lavaflow");
        assertThat(credentials.server().keyPem().getBytes(StandardCharsets.US_ASCII))
                .isNotEmpty();
    }
}
