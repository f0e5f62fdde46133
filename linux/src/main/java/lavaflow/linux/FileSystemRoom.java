package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * How many files a file system can hold.
 *
 * @param files at most; zero where they are made as needed
 * @param freeFiles how many more
 */
public record FileSystemRoom(long files, long freeFiles) {
    public static FileSystemRoom of(Path path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment facts = arena.allocate(256, 8);
            CLibrary.call(
                    "statfs " + path,
                    SystemCall.STATFS,
                    CLibrary.string(arena, path.toString()).address(),
                    facts.address());
            return new FileSystemRoom(facts.get(ValueLayout.JAVA_LONG, 40), facts.get(ValueLayout.JAVA_LONG, 48));
        }
    }
}
