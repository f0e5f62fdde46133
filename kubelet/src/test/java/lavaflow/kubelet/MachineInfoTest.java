package lavaflow.kubelet;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MachineInfoTest {
    @Test
    void aMachineHasMemoryProcessorsAndDisk() throws Exception {
        MachineInfo machine = MachineInfo.read(Path.of("/"));
        assertThat(machine.processors()).isPositive();
        assertThat(machine.memoryBytes()).isGreaterThan(1 << 20);
        assertThat(machine.diskBytes()).isGreaterThan(1 << 20);
        assertThat(machine.bootId()).hasSize(36);
        assertThat(MachineInfo.memory("MemAvailable")).isBetween(1L << 20, machine.memoryBytes());
    }

    @Test
    void mostProcessesOfAMachineAreFree() {
        assertThat(MachineInfo.mostProcesses()).isGreaterThan(1);
        assertThat(MachineInfo.freeProcesses()).isBetween(1L, MachineInfo.mostProcesses() - 1);
    }
}
