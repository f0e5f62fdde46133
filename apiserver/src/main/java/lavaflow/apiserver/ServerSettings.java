package lavaflow.apiserver;

import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;

import lavaflow.audit.Auditor;
import lavaflow.fairness.FlowControl;

import org.jspecify.annotations.Nullable;

/** What an {@link ApiServer} needs to know. Does not change; who wants something else gets another one. */
public final class ServerSettings {
    private final InetSocketAddress listen;
    private final Identity identity;
    private final X509Certificate clientAuthority;
    private final ServerVersion version;
    private final InstantSource clock;
    private final AdmissionExtension admission;
    private final AccessSettings access;
    private Auditor auditor = Auditor.NONE;
    private int seats = FlowControl.DEFAULT_SEATS;
    private Duration queueTime = FlowControl.DEFAULT_WAIT;
    private AdmissionSwitches switches = AdmissionSwitches.USUAL;
    private @Nullable FrontProxy frontProxy;
    private @Nullable NodeClient nodeClient;
    private @Nullable ServerSocketChannel outside;

    public ServerSettings(
            InetSocketAddress listen,
            Identity identity,
            X509Certificate clientAuthority,
            ServerVersion version,
            InstantSource clock,
            AdmissionExtension admission,
            AccessSettings access) {
        this.listen = listen;
        this.identity = identity;
        this.clientAuthority = clientAuthority;
        this.version = version;
        this.clock = clock;
        this.admission = admission;
        this.access = access;
    }

    /** With no users but those of certificates and service accounts. */
    public ServerSettings(
            InetSocketAddress listen,
            Identity identity,
            X509Certificate clientAuthority,
            ServerVersion version,
            InstantSource clock) {
        this(listen, identity, clientAuthority, version, clock, AdmissionExtension.NONE, AccessSettings.ofProcess());
    }

    private ServerSettings copy() {
        return withAccess(access);
    }

    /** The same, with other users. */
    public ServerSettings withAccess(AccessSettings someAccess) {
        ServerSettings copy =
                new ServerSettings(listen, identity, clientAuthority, version, clock, admission, someAccess);
        copy.auditor = auditor;
        copy.seats = seats;
        copy.queueTime = queueTime;
        copy.switches = switches;
        copy.frontProxy = frontProxy;
        copy.nodeClient = nodeClient;
        copy.outside = outside;
        return copy;
    }

    /** The same, with requests written down and rationed as told. */
    public ServerSettings withRequests(Auditor someAuditor, int someSeats) {
        ServerSettings copy = copy();
        copy.auditor = someAuditor;
        copy.seats = someSeats;
        return copy;
    }

    /** The same, with requests that wait for a seat until so much time is over. */
    ServerSettings withQueueTime(Duration someTime) {
        ServerSettings copy = copy();
        copy.queueTime = someTime;
        return copy;
    }

    /** The same, as a server that other API servers know. */
    public ServerSettings withFrontProxy(FrontProxy someFrontProxy) {
        ServerSettings copy = copy();
        copy.frontProxy = someFrontProxy;
        return copy;
    }

    /** The same, as a server that kubelets know. */
    public ServerSettings withNodeClient(NodeClient someClient) {
        ServerSettings copy = copy();
        copy.nodeClient = someClient;
        return copy;
    }

    /** The same, with other plugins of admission. */
    public ServerSettings withAdmission(AdmissionSwitches some) {
        ServerSettings copy = copy();
        copy.switches = some;
        return copy;
    }

    /** The same, which also serves at a socket that is open already, on a network that this process is not in; null for none. */
    public ServerSettings withOutside(@Nullable ServerSocketChannel socket) {
        ServerSettings copy = copy();
        copy.outside = socket;
        return copy;
    }

    @Nullable
    ServerSocketChannel outside() {
        return outside;
    }

    InetSocketAddress listen() {
        return listen;
    }

    Identity identity() {
        return identity;
    }

    X509Certificate clientAuthority() {
        return clientAuthority;
    }

    ServerVersion version() {
        return version;
    }

    InstantSource clock() {
        return clock;
    }

    AdmissionExtension admission() {
        return admission;
    }

    AccessSettings access() {
        return access;
    }

    /** Writes requests down. */
    Auditor auditor() {
        return auditor;
    }

    /** How many requests may run at once, divided between priority levels. */
    int seats() {
        return seats;
    }

    /** How long a request may wait for a seat. */
    Duration queueTime() {
        return queueTime;
    }

    /** Which plugins of admission are on. */
    AdmissionSwitches switches() {
        return switches;
    }

    /** How this server and others that answer for some groups know each other; null without. */
    @Nullable
    FrontProxy frontProxy() {
        return frontProxy;
    }

    /** How this server speaks to the kubelets of nodes; null without a certificate to show them. */
    @Nullable
    NodeClient nodeClient() {
        return nodeClient;
    }
}
