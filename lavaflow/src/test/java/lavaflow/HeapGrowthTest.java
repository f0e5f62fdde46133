package lavaflow;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HeapGrowthTest {
    private static final long MIB = 1 << 20;

    @Test
    void aSmallHeapIsLeftAlone() {
        assertThat(HeapGrowth.limitAfter(10 * MIB)).isEqualTo(HeapGrowth.SMALL);
    }

    @Test
    void theNextLookComesAfterAGoodPartMore() {
        assertThat(HeapGrowth.limitAfter(40 * MIB)).isEqualTo(88 * MIB);
        assertThat(HeapGrowth.limitAfter(200 * MIB)).isEqualTo(300 * MIB);
    }

    @Test
    void aLargeHeapKeepsNoMoreThanAFixedAmountOfWaste() {
        assertThat(HeapGrowth.limitAfter(1200 * MIB)).isEqualTo(1360 * MIB);
    }
}
