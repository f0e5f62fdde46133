package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// churn keeps a number of pods of all kinds going while their node is killed, and knows how each must end. What the API says
// is held against what the programs noted.
type churn struct {
	options *options
	notes   string
	image   string
	random  *rand.Rand
	next    int
	lives   map[string]*life
	kills   int
	moments map[string]int
	strikes int
	ended   int
	kinds   map[kind]int

	changes  int // how often a pod was seen in another phase
	evicted  int
	commands int
	faults   []string
	said     map[string]bool
	lock     sync.Mutex
	later    []string
}

func (k *churn) fault(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if !k.said[text] {
		k.said[text] = true
		k.faults = append(k.faults, text)
		fmt.Fprintln(os.Stderr, "FAULT", time.Now().UTC().Format("15:04:05.000"), text)
	}
}

// trace says what is done when; together with the log of the program it tells the story of a fault.
func (k *churn) trace(format string, values ...any) {
	fmt.Fprintln(os.Stderr, time.Now().UTC().Format("15:04:05.000"), "LOOP ", fmt.Sprintf(format, values...))
}

// tell shows all that is known of a pod.
func (k *churn) tell(l *life, pod *chaosPod) {
	said, _ := json.Marshal(pod.Status)
	k.trace("%s: %s", l.name, said)
	directory := filepath.Join(k.notes, l.name)
	entries, _ := os.ReadDir(directory)
	for _, entry := range entries {
		content, _ := os.ReadFile(filepath.Join(directory, entry.Name()))
		info, _ := entry.Info()
		k.trace("%s: note %s of %s: %q", l.name, entry.Name(), info.ModTime().UTC().Format("15:04:05.000"), content)
	}
}

// faultLater is for other threads.
func (k *churn) faultLater(text string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.later = append(k.later, text)
}

func (k *churn) disturb(pod, what string) {
	name := pod
	if _, known := k.lives[name]; !known && strings.Contains(pod, "-") { // a pod of a Job
		name = pod[:strings.LastIndex(pod, "-")]
	}
	if l := k.lives[name]; l != nil {
		l.disturbed = what
	}
}

func (k *churn) disturbAll(what string) {
	for _, l := range k.lives {
		l.disturbed = what
	}
}

type terminated struct {
	ExitCode              int
	Reason, Message       string
	StartedAt, FinishedAt string
}

type containerStatus struct {
	Name         string
	RestartCount int
	State        struct{ Terminated *terminated }
	LastState    struct{ Terminated *terminated }
}

type chaosPod struct {
	Metadata struct {
		Name, DeletionTimestamp string
		Labels                  map[string]string
	}
	Status struct {
		Phase, Reason, Message string
		ContainerStatuses      []containerStatus
		InitContainerStatuses  []containerStatus
	}
}

type chaosJob struct {
	Metadata struct{ Name, DeletionTimestamp string }
	Status   struct {
		Succeeded, Failed int
		Conditions        []struct{ Type, Status, Message string }
	}
}

func (k *churn) create(c *client) error {
	l := &life{name: fmt.Sprintf("chaos-%d", k.next), kind: chooseKind(k.random.Intn(13)), born: time.Now()}
	path, body := collection("pods"), []byte{}
	if l.kind == work3 {
		path = jobs()
		body, _ = json.Marshal(k.jobOf(l))
	} else {
		body, _ = json.Marshal(k.podOf(l))
	}
	if err := os.MkdirAll(filepath.Join(k.notes, l.name), 0o755); err != nil {
		return err
	}
	k.next++
	k.lives[l.name] = l // before the answer: it may get lost, and the object be there
	code, content, err := c.call("POST", path, body)
	if err != nil {
		return err
	}
	if code != 201 {
		return fmt.Errorf("create: %d %.300s", code, content)
	}
	l.sure = true
	return nil
}

func (k *churn) count(name, file string) int {
	content, _ := os.ReadFile(filepath.Join(k.notes, name, file))
	return strings.Count(string(content), "\n")
}

