package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class MachineRegisterTest {
    @TempDir
    private Path directory;

    private MachineRegister register() {
        return new MachineRegister(directory.resolve("run"));
    }

    @Test
    void onlyOneHasAClusterAtATime() throws IOException {
        MachineRegister register = register();
        try (MachineRegister.Tenancy first = register.claim("aaaaaa")) {
            assertThat(first).isNotNull();
            assertThat(register.claim("aaaaaa")).isNull();
            try (MachineRegister.Tenancy other = register.claim("bbbbbb")) {
                assertThat(other).isNotNull();
            }
        }
        try (MachineRegister.Tenancy second = register.claim("aaaaaa")) {
            assertThat(second).isNotNull();
        }
    }

    @Test
    void anEntryStaysUntilNothingIsLeftOfTheCluster() throws IOException {
        MachineRegister register = register();
        MachineRegister.Entry entry = new MachineRegister.Entry("aaaaaa", Path.of("/data"), "x", 7);
        try (MachineRegister.Tenancy tenancy = register.claim("aaaaaa")) {
            tenancy.enter(entry);
        }
        assertThat(register.all()).containsExactly(entry);
        assertThat(register.find("aaaaaa")).contains(entry);
        assertThat(register.server("aaaaaa")).isEmpty();

        register.claim("aaaaaa").leave();

        assertThat(register.find("aaaaaa")).isEmpty();
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void aNodeKnowsWhenItsDirectoryWasMoved() throws IOException {
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        Files.createDirectories(first.resolve("node"));
        assertThat(Incarnation.find(first)).isEmpty();
        Incarnation made = Incarnation.fresh(first);
        made.write();
        assertThat(Incarnation.find(first)).contains(made);
        assertThat(made.isOf(first)).isTrue();

        Files.move(first, second);

        Incarnation moved = Incarnation.find(second).orElseThrow();
        assertThat(moved).isEqualTo(made);
        assertThat(moved.isOf(second)).isFalse();
        assertThat(moved.at(second).isOf(second)).isTrue();
        assertThat(Optional.of(moved.at(second).id())).contains(made.id());
    }

    @Test
    void aRestartOfTheMachineIsNoticed() throws IOException {
        Path home = directory.resolve("home");
        Incarnation before = new Incarnation("x", home, "an earlier run");

        assertThat(before.isOf(home)).isFalse();
        assertThat(before.at(home).isOf(home)).isTrue();
    }
}
