package lavaflow.simulation;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import lavaflow.controller.KubeApi;

import static org.assertj.core.api.Assertions.fail;

/** Lets the judged controller of a world do wrong, and expects to hear of it. */
record Exposure(Supplier<RoomyWorld> worlds) {
    private static final long SEEDS = 20;

    void expect(String verdict, Function<KubeApi, BrokenApi> broken) throws IOException {
        Set<String> others = new LinkedHashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            RoomyWorld world = worlds.get();
            try (Simulation simulation = new Simulation(
                    seed,
                    world,
                    (name, api) ->
                            name.equals(world.judged()) ? broken.apply(api).api() : api)) {
                simulation.run();
            } catch (Violation e) {
                String said = String.valueOf(e.getMessage());
                if (Pattern.compile(verdict).matcher(said).find()) {
                    return;
                }
                others.add(said);
            }
        }
        fail("in %d runs nobody says \"%s\", but: %s", SEEDS, verdict, others);
    }
}
