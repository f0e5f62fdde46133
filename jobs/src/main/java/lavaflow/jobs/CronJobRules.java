package lavaflow.jobs;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import lavaflow.kinds.CronSchedule;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which CronJobs of Volcano's are refused, in the words of its webhook. Functions of values. */
public final class CronJobRules {
    /** Names of Jobs get a suffix of eleven characters and must remain labels. */
    private static final int NAME_LENGTH = 52;

    private static final Pattern ZONE_PART = Pattern.compile("[A-Za-z.\\-_0-9+]{1,14}");

    private CronJobRules() {}

    /** Why a CronJob may not be written; empty if it may. What it makes is judged when it makes it. May begin with a space. */
    public static String refusal(ObjectNode cronJob) {
        StringBuilder problems = new StringBuilder(schedule(Json.textAt(cronJob, "spec", "schedule")));
        JsonNode zone = Json.at(cronJob, "spec", "timeZone");
        if (zone != null) {
            problems.append(zone(zone.asText()));
        }
        problems.append(name(Json.textAt(cronJob, "metadata", "name")));
        return problems.toString();
    }

    private static String schedule(String schedule) {
        if (schedule.isEmpty()) {
            return " schedule is required, but got empty";
        }
        if (schedule.contains("TZ")) {
            return " schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field";
        }
        try {
            CronSchedule _ = CronSchedule.parse(schedule, ZoneOffset.UTC);
            return "";
        } catch (MalformedException _) {
            return "schedule is not a valid cron expression";
        }
    }

    private static String zone(String zone) {
        if (zone.isEmpty()) {
            return " timeZone must be nil or non-empty string, got empty string";
        }
        StringBuilder problems = new StringBuilder();
        for (String part : zone.split("/", -1)) {
            if (part.equals(".")
                    || part.equals("..")
                    || part.startsWith("-")
                    || !ZONE_PART.matcher(part).matches()) {
                problems.append(" unknown timeZone");
            }
        }
        if (zone.toLowerCase(Locale.ROOT).equals("local")) {
            problems.append(" timeZone can't be Local, and must be defined in https://www.iana.org/time-zones");
        } else if (!ZoneId.getAvailableZoneIds().contains(zone)) {
            problems.append(" invalid timeZone");
        }
        return problems.toString();
    }

    private static String name(String name) {
        if (Names.utf8Length(name) > NAME_LENGTH) {
            return "cronJob name must be no more than " + NAME_LENGTH
                    + " characters to accommodate job name suffix (max " + Names.LABEL_LENGTH + " total)";
        }
        List<String> wrong = Names.qualifiedName(name);
        return wrong.isEmpty()
                ? ""
                : "invalid cronJob name " + FieldErrors.quoted(name) + ": " + String.join("; ", wrong);
    }
}
