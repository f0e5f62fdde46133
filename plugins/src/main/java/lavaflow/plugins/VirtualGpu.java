package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.gang.Gang;

import org.jspecify.annotations.Nullable;

/** A card of a node that several pods share, and what they have of it. */
final class VirtualGpu {
    static final String REGISTER = "volcano.sh/node-vgpu-register";
    private static final int ALL_CORES = 100;

    final int index;
    final String uuid;
    final String type;
    final String mode;
    final long memory;
    private final int slots;
    private final boolean healthy;

    int users;
    long usedMemory;
    private int usedCores;
    /** Gangs and rules of exclusion of those who use it. */
    private final Set<Object> marks = new HashSet<>();

    /**
     * What one container wants.
     *
     * @param cards how many
     * @param memory of each, in MiB; 0 where a percentage says it
     * @param cores of each, in percent
     */
    record Wish(int cards, long memory, int percentage, int cores) {
        long memoryOf(VirtualGpu card) {
            return memory > 0 ? memory : card.memory * percentage / 100;
        }
    }

    private VirtualGpu(int index, String[] fields) {
        this.index = index;
        this.uuid = fields[0];
        this.slots = number(fields[1]);
        this.memory = number(fields[2]);
        this.type = fields[3];
        this.healthy = fields[4].equals("true");
        this.mode = fields.length > 5 ? fields[5] : "";
    }

    static int number(String text) {
        String digits = text.strip();
        return !digits.isEmpty() && digits.length() < 10 && digits.chars().allMatch(Character::isDigit)
                ? Integer.parseInt(digits)
                : 0;
    }

    /** The cards a node has, as it registers them. */
    static List<VirtualGpu> of(Map<String, String> annotations) {
        List<VirtualGpu> cards = new ArrayList<>();
        for (String each : annotations.getOrDefault(REGISTER, "").split(":", -1)) {
            String[] fields = each.split(",", -1);
            if (fields.length >= 5) {
                cards.add(new VirtualGpu(cards.size(), fields));
            }
        }
        return cards;
    }

    /** Somebody uses it. */
    void use(long itsMemory, int itsCores, Set<Object> itsMarks) {
        users++;
        usedMemory += itsMemory;
        usedCores += itsCores;
        marks.addAll(itsMarks);
    }

    /** Whether it has what a container wants. */
    boolean fits(Wish wish) {
        return healthy
                && users < slots
                && usedMemory + wish.memoryOf(this) <= memory
                && usedCores + wish.cores <= ALL_CORES
                && (wish.cores != ALL_CORES || users == 0)
                && (wish.cores != 0 || usedCores < ALL_CORES);
    }

    boolean isUsedBy(@Nullable Gang gang) {
        return gang != null && marks.contains(gang);
    }

    boolean isMarked(Set<Object> others) {
        return others.stream().anyMatch(marks::contains);
    }
}
