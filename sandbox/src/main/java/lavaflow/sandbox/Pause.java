package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.linux.Child;
import lavaflow.linux.OpenFile;
import lavaflow.linux.UserNamespace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The first process of a namespace of processes that several containers share: it does nothing, and takes leave of the dead.
 * A namespace of processes, unlike others, ends with its first process, so there must be one.
 *
 * <p>The program is made here, byte by byte: two system calls are no reason to ship a binary.
 */
final class Pause {
    private static final String NAME = "pause";
    private static final int HEADERS = 64 + 56;
    private static final long BASE = 0x400000;
    private static final int NOBODY = 65535;

    private final Places places;
    private final ControlGroups groups;
    private final OciRuntime runtime;

    Pause(Places places, ControlGroups groups, OciRuntime runtime) {
        this.places = places;
        this.groups = groups;
        this.runtime = runtime;
    }

    /** Where others find the namespace; makes it unless it is there. */
    synchronized Path namespace(SandboxSpec sandbox) throws IOException {
        Path directory = places.sandbox(sandbox.id());
        Path pidFile = directory.resolve("pause.pid");
        String group = places.group(sandbox) + "/" + NAME;
        long pid = ControlGroups.readLong(pidFile);
        if (pid == 0 || !groups.contains(group, pid)) {
            forget(sandbox);
            Files.deleteIfExists(pidFile);
            pid = start(sandbox, directory, pidFile, group);
        }
        return Path.of("/proc", Long.toString(pid), "ns/pid");
    }

    void forget(SandboxSpec sandbox) throws IOException {
        Roots.deleteFiles(places.runtimeState().resolve(id(sandbox)));
    }

    private static String id(SandboxSpec sandbox) {
        return NAME + "-" + sandbox.id();
    }

