package lavaflow.plugins;

import lavaflow.gang.Arguments;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PodClass;
import lavaflow.placement.Standing;

/** Weighs kube-scheduler's scores of nodes. */
final class NodeOrderPlugin implements Plugin, Plugin.NodeScore, Plugin.MemberScore, Plugin.BatchScore {
    /** What images count for. */
    private record Images(Object names, int version) {}

    private final int least;
    private final int most;
    private final int balanced;
    private final int nodeAffinity;
    private final int podAffinity;
    private final int taints;
    private final int images;
    private final int spread;
    private final ClusterState cluster;
    private final NodeTable nodes;
    /** The column of the only resource beside processors and memory that is to be used evenly with them. */
    private final int cards;

    NodeOrderPlugin(Session session, Arguments arguments) {
        this.cluster = session.cluster();
        this.nodes = session.nodes();
        this.cards = session.columns().place("nvidia.com/gpu");
        this.least = arguments.integer("leastrequested.weight", 1);
        this.most = arguments.integer("mostrequested.weight", 0);
        this.nodeAffinity = arguments.integer("nodeaffinity.weight", 2);
        this.podAffinity = arguments.integer("podaffinity.weight", 2);
        this.balanced = arguments.integer("balancedresource.weight", 1);
        this.taints = arguments.integer("tainttoleration.weight", 3);
        this.images = arguments.integer("imagelocality.weight", 1);
        this.spread = arguments.integer("podtopologyspread.weight", 2);
    }

    // ---- what depends on the node alone ----

    @Override
    public double score(PodClass type, int slot) {
        long sum = least == 0 ? 0 : least * nodes.leftOver(type, slot);
        sum += most == 0 ? 0 : most * nodes.usedUp(type, slot);
        return balanced == 0 ? sum : sum + balanced * nodes.evenness(type, slot, cards);
    }

    // ---- images ----

    @Override
    public Scope scope(Member member) {
        boolean counts = images != 0 && nodes.images().knowsAny(member.type());
        return counts
                ? Scope.alike(new Images(member.type().images, nodes.images().version()))
                : Scope.NONE;
    }

    @Override
    public double score(Member member, int slot) {
        return images == 0 ? 0 : images * (double) nodes.images().score(member.type(), slot, nodes.size());
    }

    // ---- what depends on the others ----

    @Override
    public boolean concerns(Member member) {
        return !new Standing(cluster, member.type()).isIndifferent();
    }

    @Override
    public void score(Member member, int[] slots, double[] scores) {
        Standing standing = new Standing(cluster, member.type());
        add(nodeAffinity, standing.affinity(slots), scores);
        add(podAffinity, standing.neighbours(slots), scores);
        add(taints, standing.taints(slots), scores);
        add(spread, standing.spread(slots), scores);
    }

    private static void add(int weight, long[] more, double[] scores) {
        for (int i = 0; i < scores.length; i++) {
            scores[i] += weight * (double) more[i];
        }
    }
}
