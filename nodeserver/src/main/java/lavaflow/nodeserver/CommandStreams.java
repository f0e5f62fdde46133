package lavaflow.nodeserver;

import java.io.InputStream;
import java.io.OutputStream;

import org.jspecify.annotations.Nullable;

/**
 * The streams between a client and a command, whatever they travel over. Those nobody asked for are null.
 *
 * @param sizes of the client's terminal
 * @param error where the client is told how the command ended
 * @param structured whether it is told as a Status (version 4 and later) or in words
 */
record CommandStreams(
        @Nullable InputStream stdin,
        @Nullable OutputStream stdout,
        @Nullable OutputStream stderr,
        @Nullable InputStream sizes,
        OutputStream error,
        boolean structured) {}
