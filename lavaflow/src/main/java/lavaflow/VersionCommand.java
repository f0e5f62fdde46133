package lavaflow;

import java.util.List;

import lavaflow.apiserver.ServerVersion;

/** Prints versions. */
final class VersionCommand implements Command {
    @Override
    public String name() {
        return "version";
    }

    @Override
    public String summary() {
        return "Print the version.";
    }

    @Override
    public List<Option> options() {
        return List.of();
    }

    @Override
    public int run(Arguments arguments, Console console) {
        console.line("lava " + Lava.version());
        console.line("kubernetes " + ServerVersion.of(Lava.version()).gitVersion());
        return Lava.DONE;
    }
}
