package lavaflow.kube;

import java.util.function.IntUnaryOperator;

/** Makes a name from metadata.generateName. */
public final class GeneratedName {
    /** No vowels, so that no words appear. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private static final int SUFFIX_LENGTH = 5;
    private static final int BASE_LENGTH = 63 - SUFFIX_LENGTH;

    private GeneratedName() {}

    /**
     * The base with five random characters.
     *
     * @param random gives a number from zero up to, but not including, its argument
     */
    public static String from(String base, IntUnaryOperator random) {
        StringBuilder name = new StringBuilder(base.length() > BASE_LENGTH ? base.substring(0, BASE_LENGTH) : base);
        return name.append(suffix(SUFFIX_LENGTH, random)).toString();
    }

    /** Random characters that are safe in every kind of name. */
    public static String suffix(int length, IntUnaryOperator random) {
        StringBuilder suffix = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            suffix.append(ALPHABET.charAt(random.applyAsInt(ALPHABET.length())));
        }
        return suffix.toString();
    }
}
