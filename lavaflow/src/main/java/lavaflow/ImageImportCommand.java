package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.image.ImageException;
import lavaflow.image.ImageStore;
import lavaflow.sandbox.OwnNamespaces;

/** Takes in an image from a file; pods find it under its name without asking anybody. */
final class ImageImportCommand implements Command {
    private static final Option NAME =
            Option.of("--name", "NAME", null, "What pods call it (default: the names in the file).");

    @Override
    public String name() {
        return "image import";
    }

    @Override
    public String summary() {
        return "Take in what 'docker save' or an OCI tool wrote.";
    }

    @Override
    public List<String> parameters() {
        return List.of("FILE");
    }

    @Override
    public List<Option> options() {
        return List.of(DATA_DIR, NAME);
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        Path file = Path.of(arguments.parameter(0));
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new CommandFailure(Lava.FAILED, "there is no file " + file + " that can be read");
        }
        String name = arguments.find(NAME);
        arguments.home().create();
        List<String> names;
        try (OwnNamespaces.Visit _ = OwnNamespaces.visit(arguments.home().node());
                ImageStore images = ImageStore.open(arguments.home().directory());
                ProgressBar progress = console.progress()) {
            names = images.load(file, name == null ? List.of() : List.of(name), progress);
        } catch (ImageException e) {
            String message = String.valueOf(e.getMessage());
            throw new CommandFailure(Lava.FAILED, message.contains(file.toString()) ? message : file + ": " + message);
        }
        names.forEach(known -> console.line(console.green("✓") + " " + known));
        return Lava.DONE;
    }
}
