package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import lavaflow.kube.Json;
import lavaflow.linux.Mounts;
import lavaflow.linux.Signals;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One container and the files that tell how far it is. Each step is written down before it is taken:
 *
 * <ul>
 *   <li>{@code container.json}: it was asked for
 *   <li>{@code starting}: its process is being made
 *   <li>{@code started}: its program is being let go
 *   <li>{@code failed}: its program could not be executed
 *   <li>{@code lost}: its end was not seen by anybody
 *   <li>a file of its name among the exits: its program ended
 *   <li>{@code removed.json} in place of the first: it is being taken away
 * </ul>
 */
final class Container {
    private static final Logger LOG = LoggerFactory.getLogger(Container.class);
    private static final int NEVER_RAN = 128;
    private static final int LOST = 137;
    private static final String OUT_OF_MEMORY = "out-of-memory";

    private final Places places;
    private final ControlGroups groups;
    private final Records.Made made;
    private final Path directory;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    private volatile @Nullable Instant startedAt;
    private volatile long pid;
    private volatile @Nullable ContainerExit exit;
    private volatile @Nullable ContainerUser user;
    private boolean removed;
    private boolean adopted;

    Container(Places places, ControlGroups groups, Records.Made made) {
        this.places = places;
        this.groups = groups;
        this.made = made;
        directory = places.container(made.id());
    }

    String id() {
        return made.id();
    }

    Records.Made made() {
        return made;
    }

    void runAs(ContainerUser who) {
        user = who;
    }

    /** Who its program runs as; what an earlier process found is in what it told the runtime. */
    ContainerUser user() throws IOException {
        ContainerUser known = user;
        if (known == null) {
            JsonNode told = Json.parse(Files.readString(directory.resolve("config.json")))
                    .path("process")
                    .path("user");
            List<Long> groups = new ArrayList<>();
            told.path("additionalGids").forEach(each -> groups.add(each.asLong()));
            known = new ContainerUser(
                    told.path("uid").asLong(), told.path("gid").asLong(), groups);
            user = known;
        }
        return known;
    }

    ContainerState state() {
        return ContainerState.of(made, exit, startedAt, () -> pid);
    }

    void start(Supervisor supervisor, Roots roots) throws SandboxException {
        lock.lock();
        try {
            if (startedAt != null || exit != null) {
                return;
            }
            if (adopted && !Mounts.isMounted(Roots.mountPoint(directory))) {
                roots.mount(directory, made.overlay());
            }
            Places.write(directory.resolve("starting"), Records.currentBoot());
            pid = create(supervisor);
            groups.begun(made.group(), pid);
            letGo();
        } catch (SandboxException e) {
            failed(e);
            throw e;
        } catch (IOException e) {
            SandboxException failure = new SandboxException(SandboxException.Cause.START, e.getMessage() + "", e);
            failed(failure);
            throw failure;
        } finally {
            lock.unlock();
        }
    }

    /** Makes its process, a second time where something of the machine has gone since the container was described. */
    private long create(Supervisor supervisor) throws IOException, SandboxException {
        try {
            return supervisor.create(made);
        } catch (SandboxException e) {
            if (!SoftwareMounts.leaveOutVanished(directory.resolve("config.json"))) {
                throw e;
            }
            LOG.info("container {} is started without a file system that has just gone: {}", made.id(), e.getMessage());
            undoStart();
            Places.write(directory.resolve("starting"), Records.currentBoot());
            return supervisor.create(made);
        }
    }

    /** The last step: its program runs. */
    private void letGo() throws IOException, SandboxException {
        Instant now = Instant.now();
        Places.write(directory.resolve("started"), now.toString());
        Path process = Path.of("/proc", Long.toString(pid));
        if (!OciRuntime.letGo(places.runtimeState().resolve(made.id()), () -> Files.exists(process))) {
            throw new SandboxException(
                    SandboxException.Cause.START, "the container's process ended before its program ran");
        }
        startedAt = now;
    }

    private void failed(SandboxException why) {
        try {
            recognize();
            groups.killAll(made.group());
            Places.write(directory.resolve("failed"), why.getMessage() + "");
        } catch (IOException e) {
            LOG.warn("cannot note that {} failed", made.id(), e);
        }
        end(new ContainerExit(made.id(), NEVER_RAN, false, Instant.now(), why.getMessage()));
    }

