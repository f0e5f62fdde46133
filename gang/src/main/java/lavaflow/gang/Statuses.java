package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** Works out what is told of gangs at the end of a round: how far they are, and why those that wait do. */
final class Statuses {
    private static final String SCHEDULABLE = "Schedulable";
    private static final String UNSCHEDULABLE = GroupStatus.UNSCHEDULABLE;

    private final Session session;
    private final List<Decision> decisions = new ArrayList<>();

    Statuses(Session session) {
        this.session = session;
    }

    /** What is new of gangs that were tried or changed. */
    List<Decision> tell() {
        for (Gang gang : session.state.changes.takeTouched()) {
            // One whose queue nobody told of is none of our business, as upstream sees it.
            Queue queue = gang.queue;
            if (queue != null) {
                Line line = gang.line;
                if (line != null && gang.waiting.isEmpty()) {
                    gang.waiting = line.why.stream().map(each -> each.of(gang)).toList();
                }
                if (queue.overused && gang.phase != GroupPhase.PENDING && gang.line != null && gang.waiting.isEmpty()) {
                    gang.waiting = List.of(new Waiting.Overused(queue.spec.name()));
                }
                tell(gang);
            }
        }
        return decisions;
    }

    private void tell(Gang gang) {
        refuse(gang);
        GroupStatus.Condition condition = condition(gang);
        GroupPhase phase = phase(gang, condition);
        if (phase != gang.phase) {
            session.state.phase(gang, phase);
        }
        Gang.Tally tally = gang.tally();
        GroupStatus status = new GroupStatus(
                phase, tally.of(Stage.RUNNING), tally.of(Stage.SUCCEEDED), tally.of(Stage.FAILED), condition);
        if (!status.equals(gang.status)) {
            gang.status = status;
            decisions.add(new Decision.Status(gang, status));
        }
        if (gang.heldBack) {
            // Nobody has refused them; what was told before may have to be told again.
            gang.members().forEach(member -> member.told = null);
        } else if (tally.of(Stage.PENDING) + tally.of(Stage.PIPELINED) > 0) {
            wait(gang, condition);
        }
    }

    private void refuse(Gang gang) {
        String message = origin(gang, Waiting.NotLetIn.class);
        if (!message.equals(gang.refusal)) {
            gang.refusal = message;
            if (!message.isEmpty()) {
                decisions.add(new Decision.Refuse(gang, message));
            }
        }
    }

    private static String origin(Gang gang, Class<? extends Waiting> kind) {
        for (Waiting each : gang.waiting) {
            if (kind.isInstance(each)) {
                return each.message();
            }
        }
        return "";
    }

    // ---- phases ----

    private static GroupPhase phase(Gang gang, GroupStatus.@Nullable Condition condition) {
        Gang.Tally tally = gang.tally();
        // Only of all together, as upstream has it: that one task is short of pods, or a part, is said by the condition
        // alone.
        boolean tooFew = condition != null && condition.isUnschedulable() && !gang.isReady();
        if (tally.of(Stage.RUNNING) > 0 && tooFew) {
            return GroupPhase.UNKNOWN;
        }
        int placed = tally.scheduled() + leaving(gang);
        if (placed > 0 && placed >= gang.spec.minMember()) {
            int ended = tally.of(Stage.SUCCEEDED) + tally.of(Stage.FAILED);
            return ended == placed ? GroupPhase.COMPLETED : GroupPhase.RUNNING;
        }
        return gang.phase == GroupPhase.INQUEUE ? GroupPhase.INQUEUE : GroupPhase.PENDING;
    }

    /** How many pods are leaving a node. */
    private static int leaving(Gang gang) {
        int count = 0;
        if (gang.tally().leaving() > 0) {
            for (Member member : gang.members()) {
                count += member.stage.isLeaving() && member.slot >= 0 ? 1 : 0;
            }
        }
        return count;
    }

    // ---- conditions ----

    private GroupStatus.@Nullable Condition condition(Gang gang) {
        if (!session.has("gang")) {
            return null;
        }
        if (gang.members().isEmpty()) {
            return gang.phase == GroupPhase.PENDING && !gang.waiting.isEmpty()
                    ? GroupStatus.Condition.notEnough(unready(gang))
                    : null;
        }
        if (session.votes.isReady(gang)) {
            String reason = heldUp(gang);
            return reason.isEmpty() ? GroupStatus.Condition.scheduled() : GroupStatus.Condition.notEnough(reason);
        }
        Gang.Tally tally = gang.tally();
        boolean onlyEnds = tally.of(Stage.PENDING) + tally.of(Stage.PIPELINED) == 0 && tally.leaving() > 0;
        if (onlyEnds) {
            return null;
        }
        for (Waiting each : gang.waiting) {
            if (each instanceof Waiting.Invalid(String reason, String message)) {
                return new GroupStatus.Condition(UNSCHEDULABLE, reason, message);
            }
        }
        return GroupStatus.Condition.notEnough(unready(gang));
    }

