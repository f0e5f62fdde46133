package lavaflow.apiserver;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Struct;
import lavaflow.kube.Types;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The group explain.lavaflow.dev: why PodGroups wait, worked out when somebody asks. Who may not see the pods of all namespaces is not told the
 * names of others' jobs.
 */
final class ExplanationGroup implements OwnGroup.Handler {
    static final String GROUP = "explain.lavaflow.dev";
    private static final String VERSION = "v1";
    private static final long PRIORITY = 100;
    private static final String GROUPS = "podgroups";
    private static final String QUEUES = "queues";

    static final AggregatedRole READERS =
            new AggregatedRole("lavaflow:explain", GROUP, List.of(GROUPS, QUEUES), List.of("get"));

    private static final class ExplanationTypes implements Types {
        private static final String HOME = "dev.lavaflow.explain.v1.";
        private static final String HEAD = "\t\tkind s 0 e i=TypeMeta\tapiVersion s 0 e i=TypeMeta"
                + "\tmetadata @io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta 1 e d={}\theadline s 2 r\t";

        private final BuiltinTypes own = new BuiltinTypes("!version\t" + GROUP + "\t" + VERSION
                + "\n!kind\tPodGroupExplanation\tPodGroupExplanationList\t" + GROUPS + "\t\tnamespaced\tget\t\t\t\t"
                + HOME
                + "PodGroupExplanation"
                + "\n!kind\tQueueExplanation\tQueueExplanationList\t" + QUEUES + "\t\tcluster\tget\t\t\t\t" + HOME
                + "QueueExplanation\n"
                + HOME + "PodGroupExplanation" + HEAD
                + "waiting b 3 r\tqueue s 4 r\tphase s 5 r\tpriority i 6 r\tminMember i 7 r\tpods {i 8 r\tstages [r 9 r"
                + "\tremedies [r 10 r\tthorough b 11 r\n"
                + HOME + "QueueExplanation" + HEAD
                + "state s 3 r\tallocated {q 4 r\trequested {q 5 r\tinqueue {q 6 r\tdeserved {q 7 e\tlimit {q 8 e\tothers i 9 r"
                + "\twaiters i 10 r\twaiting [r 11 r\n");

        List<KindInfo> kinds() {
            return own.kinds().versions().getFirst().kinds();
        }

        @Override
        public Struct struct(String name) {
            return own.knows(name) ? own.struct(name) : BuiltinTypes.instance().struct(name);
        }
    }

    private final ExplanationTypes types = new ExplanationTypes();
    private final Explanations explanations;
    private final Authorizer authorizer;

    ExplanationGroup(Explanations explanations, Authorizer authorizer) {
        this.explanations = explanations;
        this.authorizer = authorizer;
    }

    OwnGroup group() {
        return new OwnGroup(GROUP, VERSION, PRIORITY, types.kinds(), types, this);
    }

    @Override
    public void serve(Exchange exchange, RequestInfo info, User user) throws IOException {
        if (!info.resourceRequest()) {
            ApiHandler.send(exchange, group().resources());
            return;
        }
        boolean ofGroup = info.resource().equals(GROUPS) && !info.namespace().isEmpty();
        boolean ofQueue = info.resource().equals(QUEUES) && info.namespace().isEmpty();
        if ((!ofGroup && !ofQueue) || !info.subresource().isEmpty()) {
            throw new PathNotServed();
        }
        if (!info.verb().equals("get")) {
            throw ResourceHandler.methodNotAllowed();
        }
        Optional<ObjectNode> answer = ofGroup
                ? explanations.ofGroup(info.namespace(), info.name(), seesAll(user))
                : explanations.ofQueue(info.name());
        ApiHandler.send(exchange, answer.orElseThrow(() -> ApiException.notFound(GROUP, info.resource(), info.name())));
    }

    private boolean seesAll(User user) {
        return authorizer
                .decide(user, Attributes.ofResource("list", "", "v1", "pods", "", "", ""))
                .allowed();
    }
}
