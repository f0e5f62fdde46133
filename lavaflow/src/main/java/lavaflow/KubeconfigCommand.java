package lavaflow;

import java.nio.file.Files;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints where the kubeconfig of the local cluster is. */
@Command(name = "kubeconfig", description = "Print the path of the kubeconfig.", mixinStandardHelpOptions = true)
final class KubeconfigCommand implements Callable<Integer> {
    @Mixin
    private HomeOption homeOption = new HomeOption();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        Home home = homeOption.home();
        if (!Files.exists(home.kubeconfig())) {
            throw new CommandFailure(
                    Lava.UNREACHABLE, "there is no cluster in " + home.directory() + " yet; start it with: lava up");
        }
        spec.commandLine().getOut().println(home.kubeconfig());
        spec.commandLine().getOut().flush();
        return Lava.DONE;
    }
}
