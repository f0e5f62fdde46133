package lavaflow.image;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Programs this machine must have for images made of its own files, and how to get those it lacks. */
final class Programs {
    private static final Path POLICY = Path.of("/usr/sbin/policy-rc.d");

    private static final List<String> INSTALL = List.of(
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "install",
            "-y",
            "-qq",
            "--no-install-recommends",
            "-o",
            "DPkg::Lock::Timeout=300");

    /** Carries out a command; fails where it does. */
    interface Runner {
        void run(String... command) throws IOException, ImageException;
    }

    private final String path;
    private final boolean mayInstall;
    private final Path policy;

    /**
     * @param path where programs are looked for
     * @param mayInstall whether those that lack may be installed
     * @param policy the program that says whether services may start with their packages
     */
    Programs(String path, boolean mayInstall, Path policy) {
        this.path = path;
        this.mayInstall = mayInstall;
        this.policy = policy;
    }

    /** Those of this process, and those of administrators, which are not in everybody's path. */
    static Programs ofMachine() {
        Programs all = new Programs(System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin", false, POLICY);
        boolean root = false;
        try {
            root = Files.getAttribute(Path.of("/proc/self"), "unix:uid", LinkOption.NOFOLLOW_LINKS)
                    .equals(0);
        } catch (IOException | UnsupportedOperationException e) {
            // then it is not this process that may install anything
        }
        return new Programs(all.path, root && all.find("apt-get").isPresent(), POLICY);
    }

    Optional<Path> find(String name) {
        for (String directory : path.split(":", -1)) {
            Path place = Path.of(directory).resolve(name);
            if (place.isAbsolute() && Files.isExecutable(place)) {
                return Optional.of(place);
            }
        }
        return Optional.empty();
    }

    /**
     * Sees to it that the machine has some programs.
     *
     * @param wanted programs and the packages that bring them
     */
    void ensure(Map<String, String> wanted, Runner runner) throws IOException, ImageException {
        Set<String> packages = missing(wanted);
        if (packages.isEmpty()) {
            return;
        }
        if (mayInstall) {
            install(packages, runner);
        }
        Set<String> still = missing(wanted);
        if (!still.isEmpty()) {
            throw new ImageException(
                    ImageException.Kind.NOT_FOUND,
                    "this machine lacks programs the recipe needs; get them with: sudo apt-get install "
                            + String.join(" ", still));
        }
    }

    private Set<String> missing(Map<String, String> wanted) {
        Set<String> packages = new LinkedHashSet<>();
        wanted.forEach((program, from) -> {
            if (find(program).isEmpty()) {
                packages.add(from);
            }
        });
        return packages;
    }

    /** Services that come with packages are for pods and are not to start on the machine itself. */
    private void install(Set<String> packages, Runner runner) throws IOException, ImageException {
        boolean forbidden = forbidServices();
        try {
            runner.run("apt-get", "update", "-qq");
            List<String> command = new ArrayList<>(INSTALL);
            command.addAll(packages);
            runner.run(command.toArray(String[]::new));
        } finally {
            if (forbidden) {
                Files.deleteIfExists(policy);
            }
        }
    }

    private boolean forbidServices() throws IOException {
        try {
            Files.writeString(policy, "#!/bin/sh\nexit 101\n", StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            return false; // somebody else decides
        }
        Files.setPosixFilePermissions(policy, PosixFilePermissions.fromString("rwxr-xr-x"));
        return true;
    }
}
