package lavaflow.plugins;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import lavaflow.gang.Arguments;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.PodRequests;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Gives pods cards of a node, or parts of cards. Which they got is written on the pods, so that it is known again after a restart; of
 * those that are just placed it is kept here.
 */
final class DeviceSharePlugin implements Plugin, Plugin.Filter, Plugin.MemberScore, Plugin.Account, Plugin.Notes {
    static final String IDS = "volcano.sh/vgpu-ids-new";
    private static final String BINPACK = "binpack";
    private static final String SPREAD = "spread";
    private static final double MOST = 100;
    private static final Refusal NO_CARD = new Refusal("not enough gpu fitted on this node", true);

    /** What annotations of a pod say about cards. */
    private record Taste(String types, String notTypes, String uuids, String notUuids, String mode, boolean spread) {
        static Taste of(ObjectNode annotations) {
            return new Taste(
                    Json.textAt(annotations, "nvidia.com/use-gputype"),
                    Json.textAt(annotations, "nvidia.com/nouse-gputype"),
                    Json.textAt(annotations, "volcano.sh/vgpu-use-gpuuuid"),
                    Json.textAt(annotations, "volcano.sh/vgpu-nouse-gpuuuid"),
                    Json.textAt(annotations, "volcano.sh/vgpu-mode"),
                    Json.textAt(annotations, "volcano.sh/vgpu-podgroup-policy").equals(SPREAD));
        }

        boolean accepts(VirtualGpu card) {
            return (types.isEmpty() || names(types, card.type))
                    && !names(notTypes, card.type)
                    && (uuids.isEmpty() || List.of(uuids.split(",", -1)).contains(card.uuid))
                    && !List.of(notUuids.split(",", -1)).contains(card.uuid)
                    && (mode.isEmpty() || mode.equals(card.mode));
        }