// judge holds what the API says of a pod that ended against what its program noted.
func (k *churn) judge(l *life, pod *chaosPod) {
	if pod.Status.Reason == "Evicted" { // others may need so much of the machine that pods have to go
		k.evicted++
		return
	}
	what := fmt.Sprintf("%s (%s, %s)", l.name, l.kind, l.disturbed)
	runs := k.count(l.name, "runs-main")
	statuses := pod.Status.ContainerStatuses
	if len(statuses) != 1 || statuses[0].State.Terminated == nil {
		if l.disturbed == "" || len(statuses) != 1 {
			k.fault("%s: %s without the end of its container: %s %s", what, pod.Status.Phase, pod.Status.Reason, pod.Status.Message)
		}
		return
	}
	end := *statuses[0].State.Terminated
	restarts := statuses[0].RestartCount
	if l.disturbed == "" {
		if end.ExitCode != l.code {
			k.fault("%s: exit code %d (%s) instead of %d; it ran %d times", what, end.ExitCode, end.Reason, l.code, runs)
		}
		if runs != l.failures+1 || restarts != l.failures {
			k.fault("%s: ran %d times with %d restarts instead of %d", what, runs, restarts, l.failures)
		}
		for _, each := range pod.Status.InitContainerStatuses {
			if each.Name == "first" && (each.State.Terminated == nil || each.State.Terminated.ExitCode != 0) {
				k.fault("%s: the first container did not end with 0: %+v", what, each.State.Terminated)
			}
			if runs := k.count(l.name, "runs-"+each.Name); runs != 1 {
				k.fault("%s: %s ran %d times", what, each.Name, runs)
			}
		}
		return
	}
	// 128: it was killed before its program ran. An end that the program came to by itself may be as it wanted only.
	if end.ExitCode != l.code && end.ExitCode != 137 && end.ExitCode != 143 && end.ExitCode != 128 {
		k.fault("%s: exit code %d (%s) instead of %d", what, end.ExitCode, end.Reason, l.code)
	}
	if l.kind == retry && end.ExitCode != 0 {
		k.fault("%s: ended with %d although it restarts on failure", what, end.ExitCode)
	}
	if l.kind != retry && runs > 1 {
		k.fault("%s: ran %d times although it never restarts", what, runs)
	}
	if l.disturbed != stopped && runs > restarts+1 {
		k.fault("%s: ran %d times, and the API knows of %d restarts", what, runs, restarts)
	}
}

// watch holds the state of a pod that has not ended against what is known.
func (k *churn) watch(l *life, pod *chaosPod) {
	for _, status := range pod.Status.ContainerStatuses {
		last := status.LastState.Terminated
		if l.kind == always && status.RestartCount > 0 && l.disturbed == "" && (last == nil || last.ExitCode != l.code) {
			k.fault("%s (%s): restarted %d times, last %+v", l.name, l.kind, status.RestartCount, last)
		}
		if status.RestartCount < l.restarts && l.disturbed == "" {
			k.fault("%s (%s): %d restarts after %d", l.name, l.kind, status.RestartCount, l.restarts)
		}
		l.restarts = status.RestartCount
	}
}

func (k *churn) judgeJob(l *life, job *chaosJob) {
	for _, condition := range job.Status.Conditions {
		if condition.Type == "Failed" && condition.Status == "True" {
			k.fault("%s: the Job failed: %s", l.name, condition.Message)
		}
		if condition.Type != "Complete" || condition.Status != "True" {
			continue
		}
		l.ended = true
		runs := k.count(l.name, "runs")
		if job.Status.Succeeded != 3 || l.disturbed == "" && (job.Status.Failed != 0 || runs != 3) {
			k.fault("%s (Job, %s): %d succeeded, %d failed, %d runs instead of 3", l.name, l.disturbed, job.Status.Succeeded, job.Status.Failed, runs)
		}
	}
}

