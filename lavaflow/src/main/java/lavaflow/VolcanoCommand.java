package lavaflow;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

import lavaflow.apiserver.YamlText;
import lavaflow.cli.Surroundings;
import lavaflow.cli.VolcanoCli;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

/** Volcano's own programs, which take their own flags and answer in their own words: links of their names to {@code lava} are them. */
final class VolcanoCommand implements Command {
    @Override
    public String name() {
        return "vcctl";
    }

    @Override
    public String summary() {
        return "Be Volcano's vcctl; likewise vsub, vjobs, vqueues and others.";
    }

    @Override
    public List<Option> options() {
        return List.of();
    }

    @Override
    public int run(Arguments arguments, Console console) {
        throw new IllegalStateException("it is told apart before its words are read");
    }

    /** Whether a first word is one of the programs; most others can be told without looking. */
    static boolean isName(String word) {
        return word.startsWith("v")
                && !word.equals("version")
                && VolcanoCli.names().contains(word);
    }

    static int run(String program, List<String> words, PrintWriter out) {
        Surroundings surroundings = new Surroundings(
                out,
                new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                System.getenv(),
                Lava.version(),
                VolcanoCommand::connect,
                YamlText::of,
                InstantSource.system());
        return VolcanoCli.run(program, words, surroundings);
    }

    private static Surroundings.Connected connect(String kubeconfig, String server) throws IOException {
        Path file = WhichCluster.kubeconfig(kubeconfig.isEmpty() ? null : kubeconfig, System.getenv(), Home.of(null));
        Settings settings = Settings.of(file, "vcctl/" + Lava.version());
        RemoteKubeApi api;
        try {
            api = new RemoteKubeApi(server.isEmpty() ? settings : settings.at(server));
        } catch (ApiException e) {
            throw new IOException(e.getMessage(), e);
        }
        return new Surroundings.Connected() {
            @Override
            public KubeApi api() {
                return api;
            }

            @Override
            public void close() {
                api.close();
            }
        };
    }
}
