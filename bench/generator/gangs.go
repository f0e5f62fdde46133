package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const groups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/" + namespace + "/podgroups"

// bindings knows when pods were first seen with a node, and how many pods there are.
type bindings struct {
	mutex   sync.Mutex
	changed *sync.Cond
	bound   map[string]time.Time
	pods    map[string]bool
	failure error
}

func watchBindings(s *server, o *options) (*bindings, error) {
	b := &bindings{bound: map[string]time.Time{}, pods: map[string]bool{}}
	b.changed = sync.NewCond(&b.mutex)
	answer, err := s.newClient(o).open(context.Background(), "GET", collection("pods")+"?watch=1", nil)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("watch: %s", answer.Status)
	}
	go b.read(json.NewDecoder(answer.Body))
	return b, nil
}

func (b *bindings) read(events *json.Decoder) {
	for {
		var event struct {
			Type   string
			Object struct {
				Metadata struct{ Name string }
				Spec     struct{ NodeName string }
			}
		}
		err := events.Decode(&event)
		now, name := time.Now(), event.Object.Metadata.Name
		b.mutex.Lock()
		switch {
		case err != nil:
			b.failure = fmt.Errorf("the watch ended: %w", err)
		case event.Type == "DELETED":
			delete(b.pods, name)
		default:
			b.pods[name] = true
			if _, seen := b.bound[name]; !seen && event.Object.Spec.NodeName != "" {
				b.bound[name] = now
			}
		}
		b.changed.Broadcast()
		b.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

func (b *bindings) await(holds func() bool) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for !holds() {
		if b.failure != nil {
			return b.failure
		}
		b.changed.Wait()
	}
	return nil
}

func groupBody(name string, least int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":%q},"spec":{"minMember":%d}}`, name, least)
}

func memberBody(name, group string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"annotations":{"scheduling.k8s.io/group-name":%q}},"spec":{"schedulerName":"volcano",`+
		`"terminationGracePeriodSeconds":0,"automountServiceAccountToken":false,"containers":[{"name":"main","image":"any","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}`, name, group)
}

// gangs makes -objects PodGroups with -count pods in all and tells how many pods got a node a second, from the first request to the
// last binding seen, how long it took from asking for a pod to seeing it bound, and from the last pod of a gang to the whole gang.
func gangs(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	b, err := watchBindings(clients[0].server, o)
	if err != nil {
		return err
	}
	each, run := o.count/o.objects, fmt.Sprintf("g%x", time.Now().UnixNano())
	group := func(number int) string { return fmt.Sprintf("%s-%05d", run, number/each) }
	asked, answered := make([]time.Time, o.count), make([]time.Time, o.count)
	cpu, begin := cpuSeconds(o.pids), time.Now()
	created, err := inParallel(o, clients, func(c *client, number int) error {
		if number%each == 0 { // its pods may come before it
			if _, err := c.must("POST", groups, groupBody(group(number), each)); err != nil {
				return err
			}
		}
		asked[number] = time.Now()
		_, err := c.must("POST", collection("pods"), memberBody(fmt.Sprintf("%s-%d", group(number), number), group(number)))
		answered[number] = time.Now()
		return err
	})
	if err != nil {
		return err
	}
	if err := b.await(func() bool { return len(b.bound) >= o.count }); err != nil {
		return err
	}
	m := &measured{seconds: time.Since(begin).Seconds(), cpu: cpuSeconds(o.pids) - cpu}
	whole := &measured{}
	for first := 0; first < o.count; first += each {
		last, bound := time.Time{}, time.Time{}
		for number := first; number < first+each; number++ {
			at := b.bound[fmt.Sprintf("%s-%d", group(number), number)]
			m.delays = append(m.delays, at.Sub(asked[number]))
			last, bound = latest(last, answered[number]), latest(bound, at)
		}
		whole.delays = append(whole.delays, max(0, bound.Sub(last)))
	}
	slices.Sort(m.delays)
	slices.Sort(whole.delays)
	fmt.Println(m.line(o), fmt.Sprintf("created_s=%.2f gang_p50_ms=%.2f gang_p99_ms=%.2f", created.seconds, whole.percentile(0.5), whole.percentile(0.99)))
	return nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// gangReaction makes one gang of -objects pods after the other, -count in all, on a system that has nothing else to do, and tells how long
// it took from the answer to its last pod to seeing the whole gang bound; ask_ms counts from the sending of that request.
func gangReaction(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	c := clients[0]
	b, err := watchBindings(c.server, o)
	if err != nil {
		return err
	}
	m, whole, run := &measured{}, &measured{}, fmt.Sprintf("r%x", time.Now().UnixNano())
	cpu, begin := cpuSeconds(o.pids), time.Now()
	for number := range o.count {
		group := fmt.Sprintf("%s-%05d", run, number)
		if _, err := c.must("POST", groups, groupBody(group, o.objects)); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) // until the group itself has been looked at
		var asked, answered time.Time
		for i := range o.objects {
			asked = time.Now()
			if _, err := c.must("POST", collection("pods"), memberBody(fmt.Sprintf("%s-%d", group, i), group)); err != nil {
				return err
			}
			answered = time.Now()
		}
		if err := b.await(func() bool { return len(b.bound) >= o.objects }); err != nil {
			return err
		}
		last := time.Time{}
		for _, at := range b.bound {
			last = latest(last, at)
		}
		m.delays, whole.delays = append(m.delays, max(0, last.Sub(answered))), append(whole.delays, last.Sub(asked))
		if err := takeAway(c, b, group); err != nil {
			return err
		}
	}
	m.seconds, m.cpu = time.Since(begin).Seconds(), cpuSeconds(o.pids)-cpu
	floor, err := roundTrips(c, o.count)
	if err != nil {
		return err
	}
	slices.Sort(m.delays)
	slices.Sort(whole.delays)
	fmt.Println(m.line(o), fmt.Sprintf("ask_p50_ms=%.2f ask_p99_ms=%.2f floor_p50_ms=%.2f floor_p99_ms=%.2f",
		whole.percentile(0.5), whole.percentile(0.99), floor.percentile(0.5), floor.percentile(0.99)))
	return nil
}

// roundTrips is what a question costs that the server answers without thinking: what of every delay is the machine's, the network's and encryption's.
func roundTrips(c *client, count int) (*measured, error) {
	m := &measured{}
	for range count {
		begin := time.Now()
		if _, err := c.must("GET", "/version", nil); err != nil {
			return nil, err
		}
		m.delays = append(m.delays, time.Since(begin))
		time.Sleep(50 * time.Millisecond)
	}
	slices.Sort(m.delays)
	return m, nil
}

// takeAway ends with nothing to do for anybody.
func takeAway(c *client, b *bindings, group string) error {
	b.mutex.Lock()
	names := []string{}
	for name := range b.pods {
		if strings.HasPrefix(name, group) {
			names = append(names, name)
		}
	}
	b.mutex.Unlock()
	if _, err := c.must("DELETE", groups+"/"+group, nil); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := c.must("DELETE", collection("pods")+"/"+name, nil); err != nil {
			return err
		}
	}
	if err := b.await(func() bool { return len(b.pods) == 0 }); err != nil {
		return err
	}
	b.mutex.Lock()
	clear(b.bound)
	b.mutex.Unlock()
	time.Sleep(50 * time.Millisecond)
	return nil
}
