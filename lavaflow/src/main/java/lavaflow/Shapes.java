package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

import lavaflow.kube.MalformedException;
import lavaflow.node.SimShape;
import lavaflow.node.SimShapes;

import org.jspecify.annotations.Nullable;

/** What an option says of simulated nodes: a number of them, or a file of shapes. */
final class Shapes {
    private Shapes() {}

    static List<SimShape> of(Command command, Command.Option option, @Nullable String text) {
        if (text == null) {
            return List.of();
        }
        try {
            return text.chars().allMatch(Character::isDigit) && text.length() < 10 && !text.isEmpty()
                    ? SimShapes.ofCount(Integer.parseInt(text))
                    : SimShapes.parse(Files.readString(Path.of(text)));
        } catch (NoSuchFileException e) {
            throw Arguments.wrong(command, option.name() + " wants a number or a file; there is no file " + text);
        } catch (MalformedException | IOException e) {
            throw Arguments.wrong(command, option.name() + " " + text + ": " + e.getMessage());
        }
    }
}
