package lavaflow.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Who may use an image that is here, against a real registry server that wants to know who asks, and one that does not. */
class PullAccessTest {
    @TempDir
    static Path shared;

    @TempDir
    Path home;

    private static TestingRegistry open;
    private static TestingRegistry guarded;
    private final TestingImage made = TestingImage.of(new TestingTar().file("text", "confidential"));
    private ImageStore images;
    private String name;
    private Credential user;
    private Credential other;

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(TestingRegistry.isInstalled(), "docker-registry is not installed");
        open = new TestingRegistry(shared.resolve("open"), false);
        guarded = new TestingRegistry(shared.resolve("guarded"), true);
    }

    @AfterAll
    static void stop() {
        if (open != null) {
            open.close();
            guarded.close();
        }
    }

    @BeforeEach
    void pushImage() throws Exception {
        images = ImageStore.open(home);
        guarded.push("team/app", "1", made);
        name = guarded.host + "/team/app:1";
        user = new Credential(guarded.host, "user", "secret", "");
        other = new Credential(guarded.host, "other", "hidden", "");
    }

    @AfterEach
    void close() {
        images.close();
    }

    private void reopen() {
        images.close();
        images = ImageStore.open(home);
    }

    private Image pull(String reference, Credential... credentials) throws ImageException {
        return images.pull(reference, List.of(credentials), _ -> {});
    }

    private Optional<Image> findFor(String reference, Credential... credentials) {
        return images.findFor(reference, () -> List.of(credentials));
    }

    private Path index() {
        return home.resolve("images/index.json");
    }

    @Test
    void anImageIsForThoseWhoseCredentialOpenedIt() throws Exception {
        assertThat(findFor(name, user)).isEmpty();
        Image image = pull(name, user);

        assertThat(findFor(name, user)).contains(image);
        assertThat(findFor(name)).isEmpty();
        assertThat(findFor(name, new Credential(guarded.host, "user", "guessed", "")))
                .isEmpty();
        assertThat(findFor(name, other))
                .as("it opens the image, but nobody knows yet")
                .isEmpty();
        assertThat(images.find(name)).as("it is here nevertheless").contains(image);
    }

    @Test
    void whoPullsAgainIsNotedBesideThoseBefore() throws Exception {
        Image image = pull(name, user);
        assertThatThrownBy(() -> pull(name)).hasMessageContaining("pull access denied");
        assertThat(pull(name, other).id()).isEqualTo(image.id());

        assertThat(findFor(name, user)).isPresent();
        assertThat(findFor(name, other)).isPresent();
        assertThat(findFor(name)).isEmpty();
    }

    @Test
    void neitherDigestsNorIdsLeadAroundIt() throws Exception {
        Image image = pull(name, user);
        String digest = guarded.host + "/team/app@" + made.digest();

        assertThat(findFor(digest)).isEmpty();
        assertThat(findFor(guarded.host + "/team/app:1@" + made.digest())).isEmpty();
        assertThat(findFor(image.id())).isEmpty();
        assertThatThrownBy(() -> pull(digest)).hasMessageContaining("pull access denied");
        assertThat(findFor(digest, user)).isPresent();
        assertThat(findFor(image.id(), user)).isPresent();
        assertThat(findFor(image.id(), other)).isEmpty();
        assertThat(pull(digest, other).id()).isEqualTo(image.id());
        assertThat(findFor(image.id(), other)).isPresent();
    }

    @Test
    void aCredentialForAnotherPlaceOpensNothingEvenIfItSaysTheSame() throws Exception {
        pull(name, user);
        assertThat(findFor(name, new Credential("elsewhere.example", "user", "secret", "")))
                .isEmpty();
        assertThat(findFor(name, new Credential(guarded.host + "/another", "user", "secret", "")))
                .isEmpty();
        assertThat(findFor(name, new Credential(guarded.host + "/team", "user", "secret", "")))
                .isPresent();
    }

    @Test
    void ofSeveralCredentialsOnlyTheOneThatWasTakenIsNoted() throws Exception {
        Credential wrong = new Credential(guarded.host + "/team", "user", "wrong", "");
        pull(name, wrong, user);
        assertThat(findFor(name, wrong)).isEmpty();
        assertThat(findFor(name, wrong, user)).isPresent();
    }

    @Test
    void whatARegistryGivesToEverybodyIsForEverybody() throws Exception {
        open.push("public/app", "1", made);
        String everybodys = open.host + "/public/app:1";
        pull(everybodys, new Credential(open.host, "user", "secret", ""));
        assertThat(images.findFor(everybodys, () -> fail("nobody needs to be asked for a credential")))
                .isPresent();

        pull(name, user);
        assertThat(findFor(name))
                .as("the same image under another name is another matter")
                .isEmpty();
        assertThat(findFor(everybodys)).isPresent();
    }

    @Test
    void whatTheRegistryOfAMirrorSaysIsAskedOfTheCredentialsForTheMirror() throws Exception {
        Files.writeString(
                home.resolve("images.yaml"), "- {image: \"example.org/*\", registry: \"" + guarded.host + "\"}");
        String mirrored = "example.org/team/app:1";
        pull(mirrored, user);
        assertThat(findFor(mirrored, user)).isPresent();
        assertThat(findFor(mirrored, new Credential("example.org", "user", "secret", "")))
                .isEmpty();
    }

    @Test
    void aSecretThatChangedStillCounts() throws Exception {
        pull(name, user.from("ns/pull/uid-1"));
        Credential renewed = new Credential(guarded.host, "user", "newer", "");
        assertThat(findFor(name, renewed.from("ns/pull/uid-1"))).isPresent();
        assertThat(findFor(name, renewed.from("ns/pull/uid-2"))).isEmpty();
        assertThat(findFor(name, renewed)).isEmpty();
        assertThat(findFor(name, user.from("ns/copy/uid-3"))).isPresent();
    }

    @Test
    void itIsKeptWithoutTheSecrets() throws Exception {
        pull(name, user);
        pull(name, other);
        reopen();
        assertThat(findFor(name)).isEmpty();
        assertThat(findFor(name, user)).isPresent();
        assertThat(findFor(name, other)).isPresent();
        assertThat(Files.readString(index())).doesNotContain("secret", "hidden", "dXNlcjpzZWNyZXQ");
    }

    @Test
    void imagesOfAnIndexWithoutNotesAreForEverybodyUntilSomebodyPullsThemWithACredential() throws Exception {
        pull(name, user);
        ObjectNode root = (ObjectNode) Json.parse(Files.readAllBytes(index()));
        assertThat(root.remove("access")).isNotEmpty();
        Files.write(index(), Json.bytes(root));
        reopen();
        assertThat(findFor(name)).isPresent();
        assertThat(findFor(made.id())).isPresent();

        pull(name, user);
        assertThat(findFor(name)).isEmpty();
    }

    @Test
    void whatSomebodyBroughtIsNeverAskedAbout() throws Exception {
        pull(name, user);
        Path archive = Files.write(home.resolve("app.tar"), made.ociArchive(""));
        String brought = guarded.host + "/team/app:brought";
        images.load(archive, List.of(brought), _ -> {});
        assertThat(findFor(brought)).isPresent();
        assertThat(findFor(made.id())).isPresent();
        assertThat(findFor(name)).as("under the name that a secret opened").isEmpty();

        images.load(archive, List.of(name), _ -> {});
        assertThat(findFor(name)).isPresent();
        assertThat(pull(name).id()).isEqualTo(made.id());
    }

    @Test
    void whatIsMadeHereIsNeverAskedAbout() throws Exception {
        Files.writeString(home.resolve("images.yaml"), "- {image: \"mine/*\", host: {}}");
        assertThat(findFor("mine/app")).isPresent();
    }

    @Test
    void theNotesGoWithTheImage() throws Exception {
        pull(name, user);
        images.remove(made.id());
        assertThat(Json.parse(Files.readAllBytes(index())).path("access")).isEmpty();
        pull(name, other);
        assertThat(findFor(name, user)).isEmpty();
    }
}
