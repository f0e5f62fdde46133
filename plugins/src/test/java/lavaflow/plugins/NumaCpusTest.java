package lavaflow.plugins;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.gang.NumatopologySpec.Cpu;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Which processors a kubelet takes. */
class NumaCpusTest {
    /** Two sockets of two cores of two processors, numbered as machines do it: the second ones of all cores come last. */
    private final NumaCpus cpus = new NumaCpus(machine());

    private static Map<Integer, Cpu> machine() {
        Map<Integer, Cpu> cpus = new TreeMap<>();
        for (int cpu = 0; cpu < 8; cpu++) {
            int core = cpu % 4;
            cpus.put(cpu, new Cpu(core / 2, core / 2, core));
        }
        return cpus;
    }

    private String take(String free, int wanted) {
        return String.valueOf(cpus.take(NumaCpus.parse(free), wanted, null));
    }

    @Test
    void listsOfRangesAreRead() {
        assertThat(NumaCpus.parse("0-2,5, 7-8")).containsExactly(0, 1, 2, 5, 7, 8);
        assertThat(NumaCpus.parse("")).isEmpty();
        assertThat(NumaCpus.parse("a,1-b,3")).containsExactly(3);
    }

    @Test
    void wholeSocketsThenWholeCoresThenSingleOnes() {
        assertThat(take("0-7", 4)).isEqualTo("[0, 1, 4, 5]");
        assertThat(take("0-7", 2)).isEqualTo("[0, 4]");
        assertThat(take("0-7", 1)).isEqualTo("[0]");
        assertThat(take("0-7", 5)).isEqualTo("[0, 1, 2, 4, 5]");
        assertThat(take("0-7", 9)).isEqualTo("null");
    }

    @Test
    void whereLittleIsLeftItIsUsedUpFirst() {
        assertThat(take("0,2-4,6-7", 2)).as("a core of the fuller socket").isEqualTo("[0, 4]");
        assertThat(take("1-3,6-7", 1)).as("one of a broken core").isEqualTo("[1]");
        assertThat(take("1,3,5,7,2", 3)).as("beside the core that was taken").isEqualTo("[1, 2, 5]");
    }

    @Test
    void fewestMemoriesThatCouldDoArePreferred() {
        assertThat(cpus.hints(NumaCpus.parse("0-7"), 4))
                .filteredOn(NumaCpus.Hint::preferred)
                .extracting(hint -> hint.parts().toString())
                .containsExactly("{0}", "{1}");
        assertThat(cpus.hints(NumaCpus.parse("0-3"), 4))
                .extracting(hint -> hint.parts() + " " + hint.preferred())
                .containsExactly("{0, 1} false");
        assertThat(cpus.hints(NumaCpus.parse("0-3"), 5)).isEmpty();
    }
}