    /** Pods that ask for nothing count as placed before they are, as upstream sees it; that none fits must be said all the same. */
    private static String heldUp(Gang gang) {
        boolean placed = gang.tally().scheduled() >= gang.spec.minMember();
        for (Waiting each : gang.waiting) {
            if (!placed && each instanceof Waiting.Hopeless) {
                return stages(gang);
            }
        }
        return "";
    }

    private static String unready(Gang gang) {
        int missing = gang.spec.minMember() - gang.tally().ready() - gang.tried();
        return missing + "/" + gang.members().size() + " tasks in gang unschedulable: " + stages(gang);
    }

    /** How many pods stand where, and what stopped the first. */
    private static String stages(Gang gang) {
        TreeSet<String> counts = new TreeSet<>();
        for (Stage stage : Stage.values()) {
            int count = count(gang.tally(), stage);
            if (count > 0) {
                counts.add(count + " " + word(stage));
            }
        }
        counts.add(gang.spec.minMember() + " minAvailable");
        StringBuilder text = new StringBuilder("pod group is not ready, ").append(String.join(", ", counts));
        int waiting = gang.tally().of(Stage.PENDING);
        if (waiting > 0) {
            int schedulable = gang.tried();
            TreeSet<String> reasons = new TreeSet<>();
            if (schedulable > 0) {
                reasons.add(schedulable + " " + SCHEDULABLE);
            }
            if (waiting > schedulable) {
                reasons.add(waiting - schedulable + " " + UNSCHEDULABLE);
            }
            text.append("; Pending: ").append(String.join(", ", reasons));
        }
        if (!gang.waiting.isEmpty()) {
            text.append(". Origin reason is ").append(origin(gang.waiting.getFirst()));
        }
        return text.toString();
    }

    private static String origin(Waiting first) {
        return switch (first) {
            case Waiting.NoNode none -> none.pod() + ": " + none.message();
            case Waiting.Hopeless none -> none.pod() + ": " + none.message();
            default -> first.message();
        };
    }

    /** As Volcano tells stages apart: who may not go yet is leaving all the same, and whose binding is tried again is being bound. */
    private static int count(Gang.Tally tally, Stage stage) {
        return switch (stage) {
            case RELEASING -> tally.leaving();
            case BINDING -> tally.of(Stage.BINDING) + tally.of(Stage.DELAYED);
            case LINGERING, DELAYED -> 0;
            case PENDING, ALLOCATED, PIPELINED, BOUND, RUNNING, SUCCEEDED, FAILED, UNKNOWN -> tally.of(stage);
        };
    }

    private static String word(Stage stage) {
        return stage.name().charAt(0) + stage.name().substring(1).toLowerCase(Locale.ROOT);
    }

    // ---- pods ----

    private void wait(Gang gang, GroupStatus.@Nullable Condition condition) {
        String usual =
                condition == null || condition.message().isEmpty() ? "all nodes are unavailable" : condition.message();
        for (Member member : gang.members()) {
            if (member.stage == Stage.PIPELINED) {
                String node = session.nodes().node(member.slot).name();
                String text = possibly(member, node, "once resource is released and minAvailable is satisfied");
                tell(new Decision.Wait(member, UNSCHEDULABLE, text, member.made ? node : member.awaited), true);
            } else if (member.waits() && member.tried >= 0) {
                String node = session.nodes().node(member.tried).name();
                String text = possibly(member, node, "once minAvailable is satisfied");
                tell(new Decision.Wait(member, SCHEDULABLE, text, ""), false);
            } else if (member.waits()) {
                wait(member, usual);
            }
        }
    }

    private static String possibly(Member member, String node, String when) {
        return "Pod " + member.spec.pod().place() + " can possibly be assigned to " + node + ", " + when;
    }

    private void wait(Member member, String usual) {
        String role = member.spec.role();
        String name = member.spec.pod().name();
        String message = usual;
        boolean first = false;
        for (Waiting each : member.gang.waiting) {
            String itsRole = switch (each) {
                case Waiting.NoNode none -> none.pod().equals(name) ? "" : none.role();
                case Waiting.Hopeless none -> none.pod().equals(name) ? "" : none.role();
                default -> null;
            };
            if (itsRole != null && (itsRole.isEmpty() ? isAbout(each, name) : itsRole.equals(role))) {
                message = each.message();
                first = isAbout(each, name);
                break;
            }
        }
        tell(new Decision.Wait(member, UNSCHEDULABLE, message, ""), first);
    }

    private static boolean isAbout(Waiting waiting, String pod) {
        return switch (waiting) {
            case Waiting.NoNode none -> none.pod().equals(pod);
            case Waiting.Hopeless none -> none.pod().equals(pod);
            default -> false;
        };
    }

    private void tell(Decision.Wait wait, boolean withWords) {
        Member member = wait.member();
        Decision.Wait before = member.told;
        boolean same = before != null
                && before.reason().equals(wait.reason())
                && before.node().equals(wait.node())
                && (!withWords || before.message().equals(wait.message()));
        if (!same) {
            member.told = wait;
            decisions.add(wait);
        }
    }
}
