package lavaflow.cli;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * How far a program says it is, as frameworks print it.
 *
 * @param part how much is done, 0 to 1; below zero where only that something is going on is known
 * @param text the same in few words: {@code epoch 3/10 · loss 0.231}
 */
public record Progress(double part, String text) {
    private static final String NUMBER = "([-+]?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)";
    private static final Pattern ESCAPES = Pattern.compile("\u001b\\[[0-9;?]*[A-Za-z]");
    private static final Pattern EPOCH =
            Pattern.compile("\\bepochs?\\s*[:=\\[(]?\\s*(\\d+)\\s*(?:/|of)\\s*(\\d+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern BARE_EPOCH =
            Pattern.compile("\\bepoch\\s*[:=]?\\s*(\\d+)\\b", Pattern.CASE_INSENSITIVE);
    /** Keras: {@code 12/100 [==>...]}, or with its newer bar {@code 12/100 ━━━}. */
    private static final Pattern KERAS = Pattern.compile("(?:^|\\s)(\\d+)/(\\d+)\\s*[\\[━╸]");
    /** tqdm: {@code  45%|████▌     | 45/100 [00:10<00:12]}. */
    private static final Pattern PERCENT = Pattern.compile("(?:^|[\\s:])(\\d{1,3})%\\|");

    private static final Pattern STEPS = Pattern.compile(
            "\\b(?:global[_ ])?(?:step|iter|iteration|batch)s?\\s*[:=\\[(]?\\s*(\\d+)\\s*(?:/|of)\\s*(\\d+)",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern STEP =
            Pattern.compile("\\b(?:global[_ ])?(?:step|iteration)s?\\s*[:=]\\s*(\\d+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern LOSS =
            Pattern.compile("\\b(?:train[_ ])?loss['\"]?\\s*[:=]\\s*" + NUMBER, Pattern.CASE_INSENSITIVE);
    private static final Pattern ACCURACY =
            Pattern.compile("\\bacc(?:uracy)?['\"]?\\s*[:=]\\s*" + NUMBER, Pattern.CASE_INSENSITIVE);

    /** What a line says; empty where it says nothing of the kind. */
    public static Optional<Progress> of(String line) {
        return of(line, null);
    }

    /**
     * The same of the next line.
     *
     * @param before what earlier lines said: a bar of one epoch among several is a part of that epoch only
     */
    public static Optional<Progress> of(String line, @Nullable Progress before) {
        String text = lastDrawn(line);
        Said said = new Said();
        said.epochs(text);
        said.steps(text);
        said.measures(text);
        return said.isNothing() ? Optional.empty() : Optional.of(said.after(before));
    }

    /** Bars are drawn over themselves: what counts is what would be seen. */
    private static String lastDrawn(String line) {
        String plain = ESCAPES.matcher(line).replaceAll("").replace('\b', ' ');
        int end = plain.length();
        while (end > 0 && plain.charAt(end - 1) == '\r') {
            end--;
        }
        return plain.substring(plain.lastIndexOf('\r', end - 1) + 1, end);
    }

    /** What one line says. */
    private static final class Said {
        private String epoch = "";
        private double epochs = -1;
        private double epochsBefore = -1;
        private double inEpoch = -1;
        private String step = "";
        private String measure = "";

        void epochs(String text) {
            Matcher of = EPOCH.matcher(text);
            if (of.find()) {
                double all = Double.parseDouble(of.group(2));
                double now = Double.parseDouble(of.group(1));
                epoch = "epoch " + of.group(1) + "/" + of.group(2);
                epochs = all > 0 ? Math.min(1, now / all) : -1;
                epochsBefore = all > 0 ? Math.clamp((now - 1) / all, 0, 1) : -1;
                return;
            }
            Matcher bare = BARE_EPOCH.matcher(text);
            if (bare.find()) {
                epoch = "epoch " + bare.group(1);
            }
        }

        void steps(String text) {
            Matcher percent = PERCENT.matcher(text);
            if (percent.find()) {
                inEpoch = Math.min(100, Double.parseDouble(percent.group(1))) / 100;
                return;
            }
            for (Pattern pattern : new Pattern[] {KERAS, STEPS}) {
                Matcher counted = pattern.matcher(text);
                if (counted.find()) {
                    double all = Double.parseDouble(counted.group(2));
                    inEpoch = all > 0 ? Math.min(1, Double.parseDouble(counted.group(1)) / all) : -1;
                    step = "step " + counted.group(1) + "/" + counted.group(2);
                    return;
                }
            }
            Matcher bare = STEP.matcher(text);
            if (bare.find()) {
                step = "step " + bare.group(1);
            }
        }

        void measures(String text) {
            Matcher loss = LOSS.matcher(text);
            Matcher accuracy = ACCURACY.matcher(text);
            if (loss.find()) {
                measure = "loss " + shortened(loss.group(1));
            } else if (accuracy.find()) {
                measure = "accuracy " + shortened(accuracy.group(1));
            }
        }

        private static String shortened(String number) {
            double value = Double.parseDouble(number);
            return number.length() <= 6 ? number : String.format(Locale.ROOT, "%.4g", value);
        }

        boolean isNothing() {
            return epoch.isEmpty() && step.isEmpty() && inEpoch < 0 && measure.isEmpty();
        }

        /** An epoch is told by one line, the steps in it by those that follow. */
        Progress after(@Nullable Progress before) {
            String known = before == null ? "" : before.text();
            String nowEpoch = epoch.isEmpty() ? partOf(known, "epoch ") : epoch;
            String nowMeasure = measure.isEmpty() ? partOf(known, "loss ") : measure;
            String nowStep = step;
            double part = part(nowEpoch);
            if (part < 0 && before != null) {
                part = before.part();
                nowStep = step.isEmpty() ? partOf(known, "step ") : step;
            }
            StringBuilder text = new StringBuilder();
            for (String each : new String[] {nowEpoch, nowStep, nowMeasure}) {
                text.append(text.isEmpty() || each.isEmpty() ? "" : " · ").append(each);
            }
            return new Progress(part, text.toString());
        }

        private double part(String nowEpoch) {
            double done = epochs;
            double begun = epochsBefore;
            if (done < 0 && nowEpoch.contains("/")) {
                Said earlier = new Said();
                earlier.epochs(nowEpoch);
                done = earlier.epochs;
                begun = earlier.epochsBefore;
            }
            if (inEpoch < 0) {
                // A line that only names an epoch begins it; one that tells a loss, too, ends it.
                return epochs < 0 ? -1 : measure.isEmpty() ? begun : done;
            }
            return done < 0 ? inEpoch : begun + inEpoch * (done - begun);
        }

        private static String partOf(String text, String head) {
            for (String part : text.split(" · ", -1)) {
                if (part.startsWith(head)) {
                    return part;
                }
            }
            return "";
        }
    }
}