    private long start(SandboxSpec sandbox, Path directory, Path pidFile, String group) throws IOException {
        Path bundle = Files.createDirectories(directory.resolve(NAME));
        Files.write(
                bundle.resolve("config.json"),
                Json.bytes(config(sandbox, directory, root(), groups.limited() ? groups.told(group) : null)));
        OpenFile[] errors = OpenFile.pipe();
        Child child;
        try (OpenFile write = errors[1]) {
            child = Child.start(
                    List.of(
                            runtime.program().toString(),
                            "--root",
                            places.runtimeState().toString(),
                            "create",
                            "--bundle",
                            bundle.toString(),
                            "--pid-file",
                            pidFile.toString(),
                            id(sandbox)),
                    List.of(Bundle.USUAL_PATH),
                    Arrays.asList(null, null, write));
        }
        try (InputStream in = errors[0].intoInput()) {
            int code = child.await();
            if (code != 0) {
                throw new IOException(Supervisor.cleaned(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
            }
        }
        long pid = ControlGroups.readLong(pidFile);
        groups.begun(group, pid);
        Path state = places.runtimeState().resolve(id(sandbox));
        Path process = Path.of("/proc", Long.toString(pid));
        if (!OciRuntime.letGo(state, () -> Files.exists(process))) {
            throw new IOException("the first process of pod " + sandbox.id() + " does not start");
        }
        return pid;
    }

    private Path root() throws IOException {
        Path root = places.run().resolve(NAME);
        Path program = root.resolve(NAME);
        if (Files.notExists(program)) {
            for (String part : List.of("proc", "dev", "sys")) {
                Files.createDirectories(root.resolve(part));
            }
            Path next = root.resolve("next");
            Files.write(next, program(System.getProperty("os.arch", "").equals("aarch64")));
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("r-xr-xr-x"));
            Files.move(next, program, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        }
        return root;
    }

    private static ObjectNode config(SandboxSpec sandbox, Path directory, Path root, @Nullable String group) {
        ObjectNode config = Json.object();
        config.put("ociVersion", "1.0.2");
        ObjectNode process = config.putObject("process");
        boolean nobody =
                UserNamespace.own().hasUser(NOBODY) && UserNamespace.own().hasGroup(NOBODY);
        process.putObject("user").put("uid", nobody ? NOBODY : 0).put("gid", nobody ? NOBODY : 0);
        process.putArray("args").add("/" + NAME);
        process.put("cwd", "/").put("noNewPrivileges", true);
        config.putObject("root").put("path", root.toString()).put("readonly", true);
        ArrayNode mounts = config.putArray("mounts");
        mounts.addObject().put("destination", "/proc").put("type", "proc").put("source", "proc");
        mounts.addObject().put("destination", "/dev").put("type", "tmpfs").put("source", "tmpfs");
        ObjectNode linux = config.putObject("linux");
        if (group != null) {
            linux.put("cgroupsPath", group);
        }
        linux.putArray("maskedPaths").add("/proc/kcore");
        ArrayNode namespaces = linux.putArray("namespaces");
        namespaces.addObject().put("type", "mount");
        namespaces.addObject().put("type", "pid");
        if (group == null) {
            namespaces.addObject().put("type", "cgroup");
        }
        if (!sandbox.hostIpc()) {
            namespaces
                    .addObject()
                    .put("type", "ipc")
                    .put("path", directory.resolve("ipc").toString());
        }
        if (sandbox.networkNamespace() != null) {
            namespaces
                    .addObject()
                    .put("type", "network")
                    .put("path", sandbox.networkNamespace().toString());
        }
        return config;
    }

    /** An ELF file of one segment whose program ignores the deaths of children, which lets the kernel bury them, and waits. */
    static byte[] program(boolean arm) {
        byte[] code = arm ? armCode() : x86Code();
        ByteBuffer elf = ByteBuffer.allocate(HEADERS + code.length).order(ByteOrder.LITTLE_ENDIAN);
        elf.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        elf.putShort((short) 2).putShort((short) (arm ? 183 : 62)).putInt(1);
        elf.putLong(BASE + HEADERS).putLong(64).putLong(0).putInt(0);
        elf.putShort((short) 64).putShort((short) 56).putShort((short) 1).putShort((short) 64);
        elf.putShort((short) 0).putShort((short) 0);
        elf.putInt(1).putInt(5).putLong(0).putLong(BASE).putLong(BASE);
        elf.putLong(elf.capacity()).putLong(elf.capacity()).putLong(0x1000);
        return elf.put(code).array();
    }

    private static byte[] x86Code() {
        ByteBuffer code = ByteBuffer.allocate(40 + 32).order(ByteOrder.LITTLE_ENDIAN);
        code.put((byte) 0xb8).putInt(13); // mov eax, rt_sigaction
        code.put((byte) 0xbf).putInt(17); // mov edi, SIGCHLD
        code.put(new byte[] {0x48, (byte) 0x8d, 0x35}).putInt(40 - 17); // lea rsi, [rip + action]
        code.put(new byte[] {0x31, (byte) 0xd2}); // xor edx, edx
        code.put(new byte[] {0x41, (byte) 0xba}).putInt(8); // mov r10d, 8
        code.put(new byte[] {0x0f, 0x05}); // syscall
        code.put((byte) 0xb8).putInt(34); // again: mov eax, pause
        code.put(new byte[] {0x0f, 0x05}); // syscall
        code.put(new byte[] {(byte) 0xeb, (byte) 0xf7}); // jmp again
        code.position(40).putLong(1); // action: SIG_IGN, no flags, no mask
        return code.array();
    }

    private static byte[] armCode() {
        ByteBuffer code = ByteBuffer.allocate(56 + 32).order(ByteOrder.LITTLE_ENDIAN);
        code.putInt(move(8, 134)); // rt_sigaction
        code.putInt(move(0, 17)); // SIGCHLD
        code.putInt(0x10000001 | ((56 - 8) / 4) << 5); // adr x1, action
        code.putInt(move(2, 0));
        code.putInt(move(3, 8));
        code.putInt(0xd4000001); // svc 0
        code.putInt(move(8, 73)); // again: ppoll of nothing, for ever
        code.putInt(move(0, 0));
        code.putInt(move(1, 0));
        code.putInt(move(2, 0));
        code.putInt(move(3, 0));
        code.putInt(0xd4000001); // svc 0
        code.putInt(0x14000000 | (-6 & 0x3ffffff)); // b again
        code.position(56).putLong(1);
        return code.array();
    }

    private static int move(int register, int value) {
        return 0xd2800000 | value << 5 | register;
    }
}
