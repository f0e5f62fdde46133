package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// measured runs the work of many clients and tells how long it took, what it cost the server and how long one operation took.
type measured struct {
	seconds float64
	cpu     float64
	delays  []time.Duration
}

func (m *measured) percentile(p float64) float64 {
	if len(m.delays) == 0 {
		return 0
	}
	return m.delays[min(len(m.delays)-1, int(float64(len(m.delays))*p))].Seconds() * 1000
}

func (m *measured) line(o *options) string {
	return fmt.Sprintf("seconds=%.2f rate=%.0f cpu_s=%.2f cpu_us_each=%.0f p50_ms=%.2f p99_ms=%.2f rss_mb=%.0f",
		m.seconds, float64(len(m.delays))/m.seconds, m.cpu, m.cpu*1e6/float64(max(1, len(m.delays))),
		m.percentile(0.5), m.percentile(0.99), residentMegabytes(o.pids))
}

// inParallel numbers operations from 0 and hands them to clients as these become free.
func inParallel(o *options, clients []*client, operation func(c *client, number int) error) (*measured, error) {
	var next atomic.Int64
	var group sync.WaitGroup
	delays, failures := make([][]time.Duration, len(clients)), make([]error, len(clients))
	cpu, start := cpuSeconds(o.pids), time.Now()
	for i, c := range clients {
		group.Go(func() {
			for number := int(next.Add(1)) - 1; number < o.count; number = int(next.Add(1)) - 1 {
				begin := time.Now()
				if failures[i] = operation(c, number); failures[i] != nil {
					return
				}
				delays[i] = append(delays[i], time.Since(begin))
			}
		})
	}
	group.Wait()
	m := &measured{time.Since(start).Seconds(), cpuSeconds(o.pids) - cpu, slices.Concat(delays...)}
	slices.Sort(m.delays)
	for _, err := range failures {
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// connect opens every client's connection before anything is measured.
func connect(o *options) ([]*client, error) {
	s, err := readKubeconfig(o.kubeconfig)
	if err != nil {
		return nil, err
	}
	clients := make([]*client, o.clients)
	for i := range clients {
		clients[i] = s.newClient(o)
		if _, _, err := clients[i].call("GET", "/version", nil); err != nil {
			return nil, err
		}
	}
	return clients, prepare(clients[0])
}

func create(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	run := fmt.Sprintf("c%x", time.Now().UnixNano())
	m, err := inParallel(o, clients, func(c *client, number int) error {
		body, err := newObject(o, fmt.Sprintf("%s-%06d", run, number))
		if err == nil {
			_, err = c.must("POST", collection(o.kind), body)
		}
		return err
	})
	fmt.Println(m.line(o))
	return err
}

// update lets all clients count up in a few objects: read, add one, write back, and again on a conflict.
func update(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	run := fmt.Sprintf("u%x", time.Now().UnixNano())
	name := func(number int) string { return fmt.Sprintf("%s-%02d", run, number%o.objects) }
	for number := range o.objects {
		body, _ := newObject(o, name(number))
		if _, err := clients[0].must("POST", collection("configmaps"), body); err != nil {
			return err
		}
	}
	var conflicts atomic.Int64
	payload := strings.Repeat("x", o.size)
	m, err := inParallel(o, clients, func(c *client, number int) error {
		path := collection("configmaps") + "/" + name(number)
		for {
			content, err := c.must("GET", path, nil)
			if err != nil {
				return err
			}
			revision, err := resourceVersion(o, content)
			if err != nil {
				return err
			}
			body, _ := configMap(o, name(number), revision, map[string]string{"payload": payload, "n": fmt.Sprint(number)})
			code, content, err := c.call("PUT", path, body)
			if err != nil || code == http.StatusOK {
				return err
			}
			if code != http.StatusConflict {
				return fmt.Errorf("PUT %s: %d %.300s", path, code, content)
			}
			conflicts.Add(1)
		}
	})
	fmt.Println(m.line(o), fmt.Sprintf("conflicts=%d", conflicts.Load()))
	return err
}

// list asks for everything at once, as an informer's first list does.
func list(o *options) error {
	clients, err := connect(o)
	if err != nil {
		return err
	}
	var bytes atomic.Int64
	m, err := inParallel(o, clients, func(c *client, _ int) error {
		content, err := c.must("GET", collection(o.kind), nil)
		bytes.Add(int64(len(content)))
		return err
	})
	fmt.Println(m.line(o), fmt.Sprintf("mb_each=%.2f mb_per_s=%.1f",
		float64(bytes.Load())/float64(max(1, o.count))/1e6, float64(bytes.Load())/1e6/m.seconds))
	return err
}

func clearObjects(o *options) error {
	clients, err := connect(o)
	if err == nil {
		_, err = clients[0].must("DELETE", collection(o.kind), nil)
	}
	return err
}
