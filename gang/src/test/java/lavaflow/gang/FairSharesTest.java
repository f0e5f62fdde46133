package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import lavaflow.placement.Columns;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** What queues deserve. */
class FairSharesTest {
    private final Columns columns = new Columns();

    private Amounts cpu(long milli) {
        return Amounts.of(Map.of("cpu", milli), columns);
    }

    private FairShares.Party party(int weight, long request) {
        return new FairShares.Party(weight, Amounts.unlimited(), cpu(request), Amounts.none());
    }

    private static List<Double> settled(Amounts total, FairShares.Party... parties) {
        FairShares.settle(total, List.of(parties));
        return List.of(parties).stream()
                .map(each -> (double) Math.round(each.deserved.get(Columns.CPU)))
                .toList();
    }

    @Test
    void weightsShareWhatAllWant() {
        assertThat(settled(cpu(9000), party(1, 9000), party(2, 9000))).containsExactly(3000.0, 6000.0);
    }

    @Test
    void nobodyDeservesMoreThanItAsksForAndTheOthersGetTheRest() {
        assertThat(settled(cpu(9000), party(1, 1000), party(1, 9000), party(1, 9000)))
                .containsExactly(1000.0, 4000.0, 4000.0);
    }

    @Test
    void aLimitIsNeverExceeded() {
        FairShares.Party limited =
                new FairShares.Party(5, Amounts.limit(Map.of("cpu", 2000L), columns), cpu(9000), Amounts.none());
        assertThat(settled(cpu(9000), limited, party(1, 9000))).containsExactly(2000.0, 7000.0);
    }

    @Test
    void aGuaranteeHoldsAlsoWithoutDemand() {
        FairShares.Party idle = new FairShares.Party(1, Amounts.unlimited(), cpu(0), cpu(3000));
        assertThat(settled(cpu(9000), idle, party(1, 9000))).containsExactly(3000.0, 6000.0);
    }

    @Test
    void whatIsNotThereIsSharedByNobody() {
        assertThat(settled(cpu(0), party(1, 1000), party(1, 1000))).containsExactly(0.0, 0.0);
    }

    /** The most equal sharing by its definition: raise the level at which the weights are served until the resource is used up. */
    private static double[] byLevel(double total, int[] weights, double[] wants) {
        double low = 0;
        double high = total + 1;
        for (int i = 0; i < 200; i++) {
            double level = (low + high) / 2;
            double used = 0;
            for (int k = 0; k < weights.length; k++) {
                used += Math.min(wants[k], level * weights[k]);
            }
            if (used > total) {
                high = level;
            } else {
                low = level;
            }
        }
        double[] given = new double[weights.length];
        for (int k = 0; k < weights.length; k++) {
            given[k] = Math.min(wants[k], low * weights[k]);
        }
        return given;
    }

