package lavaflow.jobs;

import java.util.List;
import java.util.stream.LongStream;

import lavaflow.kube.Json;

/** The names under which pods of a Job find each other. */
final class Hosts {
    private Hosts() {}

    /** What a pod calls itself. */
    static String name(VolcanoJob job, Task task, long index) {
        String said = Json.textAt(task.template(), "spec", "hostname");
        return said.isEmpty() ? job.podName(task, index) : said;
    }

    /** What others call a pod. */
    static String address(VolcanoJob job, Task task, long index) {
        String domain = Json.textAt(task.template(), "spec", "subdomain");
        return name(job, task, index) + "." + (domain.isEmpty() ? job.name() : domain);
    }

    /** How many different names the pods of a task have: only one, if the template says which. */
    static long count(Task task) {
        boolean fixed = !Json.textAt(task.template(), "spec", "hostname").isEmpty();
        return fixed ? Math.min(1, task.replicas()) : task.replicas();
    }

    /** The different names of a task's pods. */
    static List<String> addresses(VolcanoJob job, Task task) {
        return LongStream.range(0, count(task))
                .mapToObj(index -> address(job, task, index))
                .toList();
    }
}
