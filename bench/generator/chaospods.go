package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Every program of the loop keeps notes in a directory of the machine that its pod mounts: a lock as long as any process of it
// lives, a line for each run, a line for each end it came to by itself. A run that finds the lock taken runs beside another one.
const beginning = `cd /notes/$NAME || exit 99
exec 9>lock-$PART
flock -n 9 || { echo "$PART ran beside itself" >> faults; exit 98; }
echo run $(date +%T.%N) >> runs-$PART
`

const (
	// fails with 7 as often as it should, then ends with its own code
	endsWithCode = `sleep $TIME
[ $(wc -l < runs-$PART) -gt $FAILURES ] || { echo 7 >> ends-$PART; exit 7; }
echo $CODE >> ends-$PART
exit $CODE`
	staysUntilTold = `trap 'echo told >> ends-$PART; exit 0' TERM
while :; do sleep 1 & wait $!; done`
	// may run again in the same volume after the node was stopped, but never in that of another pod
	fillsMemory = `[ ! -e /memory/owner ] || [ "$(cat /memory/owner)" = "$HOSTNAME" ] || { echo "$PART: the volume is of $(cat /memory/owner)" >> faults; exit 97; }
echo $HOSTNAME > /memory/owner
cat /settings/word /secret/word > /memory/word
echo 0 >> ends-$PART`
	findsMemory = `sleep $TIME
[ "$(cat /memory/word)" = redblue ] || { echo "$PART: memory holds $(cat /memory/word)" >> faults; exit 97; }
echo $CODE >> ends-$PART
exit $CODE`
	serves = `echo fine > /memory/index.html
exec busybox httpd -f -p 8000 -h /memory`
)

// kind is one way of living that a pod of the loop may have.
type kind string

const (
	plain    kind = "plain"    // ends with a code of its own, never restarts
	retry    kind = "retry"    // fails once, restarts, ends with 0
	always   kind = "always"   // ends with 5 again and again until it is deleted
	staged   kind = "staged"   // containers that come first, one that stays beside, memory, a config map and a secret
	lasting  kind = "lasting"  // stays until it is deleted, is probed, gets commands
	fleeting kind = "fleeting" // is deleted while it starts
	work3    kind = "job"      // a Job of three pods
)

func chooseKind(number int) kind {
	return []kind{plain, plain, plain, retry, staged, staged, plain, always, lasting, fleeting, fleeting, plain, work3}[number%13]
}

// life is what is known of one pod, or one Job, from outside: how it must end, and what we did to it.
type life struct {
	name      string
	kind      kind
	code      int
	failures  int
	born      time.Time
	deleteAt  time.Time
	deletedAt time.Time // when its deletion was asked for and agreed to
	sure      bool      // whether the API has said that it is there
	ended     bool      // its end has been seen
	phase     string    // as the API said last
	restarts  int       // as the API said last
	disturbed string    // what was done to it that may have changed its end
}

// isStuck tells whether it has been waited for long enough. One that has ended stays until the loop comes to delete it, which may
// take a while on a busy machine.
func (l *life) isStuck() bool {
	if !l.deletedAt.IsZero() {
		return time.Since(l.deletedAt) > stuckAfter
	}
	return !l.ended && l.deleteAt.IsZero() && time.Since(l.born) > stuckAfter
}

func object(pairs ...any) map[string]any {
	made := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		made[pairs[i].(string)] = pairs[i+1]
	}
	return made
}

func (l *life) container(image, part, program string, seconds float64, mounts ...string) map[string]any {
	variable := func(name, value string) any { return object("name", name, "value", value) }
	mounted := []any{object("name", "notes", "mountPath", "/notes")}
	for _, mount := range mounts {
		mounted = append(mounted, object("name", mount, "mountPath", "/"+mount))
	}
	return object("name", part, "image", image, "command", []string{"sh", "-c", beginning + program}, "volumeMounts", mounted,
		"env", []any{variable("NAME", l.name), variable("PART", part), variable("CODE", strconv.Itoa(l.code)),
			variable("FAILURES", strconv.Itoa(l.failures)), variable("TIME", fmt.Sprintf("%.2f", seconds))})
}

func (k *churn) podSpec(policy string, containers ...any) map[string]any {
	return object("restartPolicy", policy, "terminationGracePeriodSeconds", 1+k.random.Intn(2), "containers", containers,
		"volumes", []any{object("name", "notes", "hostPath", object("path", k.notes)),
			object("name", "memory", "emptyDir", object("medium", "Memory")),
			object("name", "settings", "configMap", object("name", "chaos")),
			object("name", "secret", "secret", object("secretName", "chaos"))})
}

