package lavaflow.gang;

import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What fits how often. */
class AmountsTest {
    private static Amounts random(Random random, int most) {
        Amounts amounts = Amounts.none();
        for (int column = 0; column < 4; column++) {
            amounts.set(column, random.nextInt(most));
        }
        return amounts;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void asOftenAsOneByOne(int seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            Amounts has = random(random, 20);
            Amounts asked = random(random, 4);
            Amounts limit = random(random, 60);
            int ignored = random.nextInt(5) - 1;
            int expected = 0;
            Amounts taken = has.copy();
            while (expected < 25 && taken.firstBeyondWith(asked, limit, ignored) < 0) {
                taken.add(asked);
                expected++;
            }

            assertThat(has.timesWithin(asked, limit, ignored, 25))
                    .as("%s of %s within %s", asked, has, limit)
                    .isEqualTo(expected);
        }
    }

    @Test
    void whatHasNoLimitFitsAsOftenAsWanted() {
        Amounts asked = Amounts.of(new long[] {1000, 1L << 40});

        assertThat(Amounts.none().timesWithin(asked, Amounts.unlimited(), -1, 1_000_000))
                .isEqualTo(1_000_000);
    }
}
