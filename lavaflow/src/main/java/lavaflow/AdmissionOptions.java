package lavaflow;

import java.util.List;
import java.util.stream.Stream;

import lavaflow.apiserver.AdmissionSwitches;

import org.jspecify.annotations.Nullable;

/** Which plugins of admission are on. The names of the options are those of kube-apiserver. */
final class AdmissionOptions {
    private static final Command.Option ENABLE = Command.Option.of(
            "--enable-admission-plugins", "NAME,...", null, "Admission plugins to turn on beside the usual ones.");
    private static final Command.Option DISABLE =
            Command.Option.of("--disable-admission-plugins", "NAME,...", null, "Usual admission plugins to turn off.");

    static final List<Command.Option> OPTIONS = List.of(ENABLE, DISABLE);

    private AdmissionOptions() {}

    static AdmissionSwitches of(Command command, Arguments arguments) {
        List<String> enabled = names(arguments.find(ENABLE));
        List<String> disabled = names(arguments.find(DISABLE));
        String problem = AdmissionSwitches.problem(enabled, disabled);
        if (!problem.isEmpty()) {
            throw Arguments.wrong(command, problem);
        }
        return AdmissionSwitches.of(enabled, disabled);
    }

    private static List<String> names(@Nullable String text) {
        return text == null
                ? List.of()
                : Stream.of(text.split(",", -1))
                        .map(String::strip)
                        .filter(name -> !name.isEmpty())
                        .toList();
    }
}
