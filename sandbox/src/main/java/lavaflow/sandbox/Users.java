package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.linux.OpenFile;
import lavaflow.linux.UserNamespace;

/**
 * Who a container runs as, by the files of its root.
 *
 * @param groups all of them, the first first
 */
record Users(long user, long group, List<Long> groups, String home) {
    static final String MORE_USERS = "To have more: as root install uidmap and run usermod --add-subuids 100000-165535"
            + " --add-subgids 100000-165535 USER, then lava down and lava up.";

    private static final int MAX_BYTES = 4 << 20;

    private record Account(String name, long user, long group, String home) {}

    private record Group(String name, long group, List<String> members) {}

    static Users find(Path root, String written, List<Long> extraGroups) throws SandboxException {
        return find(root, written, extraGroups, false);
    }

    /**
     * Looks up a user as images write it.
     *
     * @param onlyGivenGroups whether it does not matter which groups the root's files make the user a member of
     */
    static Users find(Path root, String written, List<Long> extraGroups, boolean onlyGivenGroups)
            throws SandboxException {
        List<Account> accounts = accounts(root);
        List<Group> groups = groups(root);
        int colon = written.indexOf(':');
        String userPart = colon < 0 ? written : written.substring(0, colon);
        String groupPart = colon < 0 ? "" : written.substring(colon + 1);
        String wanted = userPart.isEmpty() ? "0" : userPart;
        Optional<Account> account = accounts.stream()
                .filter(each -> each.name.equals(wanted))
                .findFirst()
                .or(() -> isNumber(wanted)
                        ? accounts.stream()
                                .filter(each -> each.user == Long.parseLong(wanted))
                                .findFirst()
                        : Optional.empty());
        if (account.isEmpty() && !isNumber(wanted)) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "unable to find user " + wanted + ": no matching entries in passwd file");
        }
        long user = account.map(Account::user).orElseGet(() -> Long.parseLong(wanted));
        long group = groupPart.isEmpty() ? account.map(Account::group).orElse(0L) : group(groups, groupPart);
        Set<Long> all = new LinkedHashSet<>();
        all.add(group);
        account.filter(_ -> !onlyGivenGroups)
                .ifPresent(found -> groups.stream()
                        .filter(each -> each.members.contains(found.name))
                        .forEach(each -> all.add(each.group)));
        all.addAll(extraGroups);
        String home = account.map(Account::home).filter(text -> !text.isEmpty()).orElse("/");
        return new Users(user, group, List.copyOf(all), home);
    }

    /**
     * The same as far as a user namespace has them: another user cannot be had, further groups are left out. Files of those
     * groups are seen as nobody's there, so nothing is lost by it.
     */
    Users within(UserNamespace own) throws SandboxException {
        if (own.isInitial()) {
            return this;
        }
        if (!own.hasUser(user) || !own.hasGroup(group)) {
            String who = own.hasUser(user) ? "group " + group : "user " + user;
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "cannot run as " + who + ": "
                            + (own.userCount() == 1
                                    ? "this node was started by an ordinary user who has no further users for"
                                            + " containers. " + MORE_USERS
                                    : "the user who started this node has " + own.userCount()
                                            + " users for containers; more come with larger ranges in /etc/subuid and"
                                            + " /etc/subgid"));
        }
        return new Users(
                user,
                group,
                own.groupsChange() ? groups.stream().filter(own::hasGroup).toList() : List.of(),
                home);
    }

    private static long group(List<Group> groups, String wanted) throws SandboxException {
        for (Group group : groups) {
            if (group.name.equals(wanted)) {
                return group.group;
            }
        }
        if (isNumber(wanted)) {
            return Long.parseLong(wanted);
        }
        throw new SandboxException(
                SandboxException.Cause.CONFIGURATION,
                "unable to find group " + wanted + ": no matching entries in group file");
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,10}") && Long.parseLong(text) < 1L << 32;
    }

    private static List<Account> accounts(Path root) {
        List<Account> accounts = new ArrayList<>();
        for (String[] fields : table(root, "etc/passwd")) {
            if (fields.length >= 6 && isNumber(fields[2]) && isNumber(fields[3])) {
                accounts.add(new Account(fields[0], Long.parseLong(fields[2]), Long.parseLong(fields[3]), fields[5]));
            }
        }
        return accounts;
    }

    private static List<Group> groups(Path root) {
        List<Group> groups = new ArrayList<>();
        for (String[] fields : table(root, "etc/group")) {
            if (fields.length >= 4 && isNumber(fields[2])) {
                groups.add(new Group(fields[0], Long.parseLong(fields[2]), List.of(fields[3].split(",", -1))));
            }
        }
        return groups;
    }

    /** An image may hold anything at these names: links that lead out, devices, pipes nobody writes to, endless files. */
    private static List<String[]> table(Path root, String name) {
        try (OpenFile file = OpenFile.readInside(root, name)) {
            if (!Files.isRegularFile(file.path())) {
                return List.of();
            }
            try (InputStream in = Files.newInputStream(file.path())) {
                return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.split(":", -1))
                        .toList();
            }
        } catch (IOException e) {
            // A root without these files is common: then only numbers work.
            return List.of();
        }
    }
}
