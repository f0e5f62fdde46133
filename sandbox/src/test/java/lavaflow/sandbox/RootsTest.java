package lavaflow.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import lavaflow.linux.Mounts;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What files a container begins with. */
@Timeout(600)
class RootsTest {
    private TestingMachine machine;

    @BeforeEach
    void open() throws Exception {
        machine = new TestingMachine();
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    private Wish script(String text) {
        return Wish.script(machine, "a", text);
    }

    /** An image of a shell with many names, and further layers with a file each. */
    private List<Path> layers(int more) throws Exception {
        Path busybox = Path.of("/bin/busybox");
        assumeTrue(Files.isExecutable(busybox), "busybox is not installed");
        List<Path> layers = new ArrayList<>();
        Path base = Files.createDirectories(machine.directory.resolve("layers/base"));
        Files.createDirectories(base.resolve("bin"));
        Files.createDirectories(base.resolve("etc"));
        Files.copy(busybox, base.resolve("bin/busybox"));
        for (String name : List.of("sh", "cat", "ls", "id", "echo", "touch", "grep", "sleep", "pwd", "env")) {
            Files.createSymbolicLink(base.resolve("bin").resolve(name), Path.of("busybox"));
        }
        Files.writeString(
                base.resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\napp:x:1000:1001::/home/app:/bin/sh\n");
        Files.writeString(base.resolve("etc/group"), "root:x:0:\nstaff:x:50:app\nwheel:x:60:other,app\n");
        layers.add(base);
        for (int i = 1; i <= more; i++) {
            Path layer =
                    machine.directory.resolve("layers").resolve("a-rather-long-name-for-the-layer-of-an-image-" + i);
            Files.createDirectories(layer);
            Files.writeString(layer.resolve("f" + i), Integer.toString(i));
            Files.writeString(layer.resolve("last"), Integer.toString(i));
            layers.add(layer);
        }
        return layers;
    }

    @Test
    void theMachinesFilesAreThereAndWritesStayInTheContainer() throws Exception {
        assertThat(machine.output(
                        script("test -x /usr/bin/env && echo mine > /etc/lavaflow-test; cat /etc/lavaflow-test")))
                .isEqualTo("mine\n");
        assertThat(Path.of("/etc/lavaflow-test")).doesNotExist();
    }

    @Test
    void whatNobodyShouldSeeIsHidden() throws Exception {
        Files.createDirectories(machine.directory.resolve("node"));
        String seen = machine.output(script("ls -A /root /home /tmp /var/tmp /run; grep -c '[$]' /etc/shadow; " + "ls "
                + machine.directory + "; stat -c %a /tmp /root"));

        assertThat(seen)
                .contains("/root:\n\n/run:\n\n/tmp:\n\n/var/tmp:\n")
                .contains("0\n")
                .contains("cannot access '" + machine.directory)
                .endsWith("1777\n" + Integer.toOctalString(mode(Path.of("/root"))) + "\n");
    }

    /** As the machine has it: not everywhere is the home of root closed. */
    private static int mode(Path path) throws Exception {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
    }

    @Test
    void programsOnFileSystemsOfTheirOwnAreThereToo() {
        List<Mounts.Entry> table = List.of(
                entry("/", "ext4"),
                entry("/usr", "ext4"),
                entry("/opt/tools", "xfs"),
                entry("/opt/memory", "tmpfs"),
                entry("/home", "ext4"),
                entry("/var", "ext4"),
                entry("/usrx", "ext4"));

        assertThat(SoftwareMounts.among(table)).containsExactly(Path.of("/usr"), Path.of("/opt/tools"));
    }

    private static Mounts.Entry entry(String target, String type) {
        return new Mounts.Entry(Path.of("/"), Path.of(target), "rw", "", type, "dev", "rw");
    }

    @Test
    void directoriesAreLaidOverTheMachinesFiles() throws Exception {
        Path over = Files.createDirectories(machine.directory.resolve("over"));
        Files.writeString(over.resolve("tool"), "hello");
        ContainerSpec.Mount mount = new ContainerSpec.Mount(over, "/opt/venv", true, "rprivate");

        assertThat(machine.output(script("cat /opt/venv/tool; touch /opt/venv/x")
                        .root(new ContainerSpec.HostTree(List.of(mount), false))))
                .startsWith("hello")
                .contains("Read-only file system");
        assertThat(Path.of("/opt/venv")).doesNotExist();
    }

    @Test
    void anImagesLayersLieOverEachOtherTheLastOnTop() throws Exception {
        assertThat(machine.output(script("cat /f1 /f2 /last").root(new ContainerSpec.Layers(layers(2), false))))
                .isEqualTo("122");
    }

    @Test
    void anImageMayHaveManyLayers() throws Exception {
        assertThat(machine.output(script("cat /f1 /last").root(new ContainerSpec.Layers(layers(120), false))))
                .isEqualTo("1120");
    }

    @Test
    void aReadOnlyRootCannotBeWritten() throws Exception {
        assertThat(machine.output(script("touch /x; touch /dev/shm/y && echo shm")
                        .root(new ContainerSpec.Layers(layers(0), true))))
                .contains("Read-only file system")
                .endsWith("shm\n");
    }

    @Test
    void filesAndDirectoriesOfTheMachineAreMounted() throws Exception {
        Path file = machine.directory.resolve("hosts");
        Files.writeString(file, "127.0.0.1 me\n");
        Path volume = Files.createDirectories(machine.directory.resolve("volume"));
        Wish wish = script("cat /etc/hosts; echo data > /data/deep/down/file; touch /ro/x")
                .mount(new ContainerSpec.Mount(file, "/etc/hosts", false, "rprivate"))
                .mount(new ContainerSpec.Mount(volume, "/data/deep/down", false, ""))
                .mount(new ContainerSpec.Mount(volume, "/ro", true, "rprivate"));

        assertThat(machine.output(wish)).startsWith("127.0.0.1 me\n").contains("Read-only file system");
        assertThat(volume.resolve("file")).hasContent("data");
    }

    @Test
    void whatIsMountedBelowAMountIsReadOnlyWhereThatIsWished() throws Exception {
        assumeTrue(machine.runtime.info().recursiveReadOnly());
        Path volume = Files.createDirectories(machine.directory.resolve("volume"));
        Files.createDirectories(volume.resolve("inner"));
        Mounts.mount("tmpfs", volume.resolve("inner"), "tmpfs", 0, "");
        try {
            Wish wish = script("touch /usual/inner/file && echo written; touch /all/inner/more")
                    .mount(new ContainerSpec.Mount(volume, "/usual", true, "rprivate"))
                    .mount(new ContainerSpec.Mount(volume, "/all", true, "rprivate", true));

            assertThat(machine.output(wish)).contains("written").contains("Read-only file system");
            assertThat(volume.resolve("inner/more")).doesNotExist();
        } finally {
            Mounts.unmount(volume.resolve("inner"));
        }
    }

    @Test
    void mountsMadeByTheContainerAreSeenOutsideWhereThatIsWished() throws Exception {
        Path volume = Files.createDirectories(machine.directory.resolve("volume"));
        Mounts.mount("tmpfs", volume, "tmpfs", 0, "");
        Mounts.mount("", volume, "", Mounts.SHARED, "");
        Files.createDirectories(volume.resolve("inner"));
        ContainerSpec.Privileges all = new ContainerSpec.Privileges(
                "", List.of(), true, false, List.of(), List.of(), "Unconfined", false, false);

        machine.output(script("mount -t tmpfs t /v/inner && touch /v/inner/seen")
                .privileges(all)
                .mount(new ContainerSpec.Mount(volume, "/v", false, "rshared")));

        assertThat(volume.resolve("inner/seen")).exists();
        Mounts.unmount(volume.resolve("inner"));
        Mounts.unmount(volume);
    }

    @Test
    void aMountOfNothingIsRefusedAndLeavesNothing() throws Exception {
        assertThatThrownBy(() -> machine.runtime.create(script("true")
                        .mount(new ContainerSpec.Mount(Path.of("/no/such"), "/x", false, "rprivate"))
                        .spec()))
                .isInstanceOfSatisfying(
                        SandboxException.class,
                        e -> assertThat(e.reason()).isEqualTo(SandboxException.Cause.CONFIGURATION))
                .hasMessage("cannot mount /no/such at /x: no such file or directory");
        assertThat(machine.runtime.containers()).isEmpty();
        assertThat(Mounts.table())
                .noneMatch(entry -> entry.target().startsWith(machine.directory.resolve("node/containers")));
    }

    @Test
    void aProgramRunsAsAUserOfItsImageWithThatUsersGroupsAndHome() throws Exception {
        TestingMachine.assumeUsers();
        ContainerSpec.Root root = new ContainerSpec.Layers(layers(0), false);
        assertThat(machine.output(script("id; echo $HOME").root(root).user("app", 70L)))
                .isEqualTo("uid=1000(app) gid=1001 groups=50(staff),60(wheel),70,1001\n/home/app\n");
    }

    @Test
    void aProgramRunsAsNumbersThatNoFileKnows() throws Exception {
        TestingMachine.assumeUsers();
        ContainerSpec.Root root = new ContainerSpec.Layers(layers(0), false);
        assertThat(machine.output(script("id; echo $HOME").root(root).user("4711:4712")))
                .isEqualTo("uid=4711 gid=4712 groups=4712\n/\n");
    }

    @Test
    void aUserThatIsNotThereIsRefused() throws Exception {
        ContainerSpec.Root root = new ContainerSpec.Layers(layers(0), false);
        assertThatThrownBy(() -> script("id").root(root).user("nobody-knows").start())
                .hasMessage("unable to find user nobody-knows: no matching entries in passwd file");
    }

    @Test
    void theProgramStartsInItsDirectoryWithItsEnvironment() throws Exception {
        Wish wish = script("pwd; echo $A $PATH")
                .program(new ContainerSpec.Program(
                        List.of("sh", "-c", "pwd; echo $A $PATH"),
                        List.of("A=b c"),
                        "/usr/share",
                        false,
                        false,
                        false));

        assertThat(machine.output(wish))
                .isEqualTo("/usr/share\nb c /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n");
    }

    @Test
    void whatAnOrdinaryUserCannotReadIsMaskedAndDirectoriesKeepTheirOwners() throws Exception {
        Path host = machine.directory.resolve("host");
        Path layer = machine.directory.resolve("layer");
        Files.createDirectories(host.resolve("etc/app"));
        Files.createDirectories(host.resolve("var/lib/db/deep"));
        Files.createDirectories(layer);
        Files.setPosixFilePermissions(host.resolve("var/lib/db"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.writeString(host.resolve("etc/app/open"), "x");
        Files.writeString(host.resolve("etc/app/key"), "x");
        Files.setPosixFilePermissions(host.resolve("etc/app/key"), PosixFilePermissions.fromString("rw-------"));
        Files.writeString(host.resolve("etc/shadow"), "root:$y$secret:1:2:3:4:::\nme:!:1::::::\n");

        HostMask.make(host, layer, List.of());

        assertThat(layer.resolve("etc/app/open")).doesNotExist();
        assertThat(Files.getAttribute(layer.resolve("etc/app/key"), "unix:rdev"))
                .isEqualTo(0L);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(layer.resolve("var/lib/db"))))
                .isEqualTo("rwxr-x---");
        assertThat(layer.resolve("etc/shadow")).hasContent("root:*:19000:0:99999:7:::\nme:*:19000:0:99999:7:::");
    }

    @Test
    void whatIsHiddenIsHiddenWhereverLinksLead() throws Exception {
        Path data = Files.createTempDirectory(Path.of("/srv"), "lavaflow-test");
        try {
            Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path key = Files.writeString(data.resolve("key"), "secret");
            Path link = Files.createSymbolicLink(machine.directory.resolve("link"), data);
            machine.hide(link);

            assertThat(machine.output(script("cat " + key))).contains("No such file or directory");
        } finally {
            lavaflow.linux.FileTree.delete(data);
        }
    }

    @Test
    void whatIsHiddenOnFileSystemsOfProgramsIsHiddenToo() throws Exception {
        Path other = Files.createTempDirectory(Path.of("/opt"), "lavaflow-test");
        Path disk = machine.directory.resolve("disk");
        try {
            Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.createDirectories(disk.resolve("data"));
            Files.writeString(disk.resolve("data/key"), "secret");
            Files.writeString(disk.resolve("program"), "runs");
            Mounts.bind(disk, other);
            SoftwareMounts.forget();
            machine.hide(other.resolve("data"));

            assertThat(machine.output(script("cat " + other.resolve("program") + "; cat " + other.resolve("data/key"))))
                    .startsWith("runs")
                    .contains("No such file or directory");
        } finally {
            Mounts.unmount(other);
            Files.delete(other);
        }
        assertThat(machine.output(Wish.script(machine, "b", "echo still starts")))
                .isEqualTo("still starts\n");
    }

    @Test
    void aFileSystemThatGoesBeforeAContainerStartsDoesNotKeepItFromThat() throws Exception {
        Path other = Files.createTempDirectory(Path.of("/opt"), "lavaflow-test");
        Path disk = Files.createDirectories(machine.directory.resolve("disk"));
        try {
            Mounts.bind(disk, other);
            SoftwareMounts.forget();
            machine.hide(other.resolve("data"));
            machine.runtime.create(script("test -e " + other + "; echo $?").spec());
        } finally {
            Mounts.unmount(other);
            Files.delete(other);
        }
        machine.runtime.start("a");

        assertThat(machine.exit("a").code()).isZero();
        assertThat(machine.log("a")).isEqualTo("1\n");
    }

    @Test
    void whatAPodAskedForMustBeThereWhenItStarts() throws Exception {
        Path volume = Files.createDirectories(machine.directory.resolve("volume"));
        machine.runtime.create(script("true")
                .mount(new ContainerSpec.Mount(volume, "/data", false, "rprivate"))
                .spec());
        Files.delete(volume);

        assertThatThrownBy(() -> machine.runtime.start("a")).hasMessageContaining("no such file or directory");
    }

    @Test
    void deletingNeverReachesIntoAMount() throws Exception {
        Path precious = Files.createDirectories(machine.directory.resolve("precious"));
        Files.writeString(precious.resolve("file"), "x");
        Path doomed = Files.createDirectories(machine.directory.resolve("doomed/inner"));
        Mounts.bind(precious, doomed);

        Roots.delete(machine.directory.resolve("doomed"));

        assertThat(precious.resolve("file")).exists();
        assertThat(machine.directory.resolve("doomed")).doesNotExist();
    }
}
