package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// podWatch knows when pods were first seen running, and when they were gone.
type podWatch struct {
	mutex   sync.Mutex
	changed *sync.Cond
	running map[string]time.Time
	gone    map[string]time.Time
	failure error
}

func watchPods(s *server, o *options) (*podWatch, error) {
	w := &podWatch{running: map[string]time.Time{}, gone: map[string]time.Time{}}
	w.changed = sync.NewCond(&w.mutex)
	answer, err := s.newClient(o).open(context.Background(), "GET", collection("pods")+"?watch=1", nil)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("watch: %s", answer.Status)
	}
	go w.read(json.NewDecoder(answer.Body))
	return w, nil
}

func (w *podWatch) read(events *json.Decoder) {
	for {
		var event struct {
			Type   string
			Object struct {
				Metadata struct{ Name string }
				Status   struct{ Phase, Reason, Message string }
			}
		}
		err := events.Decode(&event)
		now := time.Now()
		w.mutex.Lock()
		name := event.Object.Metadata.Name
		switch _, seen := w.running[name]; {
		case err != nil:
			w.failure = fmt.Errorf("the watch ended: %w", err)
		case event.Type == "DELETED":
			w.gone[name] = now
		case event.Object.Status.Phase == "Running" && !seen:
			w.running[name] = now
		case event.Object.Status.Phase == "Failed":
			w.failure = fmt.Errorf("pod %s failed: %s %s", name, event.Object.Status.Reason, event.Object.Status.Message)
		}
		w.changed.Broadcast()
		w.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

// await returns when all the pods are in the table.
func (w *podWatch) await(table map[string]time.Time, names ...string) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, name := range names {
		for table[name].IsZero() {
			if w.failure != nil {
				return w.failure
			}
			w.changed.Wait()
		}
	}
	return nil
}

// pods runs pods that sleep: rounds of -clients pods at the same time, -count in all, and takes each round away again unless
// told to -keep them. Tells how long it took from asking for a pod to seeing it run, and for a whole round.
func pods(o *options) error {
	s, err := readKubeconfig(o.kubeconfig)
	if err != nil {
		return err
	}
	c := s.newClient(o)
	if err := prepare(c); err != nil {
		return err
	}
	w, err := watchPods(s, o)
	if err != nil {
		return err
	}
	m, slowest, gone := &measured{}, time.Duration(0), time.Duration(0)
	cpu, machine, begin, label := cpuSeconds(o.pids), machineSeconds(), time.Now(), time.Now().UnixNano()
	for number := 0; number < o.count; number += o.clients {
		names, asked := []string{}, map[string]time.Time{}
		round := time.Now()
		for i := range min(o.clients, o.count-number) {
			name := fmt.Sprintf("p%x-%d", label, number+i)
			body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"terminationGracePeriodSeconds":0,`+
				`"containers":[{"name":"main","image":%q,"command":["sleep","1000000"]}]}}`, name, o.image)
			names, asked[name] = append(names, name), time.Now()
			if _, err := c.must("POST", collection("pods"), []byte(body)); err != nil {
				return err
			}
		}
		if err := w.await(w.running, names...); err != nil {
			return err
		}
		for _, name := range names {
			m.delays = append(m.delays, w.running[name].Sub(asked[name]))
			slowest = max(slowest, w.running[name].Sub(round))
		}
		if o.keep {
			continue
		}
		asked0 := time.Now()
		for _, name := range names {
			if _, err := c.must("DELETE", collection("pods")+"/"+name, nil); err != nil {
				return err
			}
		}
		if err := w.await(w.gone, names...); err != nil {
			return err
		}
		gone = max(gone, time.Since(asked0))
	}
	m.seconds, m.cpu = time.Since(begin).Seconds(), cpuSeconds(o.pids)-cpu
	machine = (machineSeconds() - machine) * 1e6 / float64(o.count)
	slices.Sort(m.delays)
	fmt.Println(m.line(o), fmt.Sprintf("machine_us_each=%.0f max_ms=%.1f round_ms=%.0f gone_ms=%.0f",
		machine, m.percentile(1), slowest.Seconds()*1000, gone.Seconds()*1000))
	return nil
}
