package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** An image as a directory of files. */
record LayoutDirectory(Path directory) implements Blobs {
    @Override
    public boolean has(String path) {
        return Files.isRegularFile(directory.resolve(path));
    }

    @Override
    public InputStream open(String path) throws IOException, ImageException {
        return Warehouse.open(directory.resolve(path));
    }

    @Override
    public void close() {}
}
