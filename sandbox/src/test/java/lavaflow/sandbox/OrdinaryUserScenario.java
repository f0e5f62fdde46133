package lavaflow.sandbox;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import lavaflow.linux.FileCalls;
import lavaflow.linux.Mounts;

/** What {@link OrdinaryUserTest} runs in a user namespace; tells what it saw, one line each. */
final class OrdinaryUserScenario {
    private static PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private OrdinaryUserScenario() {}

    public static void main(String[] arguments) throws Exception {
        TestingMachine machine = new TestingMachine();
        try {
            if (arguments.length > 0) {
                divided(machine);
            } else {
                everything(machine);
            }
        } finally {
            machine.close();
            tell("left over", machine.leftOvers().isEmpty() && Files.notExists(machine.directory));
            tell("groups left", groupsNamed(machine.cluster));
        }
        System.exit(0); // threads of the runtime would wait for more
    }

    private static void everything(TestingMachine machine) throws Exception {
        hostFiles(machine);
        image(machine);
        users(machine);
        processes(machine);
        restart(machine);
        tell("made by the runtime", machine.output(Wish.script(machine, machine.cluster, "echo ran")));
    }

    /** On a machine that has mounted something among its programs. */
    private static void divided(TestingMachine machine) throws Exception {
        tell("library", machine.output(Wish.script(machine, "divided", """
                ls -1 /usr/lib | wc -l; touch /usr/lib/x 2>/dev/null || echo not written; echo mine >/tmp/x && cat /tmp/x
                head -n 1 /etc/passwd | cut -d: -f1
                """)));
        machine.runtime.remove("divided");
        tell(
                "still mounted",
                Mounts.table().stream()
                        .filter(entry -> entry.target().endsWith("root/usr/lib"))
                        .count());
    }

    /** Control groups that have a name, which only a runtime could have made: in the one of this process. */
    private static long groupsNamed(String name) throws Exception {
        long found = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
            String own = line.split(":", 3)[2].substring(1);
            for (Mounts.Entry entry : Mounts.table()) {
                boolean has = entry.type().startsWith("cgroup")
                        && Files.exists(entry.target().resolve(own).resolve(name));
                found += has ? 1 : 0;
            }
        }
        return found;
    }

    private static void tell(String what, Object value) {
        out.println(what + ": " + String.valueOf(value).strip().replace('\n', ';'));
    }

    private static void hostFiles(TestingMachine machine) throws Exception {
        tell("host", machine.output(Wish.script(machine, "host", """
                id -u; hostname; cat /proc/1/comm; test -x /usr/bin/env && echo programs
                ls -A /home /root /tmp | grep -v : | grep . || echo nothing private
                echo mine >/tmp/x && cat /tmp/x; set -- /proc/[0-9]*; echo $#
                """)));
        tell(
                "read-only",
                machine.output(Wish.script(machine, "ro", "touch /usr/x /x /var/x && echo written")
                        .root(new ContainerSpec.HostTree(List.of(), true))));
        tell("notices", machine.runtime.info().notices().size());
    }

    private static void image(TestingMachine machine) throws Exception {
        Path lower = Files.createDirectories(machine.directory.resolve("image/lower/gone"))
                .resolve("..")
                .normalize();
        Files.writeString(lower.resolve("gone/file"), "hidden");
        Files.writeString(Files.createDirectories(lower.resolve("kept")).resolve("file"), "kept");
        Path upper = Files.createDirectories(machine.directory.resolve("image/upper/gone"))
                .resolve("..")
                .normalize();
        FileCalls.setAttribute(upper.resolve("gone").toString(), "user.overlay.opaque", new byte[] {'y'});
        for (String name : List.of("bin", "proc", "dev", "sys", "tmp")) {
            Files.createDirectories(lower.resolve(name));
        }
        Path busybox = Programs.find("busybox").orElse(null);
        if (busybox == null) {
            tell("image", "kept;nothing");
            return;
        }
        Files.copy(busybox, lower.resolve("bin/busybox"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        tell(
                "image",
                machine.output(machine.wish(
                                "image",
                                "/bin/busybox",
                                "sh",
                                "-c",
                                "busybox cat /kept/file; echo; busybox ls /gone | busybox grep . || echo nothing")
                        .root(new ContainerSpec.Layers(List.of(lower, upper), false))));
    }

    private static void users(TestingMachine machine) {
        try {
            Wish.script(machine, "user", "id").user("1000").start();
            tell("other user", "runs");
        } catch (SandboxException e) {
            tell("other user", String.valueOf(e.getMessage()).replaceAll("[:.].*", ""));
        } catch (Exception e) {
            tell("other user", e);
        }
    }

    /** Containers that share processes are told apart, and end one by one with all they have started. */
    private static void processes(TestingMachine machine) throws Exception {
        new PodWish("shared")
                .sharedProcesses()
                .quality(SandboxSpec.Quality.BEST_EFFORT)
                .create(machine.runtime);
        Wish.script(machine, "first", "setsid sleep 1000 & echo forked; exec sleep 1001")
                .in("shared")
                .start();
        machine.awaitLog("first", "forked");
        Wish.script(machine, "second", "exec sleep 1002").in("shared").start();
        tell("seen by the second", awaitSleepers(machine, " sleep 100[0-2]", 3));
        machine.runtime.kill("first");
        machine.exit("first");
        tell("left of the first", awaitSleepers(machine, " sleep 100[01]", 0));
        CommandResult late =
                machine.runtime.run("second", List.of("sh", "-c", "sleep 1003 & sleep 1004"), Duration.ofSeconds(1));
        tell("late", late.timedOut() + " " + awaitSleepers(machine, " sleep 100[34]", 0));
        machine.runtime.removeSandbox("shared");
        tell(
                "containers left",
                machine.runtime.containers().stream()
                        .filter(each -> each.sandbox().equals("shared"))
                        .count());
    }

    private static long sleepers(TestingMachine machine, String pattern) throws Exception {
        String look = "for p in /proc/[0-9]*; do echo \" $(tr '\\0' ' ' 2>/dev/null <$p/cmdline)\"; done";
        CommandResult seen = machine.runtime.run("second", List.of("sh", "-c", look), Duration.ofSeconds(60));
        return seen.output()
                .lines()
                .filter(line -> line.strip().matches(pattern.strip()))
                .count();
    }

    /** Programs that have been started may not have come to what they do, those that have been killed not have died. */
    private static long awaitSleepers(TestingMachine machine, String pattern, long count) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        long seen = sleepers(machine, pattern);
        while (seen != count && System.nanoTime() < end) {
            seen = sleepers(machine, pattern);
        }
        return seen;
    }

    private static void restart(TestingMachine machine) throws Exception {
        Wish.script(machine, "lives", "echo begun; read line; echo ended; exit 5")
                .stdin()
                .start();
        machine.awaitLog("lives", "begun");
        machine.reopen();
        tell("after a restart", machine.state("lives").phase());
        machine.runtime.kill("lives");
        tell("its end", machine.exit("lives").code());
    }
}
