package lavaflow;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SchedulerOptionsTest {
    private static SchedulerOptions of(Command command, String... words) {
        return SchedulerOptions.of(command, Arguments.parse(command, List.of(words)));
    }

    @Test
    void bothCommandsKnowThem() {
        for (Command command : new Command[] {new UpCommand(), new SchedulerCommand()}) {
            assertThat(of(command)).as(command.name()).isEqualTo(SchedulerOptions.USUAL);
            assertThat(of(command, "--scheduler-name", "mine,default-scheduler").schedulers())
                    .containsExactly("mine");
        }
    }

    @Test
    void theDefaultSchedulerIsNoneOfGangs() {
        assertThat(of(new SchedulerCommand(), "--scheduler-name", "default-scheduler,volcano")
                        .plain())
                .isTrue();
        assertThatThrownBy(() -> of(new SchedulerCommand(), "--scheduler-name", ","))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--scheduler-name wants at least one name");
    }

    @Test
    void pluginsAreLookedForInADirectory(@TempDir Path folder) {
        assertThat(of(new UpCommand(), "--plugins-dir", folder.toString()).plugins())
                .isEqualTo(folder);
        assertThatThrownBy(() -> of(
                        new UpCommand(),
                        "--plugins-dir",
                        folder.resolve("missing").toString()))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("is not a directory");
    }
}
