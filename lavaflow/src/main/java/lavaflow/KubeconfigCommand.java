package lavaflow;

import java.nio.file.Files;

/** Prints where the kubeconfig of the local cluster is. */
final class KubeconfigCommand implements Command {
    @Override
    public String name() {
        return "kubeconfig";
    }

    @Override
    public String summary() {
        return "Print the path of the kubeconfig.";
    }

    @Override
    public int run(Arguments arguments, Console console) {
        Home home = arguments.home();
        if (!Files.exists(home.kubeconfig())) {
            throw home.missing();
        }
        console.line(home.kubeconfig().toString());
        return Lava.DONE;
    }
}