    @Test
    void sharesAreTheMostEqualOnes() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int queues = 1 + random.nextInt(6);
            long[] total = {1000L * random.nextInt(100), random.nextInt(100), random.nextInt(20)};
            int[] weights = new int[queues];
            double[][] wants = new double[3][queues];
            List<FairShares.Party> parties = new ArrayList<>();
            for (int k = 0; k < queues; k++) {
                weights[k] = 1 + random.nextInt(10);
                long[] request = {1000L * random.nextInt(60), random.nextInt(60), random.nextInt(12)};
                long[] limit = {1000L * random.nextInt(80), random.nextInt(80), random.nextInt(15)};
                for (int column = 0; column < 3; column++) {
                    wants[column][k] = Math.min(request[column], limit[column]);
                }
                parties.add(new FairShares.Party(weights[k], Amounts.of(limit), Amounts.of(request), Amounts.none()));
            }
            FairShares.settle(Amounts.of(total), parties);
            for (int column = 0; column < 3; column++) {
                double[] expected = byLevel((double) total[column], weights, wants[column]);
                for (int k = 0; k < queues; k++) {
                    assertThat(parties.get(k).deserved.get(column))
                            .as("seed %d, queue %d, column %d", seed, k, column)
                            .isCloseTo(expected[k], within(0.5));
                }
            }
        }
    }

    @Test
    void aGuaranteeIsNotGivenAwayToSeveralOthersTogether() {
        FairShares.Party kept = new FairShares.Party(1, Amounts.unlimited(), cpu(12000), cpu(6000));
        assertThat(settled(cpu(12000), kept, party(1, 12000), party(1, 12000))).containsExactly(6000.0, 3000.0, 3000.0);
    }

    @Test
    void whereMoreIsGuaranteedThanThereIsNobodyElseDeservesAnything() {
        FairShares.Party one = new FairShares.Party(1, Amounts.unlimited(), cpu(9000), cpu(6000));
        FairShares.Party other = new FairShares.Party(1, Amounts.unlimited(), cpu(9000), cpu(6000));
        assertThat(settled(cpu(9000), one, other, party(1, 9000))).containsExactly(6000.0, 6000.0, 0.0);
    }

    @Test
    void guaranteesAreKeptAndNothingIsGivenAwayTwice() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            double total = 10_000 + random.nextInt(50_000);
            double spare = total;
            List<FairShares.Party> parties = new ArrayList<>();
            for (int k = 0; k < 1 + random.nextInt(6); k++) {
                long guarantee = random.nextBoolean() ? 0 : random.nextInt((int) spare / 2 + 1);
                spare -= guarantee;
                parties.add(new FairShares.Party(
                        1 + random.nextInt(9), Amounts.unlimited(), cpu(random.nextInt(60_000)), cpu(guarantee)));
            }
            FairShares.settle(cpu((long) total), parties);
            double sum = 0;
            double wanted = 0;
            for (FairShares.Party party : parties) {
                double deserved = party.deserved.get(Columns.CPU);
                sum += deserved;
                wanted += Math.max(party.request.get(Columns.CPU), party.guarantee.get(Columns.CPU));
                assertThat(deserved).as("seed %d", seed).isGreaterThanOrEqualTo(party.guarantee.get(Columns.CPU));
            }
            assertThat(sum)
                    .as("seed %d: all that is wanted, or all there is", seed)
                    .isCloseTo(Math.min(wanted, (double) (long) total), within(0.01));
        }
    }

    /** Upstream's rounds: everybody who has not enough gets its part of what is left, and gives back what it cannot use. */
    private static double[] byRounds(double total, int[] weights, double[] wants) {
        double[] given = new double[weights.length];
        double left = total;
        for (int round = 0; round < 100_000 && left > 1e-7; round++) {
            double sum = 0;
            for (int k = 0; k < weights.length; k++) {
                sum += given[k] < wants[k] ? weights[k] : 0;
            }
            double rest = left;
            for (int k = 0; k < weights.length; k++) {
                if (given[k] < wants[k]) {
                    double more = Math.min(wants[k] - given[k], left * weights[k] / sum);
                    given[k] += more;
                    rest -= more;
                }
            }
            if (rest == left) {
                break;
            }
            left = rest;
        }
        return given;
    }

    @Test
    void withoutGuaranteesSharesAreThoseOfUpstreamsRounds() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int queues = 1 + random.nextInt(6);
            long total = 1000L * random.nextInt(100);
            int[] weights = new int[queues];
            double[] wants = new double[queues];
            List<FairShares.Party> parties = new ArrayList<>();
            for (int k = 0; k < queues; k++) {
                weights[k] = 1 + random.nextInt(10);
                wants[k] = 1000L * random.nextInt(60);
                parties.add(party(weights[k], (long) wants[k]));
            }
            FairShares.settle(cpu(total), parties);
            double[] expected = byRounds((double) total, weights, wants);
            for (int k = 0; k < queues; k++) {
                assertThat(parties.get(k).deserved.get(Columns.CPU))
                        .as("seed %d, queue %d", seed, k)
                        .isCloseTo(expected[k], within(0.01));
            }
        }
    }
}
