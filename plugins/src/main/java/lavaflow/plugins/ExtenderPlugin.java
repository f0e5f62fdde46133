package lavaflow.plugins;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.gang.Amounts;
import lavaflow.gang.Arguments;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Has a program elsewhere decide along: each question it has a verb for is posted to it. */
final class ExtenderPlugin
        implements Plugin,
                Plugin.Filter,
                Plugin.BatchScore,
                Plugin.Victims,
                Plugin.Overuse,
                Plugin.Entrance,
                Plugin.Readiness,
                Plugin.Account,
                Plugin.Timed {
    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(1);
    /** How long nothing is asked once a question was not answered; twice as long each time after. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private static final int LONGEST = 12;

    private final Session session;
    private final Extender extender;
    private final Arguments arguments;
    private final String prefix;
    private final boolean ignorable;
    private final Duration patience;
    private final Set<String> managed = new HashSet<>();
    /** What happens between rounds was not decided here. */
    private boolean deciding;
    /** Until when nothing is asked, since everything else waits for an answer; null while there are answers. */
    private @Nullable Instant silentUntil;

    private String silence = "";
    private int pauses = 1;

    ExtenderPlugin(Session session, Arguments arguments, Extender extender) {
        this.session = session;
        this.extender = extender;
        this.arguments = arguments;
        this.prefix = arguments.text("extender.urlPrefix", "");
        this.ignorable = arguments.flag("extender.ignorable", false);
        this.patience = patience(arguments.text("extender.httpTimeout", ""));
        arguments.structure("extender.managedResources").forEach(name -> managed.add(name.asText()));
    }

    private static Duration patience(String text) {
        try {
            Duration given = GoDuration.parse(text);
            return given.isPositive() ? given : USUAL_PATIENCE;
        } catch (MalformedException e) {
            return USUAL_PATIENCE;
        }
    }

    /** The answer to a question; null if it has no verb for that, or could not be asked and need not be. */
    private @Nullable JsonNode ask(String what, ObjectNode question) throws Extender.UnansweredException {
        String verb = arguments.text("extender." + what + "Verb", "");
        if (verb.isEmpty() || prefix.isEmpty()) {
            return null;
        }
        try {
            return answer(prefix.replaceAll("/+$", "") + "/" + verb, question);
        } catch (Extender.UnansweredException e) {
            if (ignorable) {
                return null;
            }
            throw e;
        }
    }

    private JsonNode answer(String url, ObjectNode question) throws Extender.UnansweredException {
        if (nextChange() != null) {
            throw new Extender.UnansweredException(silence);
        }
        try {
            JsonNode answer = extender.ask(url, question, patience);
            silentUntil = null;
            pauses = 1;
            return answer;
        } catch (Extender.UnansweredException e) {
            silence = String.valueOf(e.getMessage());
            silentUntil = session.now().plus(PAUSE.multipliedBy(pauses));
            pauses = Math.min(2 * pauses, LONGEST);
            throw e;
        }
    }

    /** Then it is asked again. */
    @Override
    public @Nullable Instant nextChange() {
        return silentUntil != null && session.now().isBefore(silentUntil) ? silentUntil : null;
    }

    private boolean has(String what) {
        return !arguments.text("extender." + what + "Verb", "").isEmpty();
    }

    /** For what need not be answered. */
    private void tell(String what, ObjectNode question) {
        try {
            ask(what, question);
        } catch (Extender.UnansweredException e) {
            // Nothing depends on it, as upstream has it.
        }
    }

    /** Pods that use none of the resources it is responsible for are none of its business. */
    private boolean concernsPod(Member member) {
        if (managed.isEmpty()) {
            return true;
        }
        Amounts request = member.request();
        for (int column = 0; column < request.size(); column++) {
            if (!request.lacks(column) && managed.contains(session.resource(column))) {
                return true;
            }
        }
        return false;
    }

    // ---- rounds ----

    @Override
    public void open(Session opened) {
        ObjectNode question = Json.object();
        question.putArray("Queues")
                .addAll(session.queues().stream().map(ExtenderPlugin::queue).toList());
        tell("onSessionOpen", question);
        deciding = true;
    }

    @Override
    public void close(Session closed) {
        deciding = false;
        tell("onSessionClose", Json.object());
    }

    // ---- nodes ----

    @Override
    public Scope scope(Member member) {
        return has("predicate") && concernsPod(member) ? Scope.WIDE : Scope.NONE;
    }

    @Override
    public @Nullable Refusal refusal(Member member, int slot) {
        if (!has("predicate") || !concernsPod(member)) {
            return null;
        }
        ObjectNode question = Json.object();
        question.set("task", task(member));
        question.set("node", node(slot));
        try {
            JsonNode answer = ask("predicate", question);
            String error = answer == null ? "" : field(answer, "status").asText("");
            return error.isEmpty() ? null : new Refusal(error, true);
        } catch (Extender.UnansweredException e) {
            return new Refusal(String.valueOf(e.getMessage()), false);
        }
    }

    @Override
    public boolean concerns(Member member) {
        return has("prioritize") && concernsPod(member);
    }

    @Override
    public void score(Member member, int[] slots, double[] scores) {
        ObjectNode question = Json.object();
        question.set("task", task(member));
        var nodes = question.putArray("nodes");
        for (int slot : slots) {
            nodes.add(node(slot));
        }
        try {
            JsonNode answer = ask("prioritize", question);
            JsonNode given = answer == null ? Json.object() : field(answer, "nodeScore");
            for (int i = 0; i < slots.length; i++) {
                scores[i] += given.path(session.nodes().node(slots[i]).name()).asDouble(0);
            }
        } catch (Extender.UnansweredException e) {
            // Without an answer all are equally good.
        }
    }

    // ---- victims ----

    private @Nullable List<Member> victims(String what, Member by, List<Member> candidates) {
        ObjectNode question = Json.object();
        question.set("evictor", task(by));
        question.putArray("evictees").addAll(candidates.stream().map(this::task).toList());
        try {
            JsonNode answer = ask(what, question);
            if (answer == null || field(answer, "status").asInt(1) == 0) {
                return null;
            }
            Set<String> named = new HashSet<>();
            field(answer, "victims")
                    .forEach(victim -> named.add(field(victim, "UID").asText()));
            return candidates.stream()
                    .filter(each -> named.contains(each.spec().pod().uid()))
                    .toList();
        } catch (Extender.UnansweredException e) {
            return List.of();
        }
    }

    @Override
    public @Nullable List<Member> preemptable(Member by, List<Member> candidates) {
        return has("preemptable") ? victims("preemptable", by, candidates) : null;
    }

    @Override
    public @Nullable List<Member> reclaimable(Member by, List<Member> candidates) {
        return has("reclaimable") ? victims("reclaimable", by, candidates) : null;
    }

    // ---- queues and gangs ----

    @Override
    public boolean isOverused(Queue queue) {
        ObjectNode question = Json.object();
        question.set("queue", queue(queue));
        try {
            JsonNode answer = has("queueOverused") ? ask("queueOverused", question) : null;
            return answer != null && field(answer, "overused").asBoolean();
        } catch (Extender.UnansweredException e) {
            return true;
        }
    }

    private Vote vote(String what, Gang gang, Vote unasked) {
        ObjectNode question = Json.object();
        question.set("job", job(gang));
        try {
            JsonNode answer = has(what) ? ask(what, question) : null;
            int status = answer == null ? 0 : field(answer, "status").asInt();
            return answer == null ? unasked : status > 0 ? Vote.YES : status < 0 ? Vote.NO : Vote.ABSTAIN;
        } catch (Extender.UnansweredException e) {
            return Vote.NO;
        }
    }

    @Override
    public Vote mayEnter(Gang gang, Refusals refusals) {
        Vote vote = vote("jobEnqueueable", gang, Vote.ABSTAIN);
        if (vote == Vote.NO) {
            refusals.refused(gang, "refused by the extender " + prefix);
        }
        return vote;
    }

    @Override
    public void entered(Gang gang) {
        ObjectNode question = Json.object();
        question.set("job", job(gang));
        tell("jobEnqueued", question);
    }

    @Override
    public boolean isReady(Gang gang) {
        ObjectNode question = Json.object();
        question.set("job", job(gang));
        try {
            JsonNode answer = has("jobReady") ? ask("jobReady", question) : null;
            return answer == null || field(answer, "status").asBoolean();
        } catch (Extender.UnansweredException e) {
            return false;
        }
    }

    @Override
    public Vote isPipelined(Gang gang) {
        return Vote.ABSTAIN;
    }

    // ---- accounts ----

    private void account(String what, Member member) {
        if (deciding && has(what) && concernsPod(member)) {
            ObjectNode question = Json.object();
            question.set("task", task(member));
            tell(what, question);
        }
    }

    @Override
    public void roomTaken(Member member) {
        account("allocateFunc", member);
    }

    @Override
    public void roomGiven(Member member) {
        account("deallocateFunc", member);
    }

    // ---- what is told ----

    /** Go reads names of fields whatever their case is. */
    private static JsonNode field(JsonNode object, String name) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        for (String each : names) {
            if (each.equalsIgnoreCase(name)) {
                return object.path(each);
            }
        }
        return object.path(name);
    }

    private ObjectNode task(Member member) {
        ObjectNode task = Json.object();
        task.put("UID", member.spec().pod().uid());
        task.put("Job", member.gang().spec().key());
        task.put("Name", member.spec().pod().name());
        task.put("Namespace", member.spec().pod().namespace());
        task.put("TaskRole", member.spec().role());
        task.set("Resreq", amounts(member.request()));
        task.set("InitResreq", amounts(member.request()));
        task.put("Priority", (long) member.spec().priority());
        task.put("Preemptable", member.spec().preemptable());
        task.put("BestEffort", member.spec().bestEffort());
        task.put(
                "NodeName",
                member.slot() < 0 ? "" : session.nodes().node(member.slot()).name());
        return task;
    }

    private ObjectNode node(int slot) {
        ObjectNode node = Json.object();
        node.put("Name", session.nodes().node(slot).name());
        node.set("Idle", amounts(session.room(slot, false)));
        node.set("Labels", session.nodes().node(slot).labels());
        return node;
    }

    private ObjectNode job(Gang gang) {
        ObjectNode job = Json.object();
        job.put("UID", gang.spec().key());
        job.put("Name", gang.spec().name());
        job.put("Namespace", gang.spec().namespace());
        job.put("Queue", gang.spec().queue());
        job.put("Priority", (long) gang.priority());
        job.put("MinAvailable", (long) gang.spec().minMember());
        job.set("Allocated", amounts(gang.allocated()));
        job.set("TotalRequest", amounts(gang.request()));
        return job;
    }

    private static ObjectNode queue(Queue queue) {
        ObjectNode object = Json.object();
        object.put("UID", queue.spec().name());
        object.put("Name", queue.spec().name());
        object.put("Weight", (long) queue.spec().weight());
        return object;
    }

    /** In upstream's form: processors in thousandths, memory in bytes, everything else in thousandths. */
    private ObjectNode amounts(Amounts amounts) {
        ObjectNode object = Json.object();
        object.put("MilliCPU", amounts.get(0));
        object.put("Memory", amounts.get(1));
        ObjectNode others = object.putObject("ScalarResources");
        for (int column = 2; column < amounts.size(); column++) {
            if (!amounts.lacks(column)) {
                boolean pods = column == session.podsColumn();
                others.put(session.resource(column), amounts.get(column) * (pods ? 1 : 1000));
            }
        }
        return object;
    }
}
