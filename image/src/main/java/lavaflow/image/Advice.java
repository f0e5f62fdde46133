package lavaflow.image;

/** Tells somebody whose image cannot be had what to do about it. */
final class Advice {
    private Advice() {}

    static ImageException about(Reference name, Origin origin, ImageException problem) {
        if (origin instanceof Origin.FromRecipe) {
            // Somebody said how to make it: what is wrong with that is all there is to say.
            return new ImageException(
                    problem.kind(), "cannot make " + name.familiar() + ": " + problem.getMessage(), problem);
        }
        String what = "cannot get " + name.familiar() + ": " + problem.getMessage();
        return switch (problem.kind()) {
            case NOT_FOUND, UNREACHABLE -> new ImageException(problem.kind(), what + ". " + ways(name), problem);
            case DENIED ->
                new ImageException(
                        problem.kind(),
                        what + ". It may not exist, or needs an imagePullSecret for " + name.host() + ". " + ways(name),
                        problem);
            case DAMAGED, TOO_LARGE -> new ImageException(problem.kind(), what, problem);
            case INVALID_NAME -> problem;
        };
    }

    private static String ways(Reference name) {
        if (KubectlDelivery.NAMES.stream().anyMatch(known -> new NamePattern(known).matches(name))) {
            return "It only brings kubectl to launchers of MPIJobs: with kubectl in /usr/local/bin or /usr/bin of this machine, that is taken";
        }
        String pattern = "'" + name.familiarName() + "'";
        return "To let it come from elsewhere: lava image add " + pattern
                + " --registry HOST/PATH, or --host for this machine's own programs, or --directory DIR, or --recipe NAME;"
                + " or: lava image import FILE --name " + name.familiar();
    }
}
