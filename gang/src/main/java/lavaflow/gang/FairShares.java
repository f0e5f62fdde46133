package lavaflow.gang;

import java.util.Arrays;
import java.util.List;

/**
 * How much each queue deserves: all get the same part of the cluster by their weights, nobody more than it asks for or may have, and
 * what one does not take goes to the others. Of each resource there is a level, and a queue deserves its weight times that level, within
 * what it is guaranteed and what it wants; the level is as high as what there is allows.
 */
public final class FairShares {
    /** A queue as far as sharing is concerned. */
    public static final class Party {
        final int weight;
        final Amounts limit;
        final Amounts request;
        final Amounts guarantee;
        Amounts deserved = Amounts.none();

        /**
         * A queue that has got nothing yet.
         *
         * @param limit the most it may have
         * @param request all it has and waits for
         * @param guarantee the least it has, also if it does not ask for it
         */
        public Party(int weight, Amounts limit, Amounts request, Amounts guarantee) {
            this.weight = weight;
            this.limit = limit;
            this.request = request;
            this.guarantee = guarantee;
        }

        public Amounts limit() {
            return limit;
        }

        /** What it deserves, once that is settled. */
        public Amounts deserved() {
            return deserved;
        }

        private double least(int column) {
            return guarantee.get(column);
        }

        private double most(int column) {
            return Math.max(least(column), Math.min(limit.get(column), request.get(column)));
        }

        private double at(double level, int column) {
            return Math.max(least(column), Math.min(most(column), weight * level));
        }
    }

    private FairShares() {}

    /** Works out what everybody deserves. */
    public static void settle(Amounts total, List<Party> parties) {
        int columns = total.size();
        for (Party party : parties) {
            columns = Math.max(columns, Math.max(party.request.size(), party.guarantee.size()));
        }
        parties.forEach(party -> party.deserved = Amounts.none());
        for (int column = 0; column < columns; column++) {
            double level = level(total.get(column), parties, column);
            for (Party party : parties) {
                party.deserved.set(column, party.at(level, column));
            }
        }
    }

    private static double sum(List<Party> parties, double level, int column) {
        double sum = 0;
        for (Party party : parties) {
            sum += party.at(level, column);
        }
        return sum;
    }

    /** The level at which all is given away; without end if that is enough for everybody. */
    private static double level(double total, List<Party> parties, int column) {
        double[] bends = new double[2 * parties.size()];
        int count = 0;
        for (Party party : parties) {
            if (party.weight > 0) {
                bends[count++] = party.least(column) / party.weight;
                bends[count++] = party.most(column) / party.weight;
            }
        }
        if (count == 0 || sum(parties, Double.POSITIVE_INFINITY, column) <= total) {
            return count == 0 ? 0 : Double.POSITIVE_INFINITY;
        }
        Arrays.sort(bends, 0, count);
        // What is given away is a line between one bend and the next.
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sum(parties, bends[middle], column) < total) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        double before = low == 0 ? 0 : bends[low - 1];
        double given = sum(parties, before, column);
        double rise = sum(parties, bends[low], column) - given;
        return rise <= 0 || given >= total ? before : before + (bends[low] - before) * (total - given) / rise;
    }
}