        private static boolean names(String list, String type) {
            for (String each : list.split(",", -1)) {
                if (!each.isBlank()
                        && type.toLowerCase(Locale.ROOT).contains(each.strip().toLowerCase(Locale.ROOT))) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Cards for a pod, as they are written on it, and how good they are. */
    private record Grant(String text, double score) {}

    private final boolean virtual;
    private final @Nullable SharedGpus shared;
    private final String policy;
    private final int weight;
    private final List<Map<String, String>> exclusive = new ArrayList<>();
    private final Session session;
    private final NodeTable nodes;
    private final Map<String, Map<String, String>> chosen = new HashMap<>();

    DeviceSharePlugin(Session session, Arguments arguments) {
        this.session = session;
        this.nodes = session.nodes();
        this.virtual = arguments.flag("deviceshare.VGPUEnable", false);
        boolean memory = arguments.flag("deviceshare.GPUSharingEnable", false);
        boolean number = arguments.flag("deviceshare.GPUNumberEnable", false);
        if (memory && number) {
            throw new MalformedException("can not define true in both gpu sharing and gpu number");
        }
        if ((memory || number) && virtual) {
            throw new MalformedException("gpu-share and vgpu can't be used together");
        }
        this.shared = memory || number ? new SharedGpus(session, number) : null;
        this.policy = arguments.text("deviceshare.SchedulePolicy", "");
        this.weight = arguments.integer("deviceshare.ScheduleWeight", 0);
        for (JsonNode rule : arguments.structure("deviceshare.GPUExclusiveRules")) {
            Map<String, String> labels = new LinkedHashMap<>();
            rule.properties()
                    .forEach(each -> labels.put(each.getKey(), each.getValue().asText()));
            exclusive.add(labels);
        }
    }

    private static List<VirtualGpu.Wish> wishes(Member member) {
        List<VirtualGpu.Wish> wishes = new ArrayList<>();
        for (JsonNode container : Json.listAt(member.type().spec(), "containers")) {
            Map<String, Long> wants = new HashMap<>(PodRequests.amounts(Json.at(container, "resources", "limits")));
            wants.putAll(PodRequests.amounts(Json.at(container, "resources", "requests")));
            int cards = wants.getOrDefault("volcano.sh/vgpu-number", 0L).intValue();
            long memory = wants.getOrDefault("volcano.sh/vgpu-memory", 0L);
            int percentage =
                    wants.getOrDefault("volcano.sh/vgpu-memory-percentage", 0L).intValue();
            int cores = wants.getOrDefault("volcano.sh/vgpu-cores", 0L).intValue();
            wishes.add(new VirtualGpu.Wish(cards, memory, percentage == 0 ? 100 : percentage, cores));
        }
        return wishes;
    }

    private boolean wantsVirtual(Member member) {
        return virtual && wishes(member).stream().anyMatch(wish -> wish.cards() > 0);
    }

    // ---- which nodes ----

    @Override
    public Scope scope(Member member) {
        if (shared != null && shared.concerns(member)) {
            return Scope.alike(SharedGpus.class);
        }
        if (!wantsVirtual(member)) {
            return Scope.NONE;
        }
        Taste taste = Taste.of(member.spec().annotations());
        return Scope.alike(taste.spread ? List.of(member.type(), taste, member.gang()) : List.of(member.type(), taste));
    }

    @Override
    public @Nullable Refusal refusal(Member member, int slot) {
        if (shared != null && shared.concerns(member)) {
            return shared.refusal(member, slot, chosen);
        }
        return wantsVirtual(member) && grant(member, slot) == null ? NO_CARD : null;
    }

    @Override
    public double score(Member member, int slot) {
        boolean counts = weight != 0 && !policy.isEmpty() && wantsVirtual(member);
        Grant grant = counts ? grant(member, slot) : null;
        return grant == null ? 0 : grant.score * weight;
    }

    // ---- which cards ----

    /** Null if the node has not the cards. */
    private @Nullable Grant grant(Member member, int slot) {
        List<VirtualGpu> cards = cards(slot);
        Taste taste = Taste.of(member.spec().annotations());
        Set<Object> marks = marks(member.type().labels);
        StringBuilder text = new StringBuilder();
        double score = 0;
        for (VirtualGpu.Wish wish : wishes(member)) {
            int left = wish.cards();
            text.append(text.isEmpty() ? "" : ";");
            cards.sort(order());
            for (VirtualGpu card : List.copyOf(cards)) {
                boolean avoided = (taste.spread && card.isUsedBy(member.gang())) || card.isMarked(marks);
                if (left > 0 && taste.accepts(card) && !avoided && card.fits(wish)) {
                    long memory = wish.memoryOf(card);
                    card.use(memory, wish.cores(), Set.of());
                    text.append(card.uuid + "," + card.type + "," + memory + "," + wish.cores() + ":");
                    score += score(card);
                    left--;
                }
            }
            if (left > 0) {
                return null;
            }
        }
        return new Grant(text.toString(), score);
    }

    private Comparator<VirtualGpu> order() {
        return switch (policy) {
            case BINPACK ->
                Comparator.comparingLong((VirtualGpu card) -> -card.usedMemory).thenComparingInt(card -> card.index);
            case SPREAD ->
                Comparator.comparingInt((VirtualGpu card) -> card.users).thenComparingInt(card -> card.index);
            default -> Comparator.comparingInt((VirtualGpu card) -> -card.index);
        };
    }

    private double score(VirtualGpu card) {
        return switch (policy) {
            case BINPACK -> card.memory == 0 ? 0 : MOST * card.usedMemory / card.memory;
            case SPREAD -> card.users == 1 ? MOST : 0;
            default -> 0;
        };
    }

    /** The cards of a node with what pods have of them. */
    private List<VirtualGpu> cards(int slot) {
        List<VirtualGpu> cards = VirtualGpu.of(nodes.node(slot).annotations());
        Map<String, VirtualGpu> byId = new HashMap<>();
        cards.forEach(card -> byId.put(card.uuid, card));
        for (PlacedPod placed : nodes.pods(slot)) {
            Map<String, String> its =
                    chosen.getOrDefault(placed.pod().uid(), placed.pod().devices());
            use(byId, its.getOrDefault(IDS, ""), placed);
        }
        return cards;
    }

    private void use(Map<String, VirtualGpu> cards, String ids, PlacedPod by) {
        for (String each : ids.split("[:;]", -1)) {
            String[] fields = each.split(",", -1);
            VirtualGpu card = fields.length < 4 ? null : cards.get(fields[0]);
            if (card != null) {
                Set<Object> marks = marks(by.type().labels);
                Member member = session.member(by.pod().uid());
                if (member != null) {
                    marks.add(member.gang());
                }
                card.use(VirtualGpu.number(fields[2]), VirtualGpu.number(fields[3]), marks);
            }
        }
    }

    /** The rules of exclusion that labels match: pods of one rule never share a card. */
    private Set<Object> marks(ObjectNode labels) {
        Set<Object> marks = new HashSet<>();
        for (Map<String, String> rule : exclusive) {
            boolean matches = !rule.isEmpty()
                    && rule.entrySet().stream()
                            .allMatch(each -> Json.textAt(labels, each.getKey()).equals(each.getValue()));
            if (matches) {
                marks.add(rule);
            }
        }
        return marks;
    }

    // ---- who has what ----

    @Override
    public void roomTaken(Member member) {
        if (member.stage() != Stage.ALLOCATED || member.slot() < 0) {
            return;
        }
        Map<String, String> got = new LinkedHashMap<>();
        String uid = member.spec().pod().uid();
        if (shared != null && shared.concerns(member)) {
            got.put(SharedGpus.INDEX, shared.choose(member, member.slot(), chosen));
            got.put("volcano.sh/predicate-time", String.valueOf(session.now().toEpochMilli() * 1_000_000));
        } else if (wantsVirtual(member)) {
            Grant grant = grant(member, member.slot());
            if (grant != null) {
                String now = String.valueOf(session.now().getEpochSecond());
                got.put("volcano.sh/vgpu-node", nodes.node(member.slot()).name());
                got.put("volcano.sh/vgpu-time", now);
                got.put(IDS, grant.text);
                got.put("volcano.sh/devices-to-allocate", grant.text);
                got.put("volcano.sh/bind-phase", "allocating");
                got.put("volcano.sh/bind-time", now);
            }
        }
        if (!got.isEmpty()) {
            chosen.put(uid, got);
        }
    }

    @Override
    public void roomGiven(Member member) {
        if (member.stage() != Stage.BOUND && member.stage() != Stage.RUNNING) {
            chosen.remove(member.spec().pod().uid());
        }
    }

    @Override
    public void annotate(Member member, ObjectNode annotations) {
        chosen.getOrDefault(member.spec().pod().uid(), Map.of()).forEach(annotations::put);
    }
}
