package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	volcanoJobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/" + namespace + "/jobs"
	torchJobs   = "/apis/kubeflow.org/v1/namespaces/" + namespace + "/pytorchjobs"
	partial     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
)

// moments knows when something was so for the first time, and what the servers had used by then.
type moments struct {
	mutex sync.Mutex
	start time.Time
	cpu   float64
	pids  []int
	seen  map[string]string
	done  chan error
}

func newMoments(o *options) *moments {
	return &moments{start: time.Now(), cpu: cpuSeconds(o.pids), pids: o.pids, seen: map[string]string{}, done: make(chan error, 8)}
}

func (m *moments) reached(name string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if _, again := m.seen[name]; !again {
		m.seen[name] = fmt.Sprintf("%s_s=%.2f %s_cpu_s=%.2f", name, time.Since(m.start).Seconds(), name, cpuSeconds(m.pids)-m.cpu)
	}
}

func (m *moments) line(names ...string) string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	told := []string{}
	for _, name := range names {
		told = append(told, m.seen[name])
	}
	return strings.Join(told, " ")
}

type seenObject struct {
	Metadata struct{ Name string }
	Status   struct {
		Phase           string
		State           struct{ Phase string }
		ReplicaStatuses map[string]struct{ Active int }
		Conditions      []struct{ Type, Status string }
	}
}

func (object *seenObject) succeeded() bool {
	for _, condition := range object.Status.Conditions {
		if condition.Type == "Succeeded" && condition.Status == "True" {
			return true
		}
	}
	return false
}

// follow reads a watch until told that it saw enough. Metadata alone costs both sides least.
func (m *moments) follow(s *server, o *options, path string, whole bool, look func(object *seenObject) bool) error {
	c := s.newClient(o)
	if !whole {
		c.media = partial
	}
	answer, err := c.open(context.Background(), "GET", path+"?watch=1", nil)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("watch of %s: %s", path, answer.Status)
	}
	go func() {
		defer answer.Body.Close()
		events := json.NewDecoder(answer.Body)
		for {
			var event struct {
				Object seenObject
			}
			if err := events.Decode(&event); err != nil {
				m.done <- fmt.Errorf("the watch of %s ended: %w", path, err)
				return
			}
			if look(&event.Object) {
				m.done <- nil
				return
			}
		}
	}()
	return nil
}

// count says when so many different objects of a run were there.
func (m *moments) count(s *server, o *options, path, run, name string, many int) error {
	names := map[string]bool{}
	return m.follow(s, o, path, false, func(object *seenObject) bool {
		if strings.HasPrefix(object.Metadata.Name, run) {
			names[object.Metadata.Name] = true
		}
		if len(names) < many {
			return false
		}
		m.reached(name)
		return true
	})
}

// countThose says when so many different objects of a run were as asked for.
func (m *moments) countThose(s *server, o *options, path, run, name string, many int, fits func(object *seenObject) bool) error {
	names := map[string]bool{}
	return m.follow(s, o, path, true, func(object *seenObject) bool {
		if strings.HasPrefix(object.Metadata.Name, run) && fits(object) {
			names[object.Metadata.Name] = true
		}
		if len(names) < many {
			return false
		}
		m.reached(name)
		return true
	})
}

func (m *moments) await(many int) error {
	for range many {
		select {
		case err := <-m.done:
			if err != nil {
				return err
			}
		case <-time.After(5 * time.Minute):
			return fmt.Errorf("not reached after five minutes: %v", m.seen)
		}
	}
	return nil
}

func torchJob(name string, workers int, annotations string) []byte {
	template := `{"metadata":{"annotations":{` + annotations + `}},"spec":{"containers":[{"name":"pytorch","image":"any","command":["train"],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}`
	return fmt.Appendf(nil, `{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":%q},"spec":{"pytorchReplicaSpecs":{`+
		`"Master":{"replicas":1,"restartPolicy":"Never","template":%s},"Worker":{"replicas":%d,"restartPolicy":"Never","template":%s}}}}`, name, template, workers, template)
}

