package lavaflow.image;

/**
 * What a layer may be at most.
 *
 * @param bytes unpacked
 * @param entries files, directories and links
 * @param ratio between what is unpacked and what was sent, once that is more than {@code freely} bytes
 * @param freely unpacked bytes that need no excuse
 * @param reserve bytes of the disk that stay free
 */
record LayerLimits(long bytes, long entries, long ratio, long freely, long reserve) {
    private static final long GIB = 1L << 30;

    /** Larger than any image of machine learning, smaller than what makes a node useless. */
    static final LayerLimits USUAL = new LayerLimits(128 * GIB, 2_000_000, 200, GIB, GIB / 4);
}
