package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Struct;
import lavaflow.kube.Types;

/** The kinds of metrics.k8s.io. They are metrics-server's, so the table of Kubernetes' own kinds does not have them. */
final class MetricsTypes implements Types {
    private static final String HOME = "io.k8s.metrics.pkg.apis.metrics.v1beta1.";
    private static final String HEAD = "\t\tkind s 0 e i=TypeMeta\tapiVersion s 0 e i=TypeMeta"
            + "\tmetadata @io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta 1 e d={}"
            + "\ttimestamp t 2 r\twindow D 3 r\t";

    private final BuiltinTypes own = new BuiltinTypes("!version\t" + ResourceMetrics.GROUP + "\t"
            + ResourceMetrics.VERSION
            + "\n!kind\tNodeMetrics\tNodeMetricsList\tnodes\t\tcluster\tget,list\t\t\t\t" + HOME + "NodeMetrics"
            + "\n!kind\tPodMetrics\tPodMetricsList\tpods\t\tnamespaced\tget,list\t\t\t\t" + HOME + "PodMetrics\n"
            + HOME + "NodeMetrics" + HEAD + "usage {q 4 r\n"
            + HOME + "PodMetrics" + HEAD + "containers [@ContainerMetrics 4 r\n"
            + HOME + "ContainerMetrics\t\tname s 1 r\tusage {q 2 r\n");

    List<KindInfo> kinds() {
        return own.kinds().versions().getFirst().kinds();
    }

    @Override
    public Struct struct(String name) {
        return own.knows(name) ? own.struct(name) : BuiltinTypes.instance().struct(name);
    }
}
