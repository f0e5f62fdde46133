package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

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
    void whoComesIsNotDisturbedByWhoLeavesLast() throws Exception {
        MachineRegister register = register();
        List<Callable<Boolean>> tenants = new ArrayList<>();
        for (String id : List.of("aaaaaa", "bbbbbb", "cccccc")) {
            tenants.add(() -> {
                for (int i = 0; i < 300; i++) {
                    register.claim(id).leave();
                    register.all();
                }
                return true;
            });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(tenants.size())) {
            for (Future<Boolean> each : threads.invokeAll(tenants)) {
                assertThat(each.get()).isTrue();
            }
        }
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
