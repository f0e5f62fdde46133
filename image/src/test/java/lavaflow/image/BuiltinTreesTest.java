package lavaflow.image;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class BuiltinTreesTest {
    @TempDir
    Path home;

    private Image pull(ImageStore images, String name) throws ImageException {
        return images.pull(name, List.of(), _ -> {});
    }

    private static Path root(Image image) {
        return ((Image.Layers) image.source()).lowestFirst().getFirst();
    }

    @Test
    void busyboxIsMadeOfTheMachinesOwn() throws Exception {
        assumeTrue(BuiltinTrees.canMake("busybox"), "busybox is not installed");
        try (ImageStore images = ImageStore.open(home)) {
            Image image = pull(images, "busybox:1.36");
            Path root = root(image);
            assertThat(root.resolve("bin/busybox")).isExecutable();
            assertThat(Files.readSymbolicLink(root.resolve("bin/sh"))).hasToString("/bin/busybox");
            assertThat(Files.exists(root.resolve("usr/bin/env"), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
            assertThat(root.resolve("etc/passwd")).content().contains("root:x:0:0");
            assertThat(image.config().command()).containsExactly("sh");
            assertThat(image.size()).isGreaterThan(1_000_000);
            assertThat(images.find("busybox:1.36")).contains(image);
            assertThat(pull(images, "registry.k8s.io/e2e-test-images/busybox:1").id())
                    .isEqualTo(image.id());
            assertThat(images.collect(java.util.Set.of(), Long.MAX_VALUE)).isEqualTo(image.size());
            assertThat(root).doesNotExist();
        }
    }

    @Test
    void aDigestIsNeverReplaced() throws Exception {
        ImageTable table = new ImageTable(home.resolve("images.yaml"));
        Reference digest = Reference.parse("busybox@sha256:" + "0".repeat(64));
        assertThat(table.ruleFor(digest).origin()).isInstanceOf(Origin.Registry.class);
    }

    @Test
    void pauseWaitsUntilItIsTold() throws Exception {
        assumeTrue(PauseProgram.isFor(Platform.own()), "no such program for this processor");
        Path program = Files.write(home.resolve("pause"), PauseProgram.file());
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(BuiltinTrees.isStatic(PauseProgram.file())).isTrue();
        Process process = new ProcessBuilder(program.toString()).start();
        try {
            Path status = Path.of("/proc", Long.toString(process.pid()), "status");
            // It sleeps nowhere but where it waits to be told.
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> Files.readString(status).contains("State:\tS"));
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        try (ImageStore images = ImageStore.open(home)) {
            Image image = pull(images, "registry.k8s.io/pause:3.10");
            assertThat(root(image).resolve("pause")).isExecutable();
            assertThat(image.config().entrypoint()).containsExactly("/pause");
        }
    }
}
