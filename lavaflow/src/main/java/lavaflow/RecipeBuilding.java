package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

import lavaflow.image.Image;
import lavaflow.image.ImageException;
import lavaflow.image.ImageStore;
import lavaflow.image.Origin;
import lavaflow.image.Recipe;
import lavaflow.image.TableFile;
import lavaflow.kube.Json;
import lavaflow.sandbox.OwnNamespaces;

/** Makes recipes known to the node of a data directory, and carries them out. */
final class RecipeBuilding {
    private final Home home;

    RecipeBuilding(Home home) {
        this.home = home;
    }

    /** Where recipes are kept that pods may ask for. */
    Path kept() throws IOException {
        return Files.createDirectories(home.directory().resolve("recipes"));
    }

    /** From now on the image of its name is what this recipe makes. */
    Recipe adopt(Path file) throws IOException {
        try {
            Recipe recipe = Recipe.read(file);
            link(file, kept().resolve(recipe.name() + ".yaml"));
            new TableFile(home.directory().resolve("images.yaml"))
                    .put(Json.object().put("image", recipe.name()).put("recipe", recipe.name()));
            return recipe;
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Keeps the recipe where pods find it; what its paths start from stays the place it came from. */
    private static void link(Path file, Path kept) throws IOException {
        Path whole = file.toRealPath();
        if (Files.exists(kept) && whole.equals(kept.toRealPath())) {
            return;
        }
        Path link = kept.resolveSibling(kept.getFileName() + ".new");
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, whole);
        Files.move(link, kept, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Whether somebody decided that images of this name come from elsewhere. */
    boolean isElsewhere(String image) {
        try (ImageStore images = ImageStore.open(home.directory())) {
            return images.table().rules().stream()
                    .anyMatch(rule -> rule.pattern().equals(image) && !(rule.origin() instanceof Origin.FromRecipe));
        } catch (ImageException e) {
            throw new CommandFailure(Lava.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Builds what is not built yet. */
    Image build(String name, Console console) throws IOException {
        try (OwnNamespaces.Visit _ = OwnNamespaces.visit(home.node());
                ImageStore images = ImageStore.open(home.directory());
                ProgressBar progress = console.progress()) {
            return images.fetch(name, List.of(), progress);
        } catch (ImageException e) {
            throw new CommandFailure(Lava.FAILED, String.valueOf(e.getMessage()));
        }
    }
}
