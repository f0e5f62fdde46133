package lavaflow.image;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Against a real registry server. */
class RegistryTest {
    @TempDir
    static Path shared;

    @TempDir
    Path home;

    private static TestingRegistry open;
    private static TestingRegistry guarded;
    private ImageStore images;

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
    void openStore() {
        images = ImageStore.open(home);
    }

    @AfterEach
    void close() {
        images.close();
    }

    private Image pull(String name, Credential... credentials) throws ImageException {
        return images.pull(name, List.of(credentials), _ -> {});
    }

    private static TestingImage image(String text) {
        return TestingImage.of(new TestingTar().file("base", "the same for all"), new TestingTar().file("text", text));
    }

    private static void assertText(Image image, String text) {
        assertThat(((Image.Layers) image.source()).lowestFirst().getLast().resolve("text"))
                .hasContent(text);
    }

    @Test
    void anImageComesByItsName() throws Exception {
        TestingImage made = image("one");
        open.push("team/one", "1", made);
        Image image = pull(open.host + "/team/one:1");
        assertThat(image.id()).isEqualTo(made.id());
        assertThat(image.digest()).isEqualTo(open.host + "/team/one@" + made.digest());
        assertText(image, "one");
        assertThat(home.resolve("images/downloads")).isEmptyDirectory();
        assertThat(images.find(open.host + "/team/one:1")).contains(image);
    }

    @Test
    void aTagThatMovesIsNoticed() throws Exception {
        open.push("moving", "latest", image("first"));
        String name = open.host + "/moving";
        assertText(pull(name), "first");
        assertText(pull(name), "first");
        open.push("moving", "latest", image("second"));
        assertText(images.find(name).orElseThrow(), "first");
        assertText(pull(name), "second");
        assertThat(images.list()).as("the first is here without a name").hasSize(2);
    }