    /** Finds out how far it came before; false when it was never completely made. */
    boolean adopt() throws IOException {
        lock.lock();
        try {
            adopted = true;
            if (Files.notExists(directory.resolve("config.json"))) {
                return false;
            }
            Path started = directory.resolve("started");
            if (Files.exists(started)) {
                startedAt = Instant.parse(Files.readString(started));
            }
            if (!readProblem("failed", NEVER_RAN) && !readProblem("lost", LOST) && !readExit()) {
                adoptProcess();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean readProblem(String name, int code) throws IOException {
        Path file = directory.resolve(name);
        if (Files.notExists(file)) {
            return false;
        }
        Instant at = Files.getLastModifiedTime(file).toInstant();
        exit = new ContainerExit(made.id(), code, false, at, Files.readString(file));
        return true;
    }

    private void adoptProcess() throws IOException {
        if (startedAt == null) {
            if (Files.exists(directory.resolve("starting"))) {
                undoStart();
            }
            return;
        }
        pid = readPid();
        recognize();
        boolean alive = groups.contains(made.group(), pid);
        if (!isSupervised()) {
            // It may have written the end between two looks.
            if (!readExit()) {
                lost();
            }
        } else if (alive) {
            resume();
        }
    }

    /** A process may have been made just before nobody was left to say whose it is. */
    private void recognize() throws IOException {
        if (groups instanceof ProcessGroups) {
            long first = RuntimeState.process(places.runtimeState().resolve(made.id()));
            if (first > 0 && !groups.contains(made.group(), first)) {
                groups.begun(made.group(), first);
            }
        }
    }

    boolean isSupervised() {
        return ProcessTable.mentions(supervisorPid(), directory.toString());
    }

    long supervisorPid() {
        return ControlGroups.readLong(directory.resolve("conmon.pid"));
    }

    /** A process that still waits for its start was cut off from it. */
    private void resume() throws IOException {
        Path state = places.runtimeState().resolve(made.id());
        Path pipe = state.resolve("exec.fifo");
        if (Files.exists(pipe)) {
            boolean waited = OciRuntime.letGo(state, () -> false);
            LOG.debug("{} had been waiting to start: {}", made.id(), waited);
            Files.deleteIfExists(pipe);
        }
    }

    /** Its process was being made, perhaps is still, and never ran: it is as if nobody had tried. */
    private void undoStart() throws IOException {
        recognize();
        ProcessTable.killMentioning(directory.toString());
        groups.empty(made.group());
        deleteRuntimeState();
        deleteExit();
        Files.deleteIfExists(directory.resolve("starting"));
        pid = 0;
    }

    /** Without its supervisor nobody reads what it writes, and nobody will know how it ends: it ends now. */
    private void lost() throws IOException {
        killSupervisor();
        groups.killAll(made.group());
        // Somebody may have deleted all of its files.
        Path starting = directory.resolve("starting");
        boolean restarted =
                Files.exists(starting) && !Files.readString(starting).equals(Records.currentBoot());
        String why = restarted
                ? "The machine was restarted while the container ran."
                : "The supervisor of the container ended before it.";
        try {
            Places.write(directory.resolve("lost"), why);
        } catch (IOException e) {
            // A full disk may be why nobody could write how it ended.
            LOG.warn("cannot note that the end of {} is not known: {}", made.id(), e.getMessage());
        }
        end(new ContainerExit(made.id(), LOST, false, Instant.now(), why));
    }

    /** Called when its supervisor is gone; true when this is news. */
    boolean noticeSupervisorGone() {
        lock.lock();
        try {
            if (exit != null || startedAt == null || removed) {
                return false;
            }
            if (isSupervised()) {
                LOG.warn("container {} was told to have lost its supervisor, which is there", made.id());
                return false;
            }
            if (!readExit()) {
                lost();
            }
            return true;
        } catch (IOException e) {
            LOG.error("cannot find out how {} ended", made.id(), e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private long readPid() {
        return ControlGroups.readLong(directory.resolve("pid"));
    }

    /** Looks for the file that tells of the end; true when this is news. */
    boolean noticeExit() {
        lock.lock();
        try {
            return exit == null && readExit();
        } catch (IOException e) {
            LOG.error("cannot read how {} ended", made.id(), e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean readExit() throws IOException {
        Path file = places.exits().resolve(made.id());
        if (Files.notExists(file)) {
            file = places.spareExit(made.id()).resolve("exit");
            // A supervisor that is there may be about to write the other one.
            if (Files.notExists(file) || isSupervised()) {
                return false;
            }
        }
        int code = (int) ControlGroups.readLong(file);
        boolean noted = Files.exists(directory.resolve(OUT_OF_MEMORY));
        boolean outOfMemory = noted || groups.outOfMemoryKills(made.group()) > 0;
        if (outOfMemory && !noted) {
            noteOutOfMemory();
        }
        groups.killAll(made.group());
        end(new ContainerExit(
                made.id(), code, outOfMemory, Files.getLastModifiedTime(file).toInstant()));
        return true;
    }

    private void noteOutOfMemory() {
        try {
            Files.createFile(directory.resolve(OUT_OF_MEMORY));
        } catch (IOException e) {
            // How it ended is known all the same, until somebody else asks.
            LOG.warn("cannot note that {} ran out of memory: {}", made.id(), e.getMessage());
        }
    }

    private void end(ContainerExit how) {
        exit = how;
        ended.signalAll();
    }

    /** The first process, if the program runs. */
    long runningPid() throws SandboxException {
        long number = pid;
        if (exit != null || startedAt == null || number == 0) {
            throw SandboxException.notRunning(made.id());
        }
        return number;
    }

    void signal(int number) throws SandboxException {
        long target = runningPid();
        try {
            if (groups.contains(made.group(), target)) {
                Signals.send(target, number);
            }
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    void kill() throws SandboxException {
        try {
            groups.killAll(made.group());
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    ProcessStreams attach(StreamWishes wishes) throws SandboxException {
        runningPid();
        try {
            return new Attachment(directory, places.socket(made.id()).resolve("attach"), wishes);
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        }
    }

    /** Waits until the new file is there, for whoever renamed the old one may delete it next. */
    void reopenLog() throws SandboxException {
        runningPid();
        Path log = Path.of(made.log());
        CountDownLatch appeared = new CountDownLatch(1);
        try (DirectoryWatch watch =
                new DirectoryWatch(log.toAbsolutePath().resolve("..").normalize(), file -> {
                    if (log.endsWith(file)) {
                        appeared.countDown();
                    }
                })) {
            boolean renamed = Files.notExists(log);
            Attachment.control(directory, "2 0 0");
            if (renamed && !watch.present().contains(log.getFileName() + "") && !appeared.await(60, TimeUnit.SECONDS)) {
                throw new SandboxException(SandboxException.Cause.OTHER, "the log was not opened again");
            }
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException(SandboxException.Cause.OTHER, "interrupted", e);
        }
    }

    /** Kills it, if it runs, and finds out how it ended. */
    void end() throws SandboxException {
        lock.lock();
        try {
            if (startedAt != null && exit == null) {
                groups.killAll(made.group());
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                boolean awaited = true;
                while (exit == null && !readExit() && awaited) {
                    // Without its supervisor nobody will write the end; what was written before is read once more.
                    awaited = isSupervised() && System.nanoTime() < deadline;
                    boolean told = ended.await(100, TimeUnit.MILLISECONDS);
                    LOG.trace("{} ended: {}", made.id(), told);
                }
            }
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException(SandboxException.Cause.OTHER, "interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    void remove() throws SandboxException {
        lock.lock();
        try {
            end();
            removed = true;
            Path record = directory.resolve("container.json");
            if (Files.exists(record)) {
                Files.move(record, directory.resolve("removed.json"), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            }
            destroy();
        } catch (IOException e) {
            throw new SandboxException(SandboxException.Cause.OTHER, e.getMessage() + "", e);
        } finally {
            lock.unlock();
        }
    }

    /** Takes everything away that is left of it. */
    void destroy() throws IOException {
        recognize();
        groups.killAll(made.group());
        killSupervisor();
        groups.remove(made.group());
        deleteRuntimeState();
        Files.deleteIfExists(places.socket(made.id()));
        deleteExit();
        Mounts.unmount(Roots.mountPoint(directory));
        Roots.delete(directory);
    }

    private void deleteExit() throws IOException {
        Files.deleteIfExists(places.exits().resolve(made.id()));
        Roots.deleteFiles(places.spareExit(made.id()));
    }

    private void deleteRuntimeState() throws IOException {
        Roots.deleteFiles(places.runtimeState().resolve(made.id()));
    }

    /** Its number may be somebody else's by now: only a conmon of this container is killed. */
    private void killSupervisor() throws IOException {
        if (isSupervised()) {
            Signals.send(supervisorPid(), Signals.KILL);
        }
    }
}
