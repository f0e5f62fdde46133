package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.image.Image;

/** Carries out a recipe now rather than when the first pod wants it. */
final class ImageBuildCommand implements Command {
    @Override
    public String name() {
        return "image build";
    }

    @Override
    public String summary() {
        return "Build the image of a recipe: Python packages and files.";
    }

    @Override
    public List<String> parameters() {
        return List.of("RECIPE");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        Home home = arguments.home();
        home.create();
        RecipeBuilding recipes = new RecipeBuilding(home);
        Path given = Path.of(arguments.parameter(0));
        Path known = recipes.kept().resolve(arguments.parameter(0) + ".yaml");
        Path file = Files.exists(given) ? given : known;
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    Lava.FAILED, "there is no recipe " + given + ", neither as a file nor as " + known);
        }
        String name = recipes.adopt(file).name();
        Image image = recipes.build(name, console);
        console.line(
                console.green("✓") + " " + name + " " + Sizes.of(image.size()) + "; pods use it as: image: " + name);
        return Lava.DONE;
    }
}
