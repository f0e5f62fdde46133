package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// The moment at which an event's write was sent travels in the object, as digits between these marks that no encoding touches.
const mark = "SENT"

// watcher reads a stream and looks only for marks: decoding 10 million events would measure the client.
type watcher struct {
	delays []time.Duration
	bytes  int64
}

func (w *watcher) read(body io.Reader, events int) error {
	buffer, used := make([]byte, 256<<10), 0
	for len(w.delays) < events {
		n, err := body.Read(buffer[used:])
		w.bytes += int64(n)
		used += n
		rest := buffer[:used]
		now := time.Now().UnixNano()
		for {
			_, after, found := bytes.Cut(rest, []byte(mark))
			if !found || len(after) < 19 {
				break
			}
			sent, _ := strconv.ParseInt(string(after[:19]), 10, 64)
			w.delays = append(w.delays, time.Duration(now-sent))
			rest = after[19:]
		}
		// What is left may hold the beginning of a mark.
		keep := rest[max(0, len(rest)-len(mark)-19):]
		used = copy(buffer, keep)
		if err != nil && len(w.delays) < events {
			return fmt.Errorf("a watch ended after %d of %d events: %w", len(w.delays), events, err)
		}
	}
	return nil
}

// watch opens many watches of one object and changes it; every watcher gets every event.
func watch(o *options) error {
	s, err := readKubeconfig(o.kubeconfig)
	if err != nil {
		return err
	}
	writer := s.newClient(o)
	if err := prepare(writer); err != nil {
		return err
	}
	name := fmt.Sprintf("w%x", time.Now().UnixNano())
	body, _ := configMap(o, name, "", nil)
	content, err := writer.must("POST", collection("configmaps"), body)
	if err != nil {
		return err
	}
	revision, err := resourceVersion(o, content)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	watchers, failures := make([]watcher, o.clients), make([]error, o.clients)
	var group sync.WaitGroup
	for i := range watchers {
		path := fmt.Sprintf("%s?watch=1&resourceVersion=%s&fieldSelector=metadata.name=%s", collection("configmaps"), revision, name)
		answer, err := s.newClient(o).open(ctx, "GET", path, nil)
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("watch: %s", answer.Status)
		}
		watchers[i].delays = make([]time.Duration, 0, o.count)
		group.Go(func() { failures[i] = watchers[i].read(answer.Body, o.count) })
	}
	before := residentMegabytes(o.pids)
	cpu, start := cpuSeconds(o.pids), time.Now()
	for number := range o.count {
		if o.rate > 0 {
			time.Sleep(time.Until(start.Add(time.Duration(float64(number) / o.rate * float64(time.Second)))))
		}
		body, _ := configMap(o, name, "", map[string]string{"t": fmt.Sprintf("%s%d", mark, time.Now().UnixNano())})
		if _, err := writer.must("PUT", collection("configmaps")+"/"+name, body); err != nil {
			return err
		}
	}
	written := time.Since(start).Seconds()
	group.Wait()
	all := make([][]time.Duration, len(watchers))
	var received int64
	for i := range watchers {
		if failures[i] != nil {
			return failures[i]
		}
		all[i] = watchers[i].delays
		received += watchers[i].bytes
	}
	m := &measured{time.Since(start).Seconds(), cpuSeconds(o.pids) - cpu, slices.Concat(all...)}
	slices.Sort(m.delays)
	fmt.Println(m.line(o), fmt.Sprintf("writes_s=%.1f mb=%.0f rss_watching_mb=%.0f", written, float64(received)/1e6, before))
	return nil
}
