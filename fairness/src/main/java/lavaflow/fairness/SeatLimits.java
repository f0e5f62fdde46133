package lavaflow.fairness;

/**
 * How many seats a level has.
 *
 * @param nominal its share of all seats
 * @param lower what it keeps whatever others need
 * @param upper what it may have when others lend
 */
record SeatLimits(int nominal, int lower, int upper) {
    static SeatLimits of(LevelSettings level, long shareSum, int total) {
        if (shareSum == 0) {
            return new SeatLimits(0, 0, 0);
        }
        int nominal = (int) Math.ceil((double) total * level.shares() / shareSum);
        int lendable = (int) Math.round((double) nominal * level.lendablePercent() / 100);
        int lower = nominal - lendable;
        int upper = level.borrowingPercent() < 0
                ? nominal + total
                : nominal + (int) Math.round((double) nominal * level.borrowingPercent() / 100);
        return new SeatLimits(nominal, lower, upper);
    }
}
