package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** The plugins of a configuration in their tiers, and who of them answers what. */
final class Seats {
    /** A plugin in its tier. */
    private record Seat(int tier, Plugin plugin, Configuration.Entry entry) {}

    private final List<Seat> seats = new ArrayList<>();
    /** How many tiers there are. */
    private final int count;

    Seats(int count) {
        this.count = count;
    }

    void add(int tier, Plugin plugin, Configuration.Entry entry) {
        seats.add(new Seat(tier, plugin, entry));
    }

    /** Those that answer something; all that could where nothing switches it off. */
    <T> List<T> all(Class<T> type, @Nullable Callback callback) {
        List<T> found = new ArrayList<>();
        for (Seat seat : seats) {
            if (type.isInstance(seat.plugin) && (callback == null || seat.entry.answers(callback))) {
                found.add(type.cast(seat.plugin));
            }
        }
        return List.copyOf(found);
    }

    /** The answers of a kind by tier, those without a seat left out. */
    <T> List<List<T>> byTier(Class<T> type, Callback callback) {
        List<List<T>> tiers = new ArrayList<>();
        for (int tier = 0; tier < count; tier++) {
            List<T> found = new ArrayList<>();
            for (Seat seat : seats) {
                if (seat.tier == tier && type.isInstance(seat.plugin) && seat.entry.answers(callback)) {
                    found.add(type.cast(seat.plugin));
                }
            }
            tiers.add(found);
        }
        return tiers;
    }

    /** By its name in the configuration. */
    boolean has(String plugin) {
        return seats.stream().anyMatch(seat -> seat.entry.name().equals(plugin));
    }

    /** The name of a plugin in the configuration; empty if it has no seat. */
    String nameOf(Object plugin) {
        for (Seat seat : seats) {
            if (seat.plugin.equals(plugin)) {
                return seat.entry.name();
            }
        }
        return "";
    }

    /** Does something with each, watched. */
    void each(Onlooker onlooker, Onlooker.Part part, Consumer<Plugin> action) {
        seats.forEach(seat -> onlooker.during(part, seat.entry.name(), () -> action.accept(seat.plugin)));
    }
}
