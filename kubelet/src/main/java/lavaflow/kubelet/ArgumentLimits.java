package lavaflow.kubelet;

import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.sandbox.ContainerSpec;

/** How much Linux passes to a program. */
final class ArgumentLimits {
    /** One argument or variable, with the zero that ends it. */
    static final int LONGEST = 32 * 4096;

    /** All of them, with a pointer each: a quarter of the usual stack of 8 MiB. */
    static final long MOST = 2L << 20;

    private ArgumentLimits() {}

    static boolean isExceededBy(ContainerSpec.Program program) {
        long all = 0;
        for (List<String> list : List.of(program.arguments(), program.environment())) {
            for (String each : list) {
                long length = each.getBytes(StandardCharsets.UTF_8).length + 1L;
                if (length > LONGEST) {
                    return true;
                }
                all += length + Long.BYTES;
            }
        }
        return all > MOST;
    }
}
