package lavaflow.simulation;

import java.util.List;

import lavaflow.controller.KubeApi;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Namespaces that come and go with all that is in them, and the accounts in them. */
final class NamespaceIdeas implements Ideas {
    private static final int LIMIT = 5;

    private final Workspace workspace;

    NamespaceIdeas(Workspace workspace) {
        this.workspace = workspace;
    }

    @Override
    public void begin() {
        for (String name : List.of(Workspace.FREE, Workspace.LIMITED)) {
            workspace.api().create(Kinds.NAMESPACES, "", Workspace.named(name));
        }
        ObjectNode quota = Workspace.named("small");
        quota.putObject("spec").putObject("hard").put("pods", Integer.toString(LIMIT));
        workspace.api().create(Kinds.QUOTAS, Workspace.LIMITED, quota);
    }

    @Override
    public List<Runnable> usual() {
        return List.of(this::arrive, this::leave, this::removeAccount, this::makeToken);
    }

    private void arrive() {
        String name = workspace.newName("passing");
        workspace.create(Kinds.NAMESPACES, "", Workspace.named(name));
        workspace.passing().add(name);
    }

    private void leave() {
        if (workspace.passing().isEmpty()) {
            return;
        }
        String name = workspace.oneOf(workspace.passing());
        workspace.say("deletes namespace " + name);
        workspace.api().delete(Kinds.NAMESPACES, "", name, KubeApi.Deletion.PLAIN);
        // Some go on using it, as people do who have not heard of it.
        if (workspace.oneIn(2)) {
            workspace.passing().remove(name);
        }
    }

    private void removeAccount() {
        KubeApi.Kind kind = workspace.oneIn(3) ? Kinds.CONFIG_MAPS : Kinds.ACCOUNTS;
        ObjectNode object = workspace.pick(kind, _ -> true);
        if (object != null) {
            workspace.remove(kind, object, null);
        }
    }

    private void makeToken() {
        String namespace = workspace.somewhereRoomy();
        String name = workspace.newName("robot");
        workspace.create(Kinds.ACCOUNTS, namespace, Workspace.named(name));
        ObjectNode secret = Workspace.named(name + "-token");
        secret.put("type", "kubernetes.io/service-account-token");
        ((ObjectNode) secret.get("metadata")).putObject("annotations").put("kubernetes.io/service-account.name", name);
        workspace.create(Kinds.SECRETS, namespace, secret);
    }
}