// forget is called when the API has forgotten a pod: nothing of it may run any more.
func (k *churn) forget(l *life) {
	delete(k.lives, l.name)
	directory := filepath.Join(k.notes, l.name)
	entries, _ := os.ReadDir(directory)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "lock-") && isHeld(filepath.Join(directory, entry.Name())) {
			k.fault("%s (%s, %s): the API has forgotten it, and %s is still held", l.name, l.kind, l.disturbed, entry.Name())
		}
	}
	k.checkNotes(l.name)
	k.ended++
	k.kinds[l.kind]++
	_ = os.RemoveAll(directory)
}

func (k *churn) checkNotes(name string) {
	if content, err := os.ReadFile(filepath.Join(k.notes, name, "faults")); err == nil {
		k.fault("%s: %s", name, content)
	}
}

const stuckAfter = 8 * time.Minute

// tend looks at all pods and jobs once: judges and deletes those that ended and makes up for them. Returns how many pods are there.
func (k *churn) tend(c *client, more bool) (int, error) {
	var pods struct{ Items []chaosPod }
	var works struct{ Items []chaosJob }
	for path, into := range map[string]any{collection("pods"): &pods, jobs(): &works} {
		content, err := c.must("GET", path, nil)
		if err != nil {
			return 0, err
		}
		if err := json.Unmarshal(content, into); err != nil {
			return 0, err
		}
	}
	seen, running := map[string]bool{}, 0
	for i := range pods.Items {
		pod := &pods.Items[i]
		l, ended := k.lives[pod.Metadata.Name], pod.Status.Phase == "Succeeded" || pod.Status.Phase == "Failed"
		if !ended {
			running++
		}
		if l == nil {
			continue // of a Job or a set
		}
		seen[l.name], l.sure = true, true
		if l.phase != pod.Status.Phase {
			l.phase = pod.Status.Phase
			k.changes++
		}
		deleting := pod.Metadata.DeletionTimestamp != ""
		if ended && !deleting && l.kind != always && l.kind != lasting && l.kind != fleeting {
			l.ended = true
			before := len(k.faults)
			k.checkNotes(l.name)
			k.judge(l, pod)
			if len(k.faults) > before {
				k.tell(l, pod)
			}
		} else if !deleting {
			k.watch(l, pod)
		}
		due := l.ended && k.random.Intn(3) == 0 || !l.deleteAt.IsZero() && time.Now().After(l.deleteAt) || !l.deleteAt.IsZero() && !more
		if due && !deleting {
			if _, _, err := c.call("DELETE", collection("pods")+"/"+l.name, nil); err != nil {
				return 0, err
			}
			l.deletedAt = time.Now()
		}
	}
	for i := range works.Items {
		job := &works.Items[i]
		if l := k.lives[job.Metadata.Name]; l != nil {
			seen[l.name], l.sure = true, true
			k.judgeJob(l, job)
			if l.ended && job.Metadata.DeletionTimestamp == "" {
				if _, _, err := c.call("DELETE", jobs()+"/"+l.name+"?propagationPolicy=Foreground", nil); err != nil {
					return 0, err
				}
				l.deletedAt = time.Now()
			}
		}
	}
	k.missing(seen)
	for ; more && running < k.options.clients; running++ {
		if err := k.create(c); err != nil {
			return 0, err
		}
	}
	return len(pods.Items), nil
}

func (k *churn) missing(seen map[string]bool) {
	for name, l := range k.lives {
		switch {
		case seen[name]:
			if l.isStuck() {
				k.fault("%s (%s, %s, ended %v): is still there after %s", name, l.kind, l.disturbed, l.ended, stuckAfter)
			}
		case !l.sure:
			delete(k.lives, name) // its creation was cut off
		case !l.ended && l.deleteAt.IsZero():
			k.fault("%s (%s, %s): is gone, and nobody saw it end", name, l.kind, l.disturbed)
			delete(k.lives, name)
		default:
			k.forget(l)
		}
	}
	k.checkNotes("fixtures")
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, text := range k.later {
		k.fault("%s", text)
	}
	k.later = nil
}