// podOf is the object that lives as a kind wants it.
func (k *churn) podOf(l *life) map[string]any {
	seconds := k.random.Float64() * 10
	spec := map[string]any{}
	switch l.kind {
	case retry:
		l.failures = 1
		spec = k.podSpec("OnFailure", l.container(k.image, "main", endsWithCode, seconds/2))
	case always:
		l.code, l.deleteAt = 5, time.Now().Add(time.Duration(10+k.random.Intn(20))*time.Second)
		spec = k.podSpec("Always", l.container(k.image, "main", endsWithCode, seconds/4))
	case lasting:
		l.deleteAt = time.Now().Add(time.Duration(5+k.random.Intn(15)) * time.Second)
		main := l.container(k.image, "main", staysUntilTold, 0)
		main["readinessProbe"] = object("exec", object("command", []string{"true"}), "periodSeconds", 1)
		spec = k.podSpec("Always", main)
	case fleeting:
		l.code, l.deleteAt = k.random.Intn(4), time.Now().Add(time.Duration(k.random.Intn(600))*time.Millisecond)
		spec = k.podSpec("Never", l.container(k.image, "main", endsWithCode, seconds))
	case staged:
		l.code = k.random.Intn(4)
		beside := l.container(k.image, "beside", staysUntilTold, 0)
		beside["restartPolicy"] = "Always"
		spec = k.podSpec("Never", l.container(k.image, "main", findsMemory, seconds, "memory"))
		spec["initContainers"] = []any{l.container(k.image, "first", fillsMemory, 0, "memory", "settings", "secret"), beside}
	default:
		l.code = k.random.Intn(200)
		spec = k.podSpec("Never", l.container(k.image, "main", endsWithCode, seconds))
	}
	return object("apiVersion", "v1", "kind", "Pod", "metadata", object("name", l.name, "labels", object("chaos", string(l.kind))), "spec", spec)
}

// jobOf is a Job whose pods keep their notes together, each with a lock of its own.
func (k *churn) jobOf(l *life) map[string]any {
	main := l.container(k.image, "main", endsWithCode, k.random.Float64()*2)
	main["command"] = []string{"sh", "-c", "PART=$HOSTNAME\n" + beginning + "echo run >> runs\n" + endsWithCode}
	return object("apiVersion", "batch/v1", "kind", "Job", "metadata", object("name", l.name), "spec",
		object("completions", 3, "parallelism", 2, "backoffLimit", 100,
			"template", object("metadata", object("labels", object("chaos", "job")), "spec", k.podSpec("Never", main))))
}

// fixtures are there all the time: a service with two servers behind it, and two pods that must never exist twice.
func (k *churn) fixtures() map[string][]any {
	server := &life{name: "fixtures"}
	web := server.container(k.image, "web", serves, 0, "memory")
	web["command"] = []string{"sh", "-c", serves}
	web["readinessProbe"] = object("httpGet", object("port", 8000), "periodSeconds", 1)
	member := server.container(k.image, "member", staysUntilTold, 0)
	member["command"] = []string{"sh", "-c", "PART=$HOSTNAME\n" + beginning + staysUntilTold}
	template := func(name string, container any) map[string]any {
		return object("metadata", object("labels", object("chaos", name)), "spec", k.podSpec("Always", container))
	}
	selector := func(name string) map[string]any { return object("matchLabels", object("chaos", name)) }
	return map[string][]any{
		collection("configmaps"): {object("metadata", object("name", "chaos"), "data", object("word", "red"))},
		collection("secrets"):    {object("metadata", object("name", "chaos"), "stringData", object("word", "blue"))},
		collection("services"): {object("metadata", object("name", "web"), "spec", object("selector", object("chaos", "web"),
			"clusterIP", "", "ports", []any{object("port", 80, "targetPort", 8000)}))},
		apps("deployments"): {object("metadata", object("name", "web"), "spec",
			object("replicas", 2, "selector", selector("web"), "template", template("web", web)))},
		apps("statefulsets"): {object("metadata", object("name", "member"), "spec", object("replicas", 2, "serviceName", "member",
			"podManagementPolicy", "Parallel", "selector", selector("member"), "template", template("member", member)))},
	}
}

func apps(kind string) string { return "/apis/apps/v1/namespaces/" + namespace + "/" + kind }

func jobs() string { return "/apis/batch/v1/namespaces/" + namespace + "/jobs" }

func (k *churn) install(c *client) error {
	for path, objects := range k.fixtures() {
		for _, each := range objects {
			body, _ := json.Marshal(each)
			if code, content, err := c.call("POST", path, body); err != nil || code != 201 && code != 409 {
				return fmt.Errorf("%s: %d %.300s %v", path, code, content, err)
			}
		}
	}
	return nil
}
