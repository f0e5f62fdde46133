package lavaflow.kubelet;

import org.jspecify.annotations.Nullable;

/**
 * What a probe believes after all it heard: only so many equal answers in a row change its mind.
 *
 * @param last what the latest answer was; null before the first
 * @param inRow how many like it came in a row
 * @param belief what is told; null before anything is
 */
record ProbeState(
        @Nullable Boolean last, int inRow, @Nullable Boolean belief) {
    static final ProbeState NEW = new ProbeState(null, 0, null);

    ProbeState heard(boolean success, Probe probe) {
        int now = last != null && last == success ? inRow + 1 : 1;
        int needed = success ? probe.successThreshold() : probe.failureThreshold();
        return new ProbeState(success, now, now >= needed ? Boolean.valueOf(success) : belief);
    }
}
