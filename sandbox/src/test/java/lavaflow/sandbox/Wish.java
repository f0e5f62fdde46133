package lavaflow.sandbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** A container to be asked for in a test: nothing special unless said. */
record Wish(
        TestingMachine machine,
        String id,
        String sandbox,
        ContainerSpec.Root root,
        List<ContainerSpec.Mount> mounts,
        ContainerSpec.Program program,
        ContainerSpec.Privileges privileges,
        Limits limits,
        int oomScore,
        List<ContainerSpec.Device> devices,
        @Nullable String target) {
    static final ContainerSpec.Privileges USUAL = new ContainerSpec.Privileges(
            "", List.of(), false, false, List.of(), List.of(), "RuntimeDefault", false, false);

    Wish(TestingMachine machine, String id, List<String> command) {
        this(
                machine,
                id,
                TestingMachine.POD,
                new ContainerSpec.HostTree(List.of(), false),
                List.of(),
                new ContainerSpec.Program(command, List.of(), "/", false, false, false),
                USUAL,
                Limits.NONE,
                0,
                List.of(),
                null);
    }

    /** A shell script; its errors come with its output, which keeps their order. */
    static Wish script(TestingMachine machine, String id, String script) {
        return machine.wish(id, "sh", "-c", "exec 2>&1\n" + script);
    }

    Wish in(String otherSandbox) {
        return new Wish(
                machine, id, otherSandbox, root, mounts, program, privileges, limits, oomScore, devices, target);
    }

    Wish root(ContainerSpec.Root other) {
        return new Wish(machine, id, sandbox, other, mounts, program, privileges, limits, oomScore, devices, target);
    }

    Wish mount(ContainerSpec.Mount mount) {
        List<ContainerSpec.Mount> all = new ArrayList<>(mounts);
        all.add(mount);
        return new Wish(machine, id, sandbox, root, all, program, privileges, limits, oomScore, devices, target);
    }

    Wish program(ContainerSpec.Program other) {
        return new Wish(machine, id, sandbox, root, mounts, other, privileges, limits, oomScore, devices, target);
    }

    Wish environment(String... variables) {
        return program(new ContainerSpec.Program(
                program.arguments(), List.of(variables), program.directory(), program.tty(), program.stdin(), false));
    }

    Wish tty() {
        return program(new ContainerSpec.Program(
                program.arguments(), program.environment(), program.directory(), true, program.stdin(), false));
    }

    Wish stdin() {
        return program(new ContainerSpec.Program(
                program.arguments(), program.environment(), program.directory(), program.tty(), true, false));
    }

    Wish privileges(ContainerSpec.Privileges other) {
        return new Wish(machine, id, sandbox, root, mounts, program, other, limits, oomScore, devices, target);
    }

    Wish user(String user, Long... groups) {
        return privileges(new ContainerSpec.Privileges(
                user, List.of(groups), false, false, List.of(), List.of(), "RuntimeDefault", false, false));
    }

    Wish limits(Limits other) {
        return new Wish(machine, id, sandbox, root, mounts, program, privileges, other, oomScore, devices, target);
    }

    Wish oomScore(int score) {
        return new Wish(machine, id, sandbox, root, mounts, program, privileges, limits, score, devices, target);
    }

    Wish device(ContainerSpec.Device device) {
        return new Wish(
                machine, id, sandbox, root, mounts, program, privileges, limits, oomScore, List.of(device), target);
    }

    Wish target(String other) {
        return new Wish(machine, id, sandbox, root, mounts, program, privileges, limits, oomScore, devices, other);
    }

    ContainerSpec spec() {
        return new ContainerSpec(
                id,
                sandbox,
                Map.of("attempt", "0"),
                root,
                mounts,
                program,
                privileges,
                limits,
                oomScore,
                devices,
                machine.logFile(id),
                target);
    }

    void start() throws SandboxException {
        machine.runtime.create(spec());
        machine.runtime.start(id);
    }
}
