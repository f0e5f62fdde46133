package lavaflow;

import java.io.IOException;
import java.util.List;

import lavaflow.image.ImageEntry;
import lavaflow.image.ImageException;
import lavaflow.image.ImageStore;
import lavaflow.image.Reference;
import lavaflow.image.TableFile;
import lavaflow.sandbox.OwnNamespaces;

/** Removes an image, or a rule of the table. */
final class ImageRemoveCommand implements Command {
    private static final Option RULE = Option.flag("--rule", "Remove the rule with this pattern from the image table.");
    private static final Option FORCE = Option.flag("--force", "Remove it although containers run on it.");

    @Override
    public String name() {
        return "image rm";
    }

    @Override
    public String summary() {
        return "Remove an image by name or id, or a rule of the table.";
    }

    @Override
    public List<String> parameters() {
        return List.of("NAME");
    }

    @Override
    public List<Option> options() {
        return List.of(DATA_DIR, RULE, FORCE);
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        String wanted = arguments.parameter(0);
        if (arguments.has(RULE)) {
            return removeRule(wanted, arguments.home(), console);
        }
        try (OwnNamespaces.Visit _ = OwnNamespaces.visit(arguments.home().node());
                ImageStore images = ImageStore.open(arguments.home().directory())) {
            List<ImageEntry> found = images.entries().stream()
                    .filter(entry -> isId(entry, wanted) || isName(entry, wanted))
                    .toList();
            if (found.size() != 1) {
                throw new CommandFailure(
                        Lava.FAILED,
                        found.isEmpty()
                                ? "there is no image '" + wanted + "'. Try: lava image ls"
                                : found.size() + " images have ids that begin with '" + wanted + "'");
            }
            ImageEntry entry = found.getFirst();
            boolean whole = entry.names().size() <= 1 || !isName(entry, wanted);
            if (whole && !arguments.has(FORCE) && images.isInUse(entry.id())) {
                throw new CommandFailure(
                        Lava.FAILED, wanted + " is used by a running container; stop it first, or say --force");
            }
            if (whole) {
                images.remove(entry.id());
            } else {
                images.removeName(wanted);
            }
        } catch (ImageException e) {
            throw new CommandFailure(Lava.FAILED, String.valueOf(e.getMessage()));
        }
        console.line("Removed " + wanted);
        return Lava.DONE;
    }

    private static boolean isId(ImageEntry entry, String wanted) {
        return entry.id().equals(wanted)
                || (wanted.length() >= 4
                        && entry.id().substring(entry.id().indexOf(':') + 1).startsWith(wanted));
    }

    private static boolean isName(ImageEntry entry, String wanted) {
        try {
            return entry.names().containsKey(Reference.parse(wanted).toString());
        } catch (ImageException e) {
            return false;
        }
    }

    private static int removeRule(String pattern, Home home, Console console) throws IOException {
        try {
            if (!new TableFile(home.directory().resolve("images.yaml")).remove(pattern)) {
                throw new CommandFailure(
                        Lava.FAILED, "there is no rule for '" + pattern + "'. Try: lava image ls --table");
            }
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.FAILED, String.valueOf(e.getMessage()));
        }
        console.line("Removed the rule for " + pattern);
        return Lava.DONE;
    }
}