// trainingJob makes one PyTorchJob with a master and -count workers, and tells when all its pods and services are there and when all its
// pods run, as its status says.
func trainingJob(o *options) error {
	o.clients = 1
	clients, err := connect(o)
	if err != nil {
		return err
	}
	s, run := clients[0].server, fmt.Sprintf("t%x", time.Now().UnixNano())
	m := newMoments(o)
	if err := m.count(s, o, collection("pods"), run, "pods", o.count+1); err != nil {
		return err
	}
	if err := m.count(s, o, collection("services"), run, "services", o.count+1); err != nil {
		return err
	}
	err = m.follow(s, o, torchJobs, true, func(object *seenObject) bool {
		if object.Metadata.Name != run || object.Status.ReplicaStatuses["Worker"].Active < o.count {
			return false
		}
		m.reached("active")
		return true
	})
	if err != nil {
		return err
	}
	m.start, m.cpu = time.Now(), cpuSeconds(o.pids)
	if _, err := clients[0].must("POST", torchJobs, torchJob(run, o.count, "")); err != nil {
		return err
	}
	if err := m.await(3); err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // what is written behind everybody's back
	m.reached("quiet")
	fmt.Printf("%s rss_mb=%.0f\n", m.line("pods", "services", "active", "quiet"), residentMegabytes(o.pids))
	return nil
}

func volcanoJob(name string, pods int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":%q},"spec":{"minAvailable":%d,"schedulerName":"volcano","queue":"default","tasks":[{`+
		`"name":"main","replicas":%d,"policies":[{"event":"TaskCompleted","action":"CompleteJob"}],"template":{"metadata":{"annotations":{"sim.lavaflow.io/duration":"100ms"}},`+
		`"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"any","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}}]}}`, name, pods, pods)
}

// volcanoLives makes -count Jobs of -objects pods each, by -clients at once, and tells when all pods were there and when all Jobs had completed.
func volcanoLives(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	s, run := clients[0].server, fmt.Sprintf("v%x", time.Now().UnixNano())
	m := newMoments(o)
	if err := m.count(s, o, collection("pods"), run, "pods", o.count*o.objects); err != nil {
		return err
	}
	err = m.countThose(s, o, volcanoJobs, run, "completed", o.count, func(object *seenObject) bool { return object.Status.State.Phase == "Completed" })
	if err != nil {
		return err
	}
	err = m.countThose(s, o, groups, run, "inqueue", o.count, func(object *seenObject) bool {
		return object.Status.Phase != "" && object.Status.Phase != "Pending"
	})
	if err != nil {
		return err
	}
	err = m.create(o, clients, volcanoJobs, func(number int) []byte { return volcanoJob(fmt.Sprintf("%s-%d", run, number), o.objects) })
	if err != nil {
		return err
	}
	fmt.Printf("%s rss_mb=%.0f\n", m.line("created", "inqueue", "pods", "completed", "quiet"), residentMegabytes(o.pids))
	return nil
}

// create makes -count jobs by -clients at once, and waits until the three things that are followed have happened.
func (m *moments) create(o *options, clients []*client, path string, job func(number int) []byte) error {
	m.start, m.cpu = time.Now(), cpuSeconds(o.pids)
	if _, err := inParallel(o, clients, func(c *client, number int) error {
		_, err := c.must("POST", path, job(number))
		return err
	}); err != nil {
		return err
	}
	m.reached("created")
	if err := m.await(3); err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // what is written behind everybody's back
	m.reached("quiet")
	return nil
}

// trainingLives makes -count PyTorchJobs of -objects pods each, by -clients at once, and tells when all pods and services were there, when all jobs had
// succeeded, and how many writes there were for each.
func trainingLives(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	s, run := clients[0].server, fmt.Sprintf("l%x", time.Now().UnixNano())
	m := newMoments(o)
	if err := m.count(s, o, collection("pods"), run, "pods", o.count*o.objects); err != nil {
		return err
	}
	if err := m.count(s, o, collection("services"), run, "services", o.count*o.objects); err != nil {
		return err
	}
	if err := m.countThose(s, o, torchJobs, run, "succeeded", o.count, (*seenObject).succeeded); err != nil {
		return err
	}
	before, err := revision(clients[0])
	if err != nil {
		return err
	}
	err = m.create(o, clients, torchJobs, func(number int) []byte {
		return torchJob(fmt.Sprintf("%s-%d", run, number), o.objects-1, `"sim.lavaflow.io/duration":"100ms"`)
	})
	if err != nil {
		return err
	}
	after, err := revision(clients[0])
	if err != nil {
		return err
	}
	fmt.Printf("%s writes_each=%.1f rss_mb=%.0f\n", m.line("created", "pods", "services", "succeeded", "quiet"), float64(after-before)/float64(o.count), residentMegabytes(o.pids))
	return nil
}

// revision is how often anything was written so far.
func revision(c *client) (int64, error) {
	metrics, err := c.must("GET", "/metrics", nil)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(metrics), "\nlavaflow_store_revision ")
	number, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseInt(number, 10, 64)
}