    @Test
    void aDigestIsAskedForOnce() throws Exception {
        TestingImage made = image("fixed");
        open.push("fixed", "1", made);
        String name = open.host + "/fixed@" + made.digest();
        assertText(pull(name), "fixed");
        assertText(pull(open.host + "/fixed:ignored@" + made.digest()), "fixed");
        assertThatThrownBy(() -> pull(open.host + "/fixed@sha256:" + "0".repeat(64)))
                .isInstanceOfSatisfying(
                        ImageException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ImageException.Kind.NOT_FOUND));
    }

    @Test
    void mirrorsStandForOtherRegistries() throws Exception {
        open.push("gcr/project/app", "v1", image("mirrored"));
        open.push("library/tool", "latest", image("hub"));
        open.push("elsewhere", "latest", image("renamed"));
        Files.writeString(home.resolve("images.yaml"), """
                - {image: "gcr.io/*", registry: "%1$s/gcr"}
                - {image: "special/name", registry: "%1$s/elsewhere"}
                - {image: "docker.io/*", registry: "%1$s", plainHttp: true}
                """.formatted(open.host));
        Image image = pull("gcr.io/project/app:v1");
        assertText(image, "mirrored");
        assertThat(image.reference()).isEqualTo("gcr.io/project/app:v1");
        assertThat(image.digest()).startsWith("gcr.io/project/app@sha256:");
        assertText(pull("tool"), "hub");
        assertText(pull("special/name"), "renamed");
    }

    @Test
    void theImageForThisPlatformIsChosen() throws Exception {
        String own = Platform.own().architecture();
        ArrayNode choices = Json.array();
        byte[] mine = null;
        for (String architecture : List.of("s390x", own)) {
            byte[] layer = new TestingTar().file("text", architecture).bytes();
            TestingImage made = TestingImage.of(List.of(layer), List.of(layer), architecture);
            open.push("many", architecture, made);
            ObjectNode choice = choices.addObject();
            choice.put("mediaType", "application/vnd.oci.image.manifest.v1+json")
                    .put("digest", made.digest())
                    .put("size", made.manifest.length);
            choice.putObject("platform").put("os", "linux").put("architecture", architecture);
            mine = architecture.equals(own) ? made.config : mine;
        }
        ObjectNode index = Json.object();
        index.put("schemaVersion", 2)
                .put("mediaType", Manifest.MEDIA_TYPES.getFirst())
                .set("manifests", choices);
        open.manifest("many", "latest", Manifest.MEDIA_TYPES.getFirst(), Json.bytes(index));
        Image image = pull(open.host + "/many");
        assertText(image, own);
        assertThat(image.id()).isEqualTo(Digest.of(mine));
        assertThat(image.digest()).endsWith("@" + Digest.of(Json.bytes(index)));
    }

    @Test
    void whatIsNotThereSaysHowToMapIt() {
        String name = open.host + "/does/not:exist";
        assertThatThrownBy(() -> pull(name))
                .isInstanceOfSatisfying(
                        ImageException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ImageException.Kind.NOT_FOUND))
                .hasMessageContaining(name + " was not found in the registry, MANIFEST_UNKNOWN")
                .hasMessageContaining("lava image add '" + open.host + "/does/not' --registry HOST/PATH, or --host");
    }

    @Test
    void aRegistryThatIsNotThereIsNamed() throws IOException {
        images.close();
        images = ImageStore.open(
                home,
                LayerLimits.USUAL,
                new RegistryClient.Patience(
                        java.time.Duration.ofSeconds(60),
                        java.time.Duration.ofSeconds(60),
                        2,
                        java.time.Duration.ofMillis(1)));
        // Has a port that nobody else can get, and does not listen.
        try (Socket deaf = new Socket()) {
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String host = "127.0.0.1:" + deaf.getLocalPort();
            assertThatThrownBy(() -> pull(host + "/a"))
                    .isInstanceOfSatisfying(
                            ImageException.class,
                            refused -> assertThat(refused.kind()).isEqualTo(ImageException.Kind.UNREACHABLE))
                    .hasMessageContaining("registry " + host + " cannot be reached")
                    .hasMessageContaining("lava image add '" + host + "/a'");
        }
    }

    @Test
    void credentialsAreTriedInOrder() throws Exception {
        guarded.push("team/secret", "1", image("secret"));
        String name = guarded.host + "/team/secret:1";
        assertThatThrownBy(() -> pull(name))
                .isInstanceOfSatisfying(
                        ImageException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ImageException.Kind.DENIED))
                .hasMessageContaining("imagePullSecret for " + guarded.host);
        Credential wrong = new Credential(guarded.host, "user", "wrong", "");
        Credential other = new Credential("other.example", "user", "secret", "");
        Credential right = new Credential(guarded.host + "/team", "user", "secret", "");
        assertThatThrownBy(() -> pull(name, wrong, other)).hasMessageContaining("pull access denied");
        assertText(pull(name, other, wrong, right), "secret");
        assertText(images.find(name).orElseThrow(), "secret");
    }

    @Test
    void layersThatAreHereAreNotFetchedAgain() throws Exception {
        open.push("shared/a", "1", image("a"));
        open.push("shared/b", "1", image("b"));
        pull(open.host + "/shared/a:1");
        long[] total = {0};
        images.fetch(open.host + "/shared/b:1", List.of(), new Progress() {
            @Override
            public void note(String text) {}

            @Override
            public void amount(long done, long all) {
                total[0] = all;
            }
        });
        assertThat(total[0]).isEqualTo(new TestingTar().file("text", "b").compressed().length);
    }

    @Test
    void certificatesAreChecked() throws Exception {
        Path key = shared.resolve("key.pem");
        Path certificate = shared.resolve("certificate.pem");
        Process openssl;
        try {
            openssl = new ProcessBuilder(
                            "openssl",
                            "req",
                            "-x509",
                            "-newkey",
                            "rsa:2048",
                            "-nodes",
                            "-days",
                            "1",
                            "-subj",
                            "/CN=test",
                            "-addext",
                            "subjectAltName=IP:127.0.0.1",
                            "-keyout",
                            key.toString(),
                            "-out",
                            certificate.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "openssl is not installed");
            return;
        }
        assertThat(openssl.waitFor()).isZero();
        open.push("safe", "1", image("safe"));
        String tls = "{certificate: " + certificate + ", key: " + key + "}";
        try (TestingRegistry encrypted = new TestingRegistry(shared.resolve("open"), false, tls)) {
            String name = encrypted.host + "/safe:1";
            assertThatThrownBy(() -> pull(name)).hasMessageContaining("its certificate is not trusted");
            Files.writeString(
                    home.resolve("images.yaml"),
                    "- {image: \"" + encrypted.host + "/*\", registry: \"" + encrypted.host + "\", caFile: "
                            + certificate + "}");
            assertText(pull(name), "safe");
        }
    }
}
